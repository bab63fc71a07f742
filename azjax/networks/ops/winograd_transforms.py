"""The matrices of Winograd's minimal filtering, by the method of Toom and Cook.

The product of two polynomials with m and with 3 coefficients is determined by its values at m + 1
points and its leading coefficient (its value at infinity): m + 2 multiplications. A correlation
with m outputs is the transpose of this product: it interpolates the inputs, and evaluates powers of
the points for the outputs. It takes m + 2 multiplications too, where the definition takes 3 m.
Lavin & Gray 2015, arXiv:1509.09308.
"""

import functools
from typing import NamedTuple

import numpy as np
from numpy.polynomial.polynomial import polyfromroots

# In float32 the error is 6e-6 of the outputs' standard deviation, or 5e-7 with two points. Other
# points than 2 and -2 halve it (Barabasz et al. 2018, arXiv:1803.10986) but take more additions.
_POINTS = (0.0, 1.0, -1.0, 2.0, -2.0)
MAX_OUTPUTS = len(_POINTS) - 1


class Transforms(NamedTuple):
    """`outputs @ ((kernel @ g) * (inputs @ d))` is the correlation of d[m + 2] with g[3].

    The fields are A^T, G and B^T of the paper.
    """

    outputs: np.ndarray  # [m, m + 2]
    kernel: np.ndarray  # [m + 2, 3]
    inputs: np.ndarray  # [m + 2, m + 2]


@functools.cache
def make_transforms(m: int) -> Transforms:
    """Returns the matrices for tiles of m outputs, 1 to `MAX_OUTPUTS`."""
    points = np.array(_POINTS[: m + 1])
    others = [np.delete(points, k) for k in range(m + 1)]
    scales = [[np.prod(p - rest)] for p, rest in zip(points, others, strict=True)]
    interpolation = [np.append(polyfromroots(rest), 0) for rest in others]
    return Transforms(
        outputs=np.column_stack([np.vander(points, m, increasing=True).T, np.eye(m)[-1]]),
        kernel=np.vstack([np.vander(points, 3, increasing=True) / scales, np.eye(3)[-1]]),
        inputs=np.vstack([*interpolation, polyfromroots(points)]),
    )
