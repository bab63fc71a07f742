import dataclasses

import numpy as np
import pytest
from command_line import checkpoints, make_accuracy

from azjax.agents.agent import load_agent
from azjax.evaluation import MatchResult

pytestmark = pytest.mark.slow


def test_evaluate_prints_json_that_adds_up(azjax, trained):
    result = azjax(
        *("evaluate", trained, "--opponent", "minimax", "--games", "60"),
        *("--simulations", "4", "--json"),
    )
    assert (result.code, result.err) == (0, "")
    found = result.json
    assert found["wins"] + found["draws"] + found["losses"] == found["games"] == 60
    assert found["score"] == (found["wins"] + found["draws"] / 2) / 60
    low, high = found["interval"]
    assert 0 <= low <= found["score"] <= high <= 1
    assert (found["simulations"], found["iteration"], found["game"]) == (4, 6, "tic_tac_toe")
    for name in ("wins", "draws", "losses"):
        assert found["moving_first"][name] + found["moving_second"][name] == found[name]
    assert found["wins"] == 0


@pytest.fixture
def matches(monkeypatch):
    """Returns a list of the requested matches; none is played."""
    asked = []

    def play_match(game, player_a, player_b, settings, on_game):
        asked.append((game.name, *dataclasses.astuple(settings)))
        rewards = [np.repeat([1, 0, -1], counts) for counts in ((11, 5, 0), (5, 4, 7))]
        return MatchResult(np.stack(rewards, axis=1).astype(np.int8))

    monkeypatch.setattr("azjax.cli.evaluate.play_match", play_match)
    return asked


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--opponent mcts:simulations=2", ("tic_tac_toe", 1000, 0, 0)),
        ("--opponent RUN@2:simulations=0", ("tic_tac_toe", 1000, 2, 0)),
        ("--games 6 --opening-moves 4 --seed 9", ("tic_tac_toe", 6, 4, 9)),
    ],
)
def test_evaluate_plays_the_requested_match(azjax, trained, matches, options, expected):
    words = options.replace("RUN", str(trained)).split()
    assert azjax("evaluate", trained, *words, "--simulations", "4").code == 0
    assert matches.pop() == (*expected, 2)


def test_an_agent_is_named_by_its_iteration_or_as_the_best(train, tmp_path, monkeypatch):
    """The other shares of an accuracy are the lower, the higher that of validation is."""
    # The first one is of the initial network.
    shares, folder = iter([0.0, 0.1, 0.9, 0.2, 0.3, 0.4, 0.5]), tmp_path / "run"

    def check(variables):
        share = next(shares)
        return make_accuracy(4520, 1 - share, 1 - share, halves=(share, 1 - share))

    with monkeypatch.context() as patch:
        patch.setattr("azjax.runs.session.AccuracyCheck", lambda *_: check)
        assert train(folder, "--iterations", "12").code == 0
    assert checkpoints(folder) == [4, 8, 10, 12]
    for suffix, iteration in (("", 12), ("@newest", 12), ("@best", 4), ("@10", 10), ("@2", 2)):
        agent = load_agent(f"{folder}{suffix}", simulations=2)
        assert (agent.iteration, agent.was_chosen) == (iteration, suffix == "@best")
