import jax
import numpy as np
import pytest

from azjax.evaluation import solve
from azjax.evaluation.truth.solution import keeps_value, plays_best
from azjax.page.analysis.moves_without_search import choose_move
from azjax.page.analysis.players import load_page_player
from azjax.page.analysis.rules import make_rules
from azjax.support.errors import InputError


@pytest.mark.parametrize("name", ["truth", "minimax"])
def test_exact_play_of_a_won_position_shortens_the_game_where_positions_recur(tmp_path, name):
    rules = make_rules("quixo_3")
    player, solution = load_page_player(tmp_path, name, "quixo_3"), solve(rules.game)
    keeps = keeps_value(solution.action_values) & (solution.children >= 0)
    delays = keeps & ~plays_best(solution)
    index = int(delays.sum(axis=1).argmax())
    state = jax.tree.map(lambda x: x[index], solution.states)
    position = rules.parse(rules.game.format_state(state))
    chosen = [choose_move(player, position, seed) for seed in range(10)]
    assert np.flatnonzero(delays[index]).size >= 4
    assert not delays[index, chosen].any()


def test_exact_play_refuses_a_position_that_play_does_not_reach(tmp_path):
    rules = make_rules("coins:coins=5")
    player = load_page_player(tmp_path, "truth", rules.game.name)
    with pytest.raises(InputError, match="no play of coins"):
        choose_move(player, rules.parse("5 O"), 0)
