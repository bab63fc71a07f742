"""The trainer of the peer: the solved positions in Pgx's states, its output, bad input."""

import json
import subprocess
import sys

import jax
import numpy as np
import pytest
from script_loading import SCRIPTS, load

from azjax.evaluation import read_records, require_positions
from azjax.games import make

SCRIPT = SCRIPTS / "peer_train.py"
SIZES = {"games": 4, "moves": 8, "simulations": 2, "channels": 8, "blocks": 1, "batch": 8}
FLAGS = [text for name, value in SIZES.items() for text in (f"--{name}", str(value))]
# Convolutions of one cell with bias and two numbers of normalization; dense layers with bias.
HEADS = (8 * 2 + 2 + 4 + 84 * 7 + 7) + (8 + 1 + 2 + 42 * 8 + 8 + 8 + 1)


@pytest.fixture(scope="module")
def script():
    return load("peer_train")


def test_solved_positions_are_the_same_in_pgx(script):
    game = make("connect_four")
    positions = require_positions(game, "connect_four")
    with jax.numpy_rank_promotion("allow"):
        import pgx

        env = pgx.make("connect_four")
        states = script.replay(env, read_records(game, "connect_four"))
    observed = jax.jit(jax.vmap(game.observe))(positions.states)
    np.testing.assert_array_equal(states.observation, observed)
    np.testing.assert_array_equal(states.legal_action_mask, positions.is_legal)
    assert not states.terminated.any()


@pytest.mark.slow
def test_it_trains_for_the_given_time_and_measures_accuracy():
    flags = ["--minutes", "0.1", "--evaluate-every", "0.02", "--evaluation-simulations", "2"]
    done = subprocess.run(
        [sys.executable, SCRIPT, *FLAGS, *flags], capture_output=True, text=True, check=True
    )
    conditions, *rows = map(json.loads, done.stdout.splitlines())
    assert conditions.items() >= SIZES.items()
    assert conditions["random_accuracy"] == pytest.approx(0.380, abs=5e-4)
    assert conditions["parameters"] == 2 * 9 * 8 + 8 + 2 * (9 * 8 * 8 + 8 + 16) + 16 + HEADS
    assert len(rows) >= 3
    assert (rows[0]["iteration"], rows[0]["minutes"]) == (0, 0)
    assert rows[-2]["minutes"] <= 0.1 <= rows[-1]["minutes"]  # rounded
    assert rows[-1]["positions"] == rows[-1]["iteration"] * 32
    accuracies = [row[key] for row in rows for key in ("accuracy_network", "accuracy_search")]
    assert all(0.2 < accuracy < 1 for accuracy in accuracies)
    assert len(set(accuracies)) > 1  # it learns


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--batch", "33"), "batch=33: at most games * moves = 32"),
        (("--simulations", "0"), "simulations=0: must be at least 1"),
        (("--minutes", "0"), "minutes=0"),
        (("--truth", "conect_four"), "connect_four"),
        (("--truth", "quixo_3"), "read as connect_four"),
    ],
)
def test_bad_input_is_one_line(script, capfd, arguments, words):
    with pytest.raises(SystemExit) as stop:
        script.main([*FLAGS, *arguments])
    out, err = capfd.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1
