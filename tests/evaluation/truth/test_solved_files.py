"""Games solved by `azjax.evaluation.solve` and, elsewhere, by other programs."""

import jax
import numpy as np
import pytest
from games.solved_file import VALUES, read_rows

from azjax import games
from azjax.evaluation import solve


def best_actions(solution):
    """Returns [N, A] bool: the actions that keep the position's value, legal ones only."""
    return (solution.children >= 0) & (solution.action_values == solution.value[:, None])


@pytest.fixture(scope="module")
def quixo():
    return games.make("quixo_3")


@pytest.fixture(scope="module")
def boards(quixo):
    """Returns the solution's positions as the mover sees them: X the mover's, O the opponent's."""
    planes = np.asarray(jax.jit(jax.vmap(quixo.observe))(solve(quixo).states)).astype(int)
    symbols = np.array(list(".XO"))[(planes @ [1, 2]).reshape(len(planes), -1)]
    return ["".join(row) for row in symbols]


def test_quixo_3_has_10136_unfinished_positions_and_5885_finished_ones(quixo, boards):
    finished = solve(quixo).states.terminated
    assert len({board for board, over in zip(boards, finished, strict=True) if not over}) == 10136
    assert len({board for board, over in zip(boards, finished, strict=True) if over}) == 5885


def test_quixo_3_is_won_by_the_first_player_and_nowhere_drawn(quixo):
    assert solve(quixo).value[0] == 1
    assert (solve(quixo).value != 0).all()


@pytest.mark.parametrize("name", ["quixo_3", "quixo_3_terminal"])
def test_every_row_of_quixo_has_its_value_and_the_actions_that_keep_it(quixo, boards, name):
    solution, best = solve(quixo), best_actions(solve(quixo))
    index = {board: i for i, board in enumerate(boards)}
    for row in read_rows(name):
        i = index[row["board"]]
        assert solution.value[i] == VALUES[row["value"]]
        assert np.flatnonzero(best[i]).tolist() == sorted(quixo.parse_moves(row["actions"]))


def test_every_row_of_the_coin_game_has_its_value_and_the_takes_that_keep_it():
    game = games.make("coins")
    solution, best = solve(game), best_actions(solve(game))
    rows = {int(row["coins"]): row for row in read_rows("coins_21")}
    assert set(rows) == set(solution.states.coins.tolist()) - {0} == set(range(1, 22))
    for i in np.flatnonzero(~solution.states.terminated):
        row = rows[int(solution.states.coins[i])]
        assert solution.value[i] == VALUES[row["value"]]
        assert np.flatnonzero(best[i]).tolist() == sorted(game.parse_moves(row["best"]))
