"""Solved positions of Quixo: legal moves, ends of games, and the moves that keep the value."""

import functools

import jax
import numpy as np
import pytest

from azjax.games import make

from .solved_file import VALUES, read_rows

ROWS = {"quixo_3": 5082, "quixo_3_terminal": 2976, "quixo_4": 2000}


class SolvedFile:
    """A file's positions, X to move in all of them, and their values from the mover's view."""

    def __init__(self, name):
        self.name, self.game = name, make(name.removesuffix("_terminal"))
        rows = read_rows(name)
        self.boards = [row["board"] for row in rows]
        self.values = np.array([VALUES[row["value"]] for row in rows])
        self.listed = np.zeros((len(rows), self.game.num_actions), bool)
        for listed, row in zip(self.listed, rows, strict=True):
            listed[self.game.parse_moves(row["actions"])] = True
        self.states = jax.tree.map(lambda *x: np.stack(x), *map(self._parse, self.boards))
        self.step = jax.jit(jax.vmap(self.game.step))
        self.observe = jax.jit(jax.vmap(self.game.observe))
        self.legal = np.asarray(jax.vmap(self.game.legal_action_mask)(self.states))

    def _parse(self, board):
        size = self.game.size
        rows = (board[i : i + size] for i in range(0, size**2, size))
        return self.game.parse_state(f"{'/'.join(rows)} X")

    def after(self, action, states=None):
        """Returns the states after one action in each of `states`, by default the file's."""
        actions = np.full(len(self.boards), action, np.int32)
        return jax.device_get(self.step(self.states if states is None else states, actions))

    def classes(self, states):
        """Returns [N]: a number for each class of positions that are equal up to symmetry."""
        observations = np.asarray(self.observe(states)).astype(int)
        cells = (observations @ [1, 2]).reshape(len(observations), -1)
        seen = cells[:, self.game.symmetries.cells]  # [N, S, cells]
        return (seen @ 3 ** np.arange(cells.shape[1])).min(axis=1)


read = functools.cache(SolvedFile)


@pytest.fixture(params=ROWS)
def solved(request):
    return read(request.param)


@pytest.fixture(params=["quixo_3", "quixo_4"])
def unfinished(request):
    return read(request.param)


def result_for_mover(before, after):
    return after.rewards[np.arange(len(after.rewards)), before.current_player]


def test_every_row_is_there_once(solved):
    assert len(solved.boards) == len(set(solved.boards)) == ROWS[solved.name]


def test_a_position_is_over_exactly_where_the_file_is_of_finished_ones(solved):
    assert (solved.states.terminated == solved.name.endswith("_terminal")).all()
    np.testing.assert_array_equal(solved.legal.any(-1), ~solved.states.terminated)


def test_who_has_a_line_in_a_finished_position_has_won():
    finished = read("quixo_3_terminal")
    np.testing.assert_array_equal(finished.states.rewards[:, 0], finished.values)
    np.testing.assert_array_equal(finished.states.rewards[:, 1], -finished.values)


def test_listed_actions_are_legal_and_in_a_lost_position_all_that_are(unfinished):
    assert unfinished.listed.any(-1).all()
    assert not (unfinished.listed & ~unfinished.legal).any()
    lost = unfinished.values == -1
    np.testing.assert_array_equal(unfinished.listed[lost], unfinished.legal[lost])


def test_an_action_that_ends_the_game_is_listed_exactly_where_it_keeps_the_value(unfinished):
    endings = 0
    for action in range(unfinished.game.num_actions):
        after = unfinished.after(action)
        ends = unfinished.legal[:, action] & after.terminated
        keeps = result_for_mover(unfinished.states, after) == unfinished.values
        np.testing.assert_array_equal(unfinished.listed[ends, action], keeps[ends])
        endings += ends.sum()
    assert endings > 1000


def test_no_listed_action_lets_the_opponent_win_at_once_unless_all_moves_lose(unfinished):
    lets = 0
    for action in range(unfinished.game.num_actions):
        after = unfinished.after(action)
        wins_back = np.zeros(len(unfinished.boards), bool)
        for reply in range(unfinished.game.num_actions):
            ended = unfinished.after(reply, after)
            wins_back |= ~after.terminated & (result_for_mover(after, ended) == 1)
        refuted = unfinished.legal[:, action] & wins_back
        assert (unfinished.values[refuted & unfinished.listed[:, action]] == -1).all()
        lets += refuted.sum()
    assert lets > 1000


def test_listed_actions_are_exactly_those_that_keep_the_value_by_one_step_of_lookup():
    """Half of the classes of positions are in the files, so about half of the moves are tested."""
    unfinished, finished = read("quixo_3"), read("quixo_3_terminal")
    known = {
        position: value
        for file in (unfinished, finished)
        for position, value in zip(file.classes(file.states), file.values, strict=True)
    }
    looked_up = 0
    for action in range(unfinished.game.num_actions):
        children = unfinished.classes(unfinished.after(action)).tolist()
        for row in np.flatnonzero(unfinished.legal[:, action]):
            if children[row] in known:
                value = -known[children[row]]
                assert value <= unfinished.values[row]
                assert (value == unfinished.values[row]) == unfinished.listed[row, action]
                looked_up += 1
    assert looked_up > 0.4 * unfinished.legal.sum()
