"""AlphaZero in one file: its value targets, and that it learns and shows its learning curve."""

import jax.numpy as jnp
import numpy as np
import pytest
from script_loading import load

from azjax.search import Gumbel


@pytest.fixture
def script(monkeypatch):
    module = load("minimal")
    for name, value in {
        "SEARCH": Gumbel(num_simulations=4),
        "NUM_ITERATIONS": 6,
        "NUM_GAMES": 64,
        "REPLAY_MOVES": 16,
        "BATCH_SIZE": 128,
    }.items():
        monkeypatch.setattr(module, name, value)
    return module


def test_targets_are_outcomes_for_the_mover_and_values_at_the_end_of_the_ring(script, monkeypatch):
    """A game is won, the next one is drawn, and of the third one the ring has two moves."""
    monkeypatch.setattr(script, "REPLAY_MOVES", 7)
    reward = np.array([0, 0, 1, 0, 0, 0, 0], np.float32)
    discount = np.array([-1, -1, 0, -1, 0, -1, -1], np.float32)
    value = np.array([9, 9, 9, 9, 9, 9, 0.5], np.float32)
    oldest = 3
    ring = [jnp.asarray(np.roll(x, oldest)[:, None]) for x in (value, reward, discount)]
    targets = script.outcomes(script.Moves(None, None, *ring), num_written=7 + oldest)
    expected = np.array([1, -1, 1, 0, 0, -0.5, 0.5])
    np.testing.assert_array_equal(targets[:, 0], np.roll(expected, oldest))


@pytest.mark.slow
def test_it_learns_and_shows_its_learning_curve(script, tmp_path, capsys):
    script.main(tmp_path / "new")
    *_, last = capsys.readouterr().out.splitlines()
    shown = dict(item.split(" ") for item in last.split("  "))
    assert shown["iteration"] == "6"
    assert float(shown["search"]) > 0.9 > 0.7 > float(shown["random"])
    assert (tmp_path / "new" / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
