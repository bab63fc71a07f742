import pytest

from azjax.page.analysis.players import load_page_player
from azjax.support.errors import InputError


def test_simulations_and_search_are_those_of_the_name_or_else_those_given(tmp_path):
    load = load_page_player
    given = load(tmp_path, "mcts", "tic_tac_toe", 30, "puct").search
    assert (given.num_simulations, given.algorithm) == (30, "puct")
    named = load(tmp_path, "mcts:simulations=7,search=uct", "tic_tac_toe", 30, "puct").search
    assert (named.num_simulations, named.algorithm) == (7, "uct")
    assert load(tmp_path, "random", "tic_tac_toe", 30, "puct").search is None


def test_a_shipped_agent_brings_its_game(tmp_path):
    player = load_page_player(tmp_path, "mnk_6_6_4", simulations=5)
    assert (player.game.name, player.search.num_simulations) == ("mnk_6_6_4", 5)


@pytest.mark.parametrize(
    ("name", "game", "message"),
    [
        ("gtp:gnugo --mode gtp", "go_9", "no player 'gtp'"),
        ("/etc/passwd", "hex", "no player '/etc/passwd'"),
        ("runs/../secret", "hex", "no name below the folder of runs"),
        ("runs/nothing", "hex", "runs/nothing"),
        ("mcts:simulations=10001", "hex", "at most 10,000 simulations"),
        ("mcts:seconds=1", "hex", "leave out seconds"),
        ("minimax:depth=4", "gomoku_9", "so at most 3"),
        ("minimax", "hex", "too large to be solved"),
    ],
)
def test_what_leads_elsewhere_or_takes_too_long_is_refused(tmp_path, name, game, message):
    with pytest.raises(InputError, match=message):
        load_page_player(tmp_path, name, game)


def test_messages_do_not_tell_paths_of_this_machine(tmp_path):
    with pytest.raises(InputError) as refused:
        load_page_player(tmp_path, "runs/nothing")
    assert str(tmp_path) not in str(refused.value)
