"""The matrices of Winograd's minimal filtering, by the method of Toom and Cook.

A product of two polynomials, of m and of 3 coefficients, is known by its values at m + 1 points and
at infinity, its leading coefficient: m + 2 multiplications. A correlation with m outputs is the
transpose of that product, where the inputs are interpolated and powers of the points make the
outputs. It takes as many, where the definition has 3 m. Lavin & Gray 2015, arXiv:1509.09308.
"""

import functools
from typing import NamedTuple

import numpy as np
from numpy.polynomial.polynomial import polyfromroots

# float32 keeps errors of 6e-6 of the outputs' standard deviation, with two points 5e-7. Others than
# 2 and -2 halve that (Barabasz et al. 2018, arXiv:1803.10986), and make more of the sums.
_POINTS = (0.0, 1.0, -1.0, 2.0, -2.0)
MOST_OUTPUTS = len(_POINTS) - 1


class Transforms(NamedTuple):
    """`outputs @ ((kernel @ g) * (inputs @ d))` is the correlation of d[m + 2] with g[3].

    The paper's A^T, G and B^T.
    """

    outputs: np.ndarray  # [m, m + 2]
    kernel: np.ndarray  # [m + 2, 3]
    inputs: np.ndarray  # [m + 2, m + 2]


@functools.cache
def transforms(m: int) -> Transforms:
    """Returns the matrices for m outputs at a time, 1 to `MOST_OUTPUTS`."""
    points = np.array(_POINTS[: m + 1])
    others = [np.delete(points, k) for k in range(m + 1)]
    scales = [[np.prod(p - rest)] for p, rest in zip(points, others, strict=True)]
    interpolation = [np.append(polyfromroots(rest), 0) for rest in others]
    return Transforms(
        outputs=np.column_stack([np.vander(points, m, increasing=True).T, np.eye(m)[-1]]),
        kernel=np.vstack([np.vander(points, 3, increasing=True) / scales, np.eye(3)[-1]]),
        inputs=np.vstack([*interpolation, polyfromroots(points)]),
    )
