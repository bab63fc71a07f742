"""The names that `azjax` itself exports."""

import importlib
import subprocess
import sys

import pytest

import azjax

STARTS_JAX = """
import azjax
game = azjax.make("tic_tac_toe")
import jax
game.init(jax.random.key(0))
print(len(jax.devices()))
"""


def test_each_name_is_that_of_its_module_and_others_are_unknown():
    for name in azjax.__all__:
        home = importlib.import_module(azjax._HOMES[name])
        assert getattr(azjax, name) is getattr(home, name)
    assert dir(azjax) == sorted(azjax._HOMES)
    with pytest.raises(AttributeError, match="module 'azjax' has no attribute 'trian'"):
        _ = azjax.trian


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "devices"),
    [
        ("", "len(os.sched_getaffinity(0))"),
        ("import jax; jax.config.update('jax_num_cpu_devices', 3)", "3"),
    ],
)
def test_games_start_jax_with_a_device_for_each_core_unless_it_is_told_otherwise(before, devices):
    """Training would use one core only, if a game had started JAX with one device."""
    script = f"{before}\n{STARTS_JAX}\nimport os; assert len(jax.devices()) == {devices}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
