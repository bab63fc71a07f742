"""Solved positions: each replays legally, and values agree with a search of one or two plies."""

import jax
import numpy as np
import pytest

from .solved_file import SolvedRecords

GAMES = {
    "connect_four": "connect_four",
    "connect_four_strong_play": "connect_four",
    "mnk_6_6_4": "mnk_6_6_4",
}
WITH_WINS_AT_ONCE = {"connect_four_strong_play"}  # the other files leave such positions out
ROWS = {"connect_four": 1000, "connect_four_strong_play": 945, "mnk_6_6_4": 400}


class SolvedFile(SolvedRecords):
    """A file with the values of all actions."""

    def __init__(self, name):
        super().__init__(name, GAMES[name])
        self.stones = np.array([len(record) for record in self.records])
        self.values = np.array([row["values"].split() for row in self.rows])
        self.step = jax.jit(jax.vmap(self.game.step))

    def after_each_action(self):
        """Returns for each action the states after it and where it was legal."""
        for action in range(self.game.num_actions):
            actions = np.full(len(self.rows), action, np.int32)
            yield action, self.step(self.states, actions), self.legal[:, action]


@pytest.fixture(scope="module", params=list(GAMES))
def solved(request):
    return SolvedFile(request.param)


@pytest.fixture(scope="module")
def connect_four():
    return SolvedFile("connect_four")


def wins_for_mover(before, after):
    return np.asarray(after.rewards)[np.arange(len(before.rewards)), before.current_player] == 1


def test_every_row_is_there_once(solved):
    assert len(solved.rows) == ROWS[solved.name]
    assert len({row["moves"] for row in solved.rows}) == len(solved.rows)


def test_every_record_replays_legally_to_an_unfinished_game(solved):
    assert solved.replayed_legally.all()
    assert not solved.states.terminated.any()
    np.testing.assert_array_equal((solved.states.board >= 0).sum((1, 2)), solved.stones)
    np.testing.assert_array_equal(solved.states.current_player, solved.stones % 2)


def test_values_are_x_exactly_where_an_action_is_illegal(solved):
    np.testing.assert_array_equal(solved.values == "x", ~solved.legal)


def test_a_move_that_wins_at_once_has_the_value_of_a_win(solved):
    num_wins = 0
    for action, after, legal in solved.after_each_action():
        wins = legal & wins_for_mover(solved.states, after)
        assert (solved.values[wins, action] == "w").all()
        num_wins += wins.sum()
    assert (num_wins > 0) == (solved.name in WITH_WINS_AT_ONCE)


def test_a_move_that_lets_the_opponent_win_at_once_has_the_value_of_a_loss(solved):
    lets = 0
    for action, after, legal in solved.after_each_action():
        for reply in range(solved.game.num_actions):
            ended = solved.step(after, np.full(len(solved.rows), reply, np.int32))
            can = legal & np.asarray(solved.mask(after))[:, reply] & wins_for_mover(after, ended)
            assert (solved.values[can, action] == "l").all()
            lets += can.sum()
    assert lets > 0


def scores(solved):
    """Returns [rows, columns] int, 99 for illegal actions."""
    marks = [row["scores"].replace("x", "99").split() for row in solved.rows]
    return np.array(marks, int)


def test_a_connect_four_move_wins_at_once_exactly_by_its_score(connect_four):
    winning_score = (43 - connect_four.stones) // 2
    for action, after, legal in connect_four.after_each_action():
        expected = legal & (scores(connect_four)[:, action] == winning_score)
        np.testing.assert_array_equal(legal & wins_for_mover(connect_four.states, after), expected)


def test_a_connect_four_move_is_refuted_at_once_exactly_by_its_score(connect_four):
    losing_score = -((43 - (connect_four.stones + 1)) // 2)
    refuted_moves = 0
    for action, after, legal in connect_four.after_each_action():
        refuted = np.zeros(len(legal), bool)
        for reply in range(7):
            ended = connect_four.step(after, np.full(len(legal), reply, np.int32))
            refuted |= wins_for_mover(after, ended) & ~np.asarray(after.terminated)
        expected = legal & (scores(connect_four)[:, action] == losing_score)
        np.testing.assert_array_equal(legal & refuted, expected)
        refuted_moves += expected.sum()
    assert refuted_moves > 300


def test_no_mnk_position_can_be_won_at_once():
    solved = SolvedFile("mnk_6_6_4")
    for _, after, legal in solved.after_each_action():
        assert not (legal & np.asarray(after.terminated)).any()


def test_the_values_of_connect_four_are_the_signs_of_its_scores(connect_four):
    signs = np.array(["l", "d", "w"])[np.sign(scores(connect_four)) + 1]
    played = connect_four.legal
    np.testing.assert_array_equal(connect_four.values[played], signs[played])
