"""Solved positions: moves that end the game at once, and the scores of the shortest games."""

import jax
import numpy as np
import pytest

from .othello_reference import Othello
from .solved_file import SolvedRecords

SHORTEST = 8  # empty cells: seconds of plain minimax


@pytest.fixture(scope="module")
def connect_four():
    solved = SolvedRecords("connect_four")
    assert solved.replayed_legally.all()
    return solved


def after_each_action(solved, states):
    """Yields for each action the states after it."""
    step = jax.jit(jax.vmap(solved.game.step))
    for action in range(solved.game.num_actions):
        yield action, jax.device_get(step(states, np.full(len(solved.rows), action, np.int32)))


def wins_for_mover(before, after):
    return np.asarray(after.rewards)[np.arange(len(before.rewards)), before.current_player] == 1


def test_a_connect_four_move_wins_or_is_refuted_at_once_exactly_by_its_score(connect_four):
    marks = [row["scores"].replace("x", "99").split() for row in connect_four.rows]
    scores, stones = np.array(marks, int), np.array([len(x) for x in connect_four.records])
    num_refuted = 0
    for action, after in after_each_action(connect_four, connect_four.states):
        legal, score = connect_four.legal[:, action], scores[:, action]
        np.testing.assert_array_equal(legal, score != 99)
        wins = legal & wins_for_mover(connect_four.states, after)
        np.testing.assert_array_equal(wins, legal & (score == (43 - stones) // 2))
        replies = [wins_for_mover(after, x) for _, x in after_each_action(connect_four, after)]
        refuted = legal & np.any(replies, axis=0) & ~after.terminated
        np.testing.assert_array_equal(refuted, legal & (score == -((42 - stones) // 2)))
        num_refuted += refuted.sum()
    assert num_refuted > 300


@pytest.mark.slow
def test_scores_of_the_shortest_games_of_othello_are_those_of_a_plain_minimax():
    solved, rules = SolvedRecords("othello_6"), Othello(6)
    planes = (
        np.asarray(jax.vmap(solved.game.observe)(solved.states)).reshape(-1, 36, 2).astype(bool)
    )
    are_short = (~planes.any(-1)).sum(-1) == SHORTEST
    assert are_short.sum() == 72
    for row in np.flatnonzero(are_short)[::6]:
        mine, theirs = (rules.mask(np.flatnonzero(plane)) for plane in planes[row].T)
        after = rules.moves(mine, theirs)
        scores = (entry.split(":") for entry in solved.rows[row]["scores"].split())
        assert {cell: -rules.lead(*position) for cell, position in after.items()} == {
            int(cell): int(score) for cell, score in scores
        }
