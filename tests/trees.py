"""Trees of arrays, compared."""

import functools
from typing import Any

import jax
import numpy as np


def assert_same(one: Any, other: Any) -> None:
    """Asserts that all leaves are equal."""
    jax.tree.map(np.testing.assert_array_equal, one, other)


def assert_close(one: Any, other: Any, tolerance: float = 1e-4) -> None:
    """Asserts that all leaves are equal up to an absolute tolerance."""
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=0, atol=tolerance), one, other)


def leaves(tree: Any) -> list:
    """Returns the leaves as lists, which compare by `==`."""
    return [np.asarray(leaf).tolist() for leaf in jax.tree.leaves(tree)]
