"""Training on a GPU: `JAX_PLATFORMS=cuda python -m pytest -m gpu`."""

import jax
import numpy as np
import pytest

from azjax.support.machine.devices import make_mesh
from azjax.support.machine.memory import free_bytes

from .tiny import run


@pytest.mark.gpu
def test_an_iteration_on_a_gpu_has_finite_metrics_and_the_memory_is_its_own():
    assert all(np.isfinite(x).all() for x in jax.tree.leaves(run(2).metrics))
    assert 0 < free_bytes(make_mesh(1)) < jax.devices()[0].memory_stats()["bytes_limit"]
