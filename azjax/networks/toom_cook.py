"""The matrices of Winograd's minimal filtering, by the method of Toom and Cook.

The outputs of a correlation are coefficients of a product of polynomials. Their values at m + 1
points and at infinity are multiplied point by point, and the product is interpolated: m + 2
multiplications for m outputs, where the definition has 3 m. Lavin & Gray 2015, arXiv:1509.09308.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

Matrix = tuple[tuple[float, ...], ...]

# Few and small, as float32 loses digits with the powers of large ones.
_POINTS = tuple(map(Fraction, (0, 1, -1, 2, -2)))
_MOST_OUTPUTS = len(_POINTS) - 1


class Transforms(NamedTuple):
    """`outputs @ ((kernel @ g) * (inputs @ d))` is the correlation of d[m + 2] with g[3].

    The paper's A^T, G and B^T.
    """

    outputs: Matrix  # [m, m + 2]
    kernel: Matrix  # [m + 2, 3]
    inputs: Matrix  # [m + 2, m + 2]


def fewest_products(cells: int) -> int:
    """Returns the number m of outputs at a time that takes the fewest products over all cells."""
    return min(range(2, _MOST_OUTPUTS + 1), key=lambda m: num_tiles(cells, m) * (m + 2))


def num_tiles(cells: int, m: int) -> int:
    """Returns how many times m outputs cover all cells; the last of them may reach beyond."""
    return math.ceil(cells / m)


@functools.cache
def transforms(m: int) -> Transforms:
    """Returns the matrices for m outputs at a time, 1 to 4."""
    points = _POINTS[: m + 1]
    others = [[q for q in points if q != p] for p in points]
    outputs = [[p**k for p in points] + [int(k == m - 1)] for k in range(m)]
    scales = [math.prod(p - q for q in qs) for p, qs in zip(points, others, strict=True)]
    kernel = [[p**k / scale for k in range(3)] for p, scale in zip(points, scales, strict=True)]
    inputs = [[*_polynomial(qs), 0] for qs in others]
    return Transforms(
        outputs=_floats(outputs),
        kernel=_floats([*kernel, [0, 0, 1]]),
        inputs=_floats([*inputs, _polynomial(points)]),
    )


def _polynomial(roots: Sequence[Fraction]) -> list[Fraction]:
    """Returns the coefficients of the product of all x - root, that of 1 first."""
    coefficients = [Fraction(1)]
    for root in roots:
        times_x, times_root = [0, *coefficients], [*(root * c for c in coefficients), 0]
        coefficients = [a - b for a, b in zip(times_x, times_root, strict=True)]
    return coefficients


def _floats(matrix: Iterable[Iterable[Fraction | int]]) -> Matrix:
    return tuple(tuple(float(element) for element in row) for row in matrix)
