"""Solved positions of 6x6 Othello: legal moves, and the scores of the shortest games."""

import jax
import numpy as np
import pytest

from .othello_reference import Othello
from .solved_file import SolvedRecords

SHORTEST = 8  # empty cells: seconds of plain minimax


class SolvedFile(SolvedRecords):
    """A file with the scores of legal actions."""

    def __init__(self, name, game):
        super().__init__(name, game)
        self.scores = [
            dict(tuple(map(int, entry.split(":"))) for entry in row["scores"].split())
            for row in self.rows
        ]
        planes = np.asarray(jax.vmap(self.game.observe)(self.states))
        self.planes = planes.reshape(-1, 36, 2).astype(bool)


@pytest.fixture(scope="module")
def solved():
    return SolvedFile("othello_6", "othello_6")


def test_every_row_is_there_once(solved):
    assert len(solved.records) == len(set(map(tuple, solved.records))) == 500


def test_every_record_replays_legally_to_an_unfinished_game(solved):
    assert solved.replayed_legally.all()
    assert not solved.states.terminated.any()
    np.testing.assert_array_equal(
        solved.states.current_player, [len(r) % 2 for r in solved.records]
    )
    discs = [4 + sum(action < 36 for action in record) for record in solved.records]
    np.testing.assert_array_equal(solved.planes.sum((1, 2)), discs)


def test_exactly_the_cells_with_a_score_are_legal(solved):
    for legal, scores in zip(solved.legal, solved.scores, strict=True):
        assert np.flatnonzero(legal).tolist() == sorted(scores)


@pytest.mark.slow
def test_scores_of_the_shortest_games_are_those_of_a_plain_minimax(solved):
    rules = Othello(6)
    are_short = (~solved.planes.any(-1)).sum(-1) == SHORTEST
    assert are_short.sum() == 72
    for row in np.flatnonzero(are_short):
        mine, theirs = (rules.mask(np.flatnonzero(plane)) for plane in solved.planes[row].T)
        after = rules.moves(mine, theirs)
        assert {cell: -rules.lead(*position) for cell, position in after.items()} == (
            solved.scores[row]
        )
