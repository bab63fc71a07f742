"""What `experiments/gpu_program.py` compiles for an H100: budgets of launches and waits."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import jax
import jax.numpy as jnp
import pytest
from script_loading import load

from azjax.config.presets import preset_names

ROOT = pathlib.Path(__file__).parents[2]
SIZES = ["--num-games", "1024", "--batch-size", "1024", "--num-moves", "8", "--replay-moves", "64"]
NETWORK = ["--network.channels", "128", "--network.blocks", "6"]
# Self-play and learning of a policy gradient are not loops of one search.
LOOPS = [name for name in preset_names() if not name.endswith("policy_gradient")]


def needs_compiler(test):
    """Marks a test that compiles for a GPU."""
    is_missing = importlib.util.find_spec("jax_cuda12_plugin") is None
    reason = "needs pip install '.[gpu-program]'"
    return pytest.mark.slow(pytest.mark.skipif(is_missing, reason=reason)(test))


def test_what_xla_compiles_is_read():
    def count(x):
        return jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x) @ x, x)

    load("gpu_program")
    text = jax.jit(count).lower(jnp.ones((16, 16))).compile().as_text()
    program = sys.modules["benchmarks.gpu_kernels"].read_program(text)
    [loop] = program.inner
    assert loop.num_turns == 5
    assert program.total().products == 5 * loop.of_a_turn().products == 5


def figures(*arguments):
    """Returns the figures of the last line."""
    script = ROOT / "experiments/gpu_program.py"
    done = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@needs_compiler
@pytest.mark.parametrize(
    ("game", "others", "temporaries_mb"), [("connect_four", 62, 300), ("go_9", 135, 580)]
)
def test_a_simulation_has_few_launches_no_wait_and_little_memory(game, others, temporaries_mb):
    found = figures(game, *SIZES, *NETWORK, "--search.num-simulations", "32")
    convolutions = found["convolutions_per_simulation"]
    assert convolutions == found["fused_convolutions_per_simulation"] == 13
    assert found["kernels_per_simulation"] - convolutions <= others
    assert found["waits_per_simulation"] == 0
    assert found["grouped_convolutions"] == 0
    assert found["temporaries_mb"] <= temporaries_mb
    assert found["copied_mb"] == 0  # replay lies where it lay


@needs_compiler
def test_training_is_sharded_over_hosts():
    found = figures("connect_four", *SIZES, *NETWORK, "--devices", "8")
    assert found["waits_per_simulation"] == 0
    assert 0 < found["collectives_per_iteration"] < 500


@needs_compiler
@pytest.mark.parametrize("preset", LOOPS)
def test_every_preset_compiles_and_fits(preset):
    found = figures(preset)
    assert found["kernels_per_simulation"] > 0
    assert found["state_mb"] + found["temporaries_mb"] < 40_000  # half of an H100's memory
