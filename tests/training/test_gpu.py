"""Training on a GPU: `JAX_PLATFORMS=cuda python -m pytest -m gpu`."""

import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from azjax.support.machine.devices import make_mesh
from azjax.support.machine.memory import free_bytes

from .tiny import run

SMALL = (
    "--num-games 64 --batch-size 128 --network.channels 32 --network.blocks 2 --num-updates 4 "
    "--evaluate-every 1000 --iterations 4"
)


@pytest.mark.gpu
def test_an_iteration_on_a_gpu_has_finite_metrics_and_the_memory_is_its_own():
    assert all(np.isfinite(x).all() for x in jax.tree.leaves(run(2).metrics))
    assert 0 < free_bytes(make_mesh(1)) < jax.devices()[0].memory_stats()["bytes_limit"]


@pytest.mark.gpu
def test_deterministic_training_repeats_itself_on_a_gpu(tmp_path):
    """Each process compiles for itself, so that it may choose other algorithms."""
    words = "train", "connect_four_gpu", "--deterministic", *SMALL.split(), "--out"
    folders = tmp_path / "first", tmp_path / "second"
    for folder in folders:
        azjax(*words, folder)
    first, second = (azjax("fingerprint", folder) for folder in folders)
    assert first == second


def azjax(*words):
    """Runs a command without programs that were compiled before; returns what it prints."""
    command = [sys.executable, "-m", "azjax", *words]
    environment = os.environ | {"JAX_COMPILATION_CACHE_DIR": ""}
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout
