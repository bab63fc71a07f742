"""`azjax evaluate` of players without a network: how the games begin."""

import numpy as np
import pytest

from azjax.evaluation import MatchResult


@pytest.fixture
def matches(monkeypatch):
    """Plays no match: one game of two is won, and the other lost."""
    result = MatchResult(np.array([[1, -1]], np.int8))
    monkeypatch.setattr("azjax.cli.evaluate.play_match", lambda *arguments: result)


@pytest.mark.usefixtures("matches")
@pytest.mark.parametrize(
    ("options", "beginning"),
    [
        (["--opening-moves", "4"], "each pair of games begins with 4 random moves\n"),
        (["--opening-moves", "1"], "each pair of games begins with 1 random move\n"),
        ([], None),
    ],
)
def test_random_moves_at_the_start_are_said(azjax, options, beginning):
    result = azjax("evaluate", "tactical", "--game", "tic_tac_toe", "--games", "2", *options)
    assert (result.code, result.err) == (0, "")
    assert (beginning or "score 50.00%") in result.out
    assert ("each pair" in result.out) == (beginning is not None)
