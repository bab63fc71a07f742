import shutil

import pytest

from azjax.agents.agent_file import shipped_agents
from azjax.page.analysis.players import full_name, load_page_player
from azjax.support.errors import InputError

from ..made_runs import add_plugin, make_run


def test_simulations_and_search_are_those_of_the_name_or_else_those_given(tmp_path):
    def load(name):
        return load_page_player(tmp_path, full_name(name, 30, "puct"), "tic_tac_toe").search

    assert (load("mcts").num_simulations, load("mcts").algorithm) == (30, "puct")
    named = load("mcts:simulations=7,search=uct")
    assert (named.num_simulations, named.algorithm) == (7, "uct")
    assert load("random") is None


def test_equal_players_have_equal_full_names():
    assert full_name("connect_four") == full_name("connect_four", 64)
    assert full_name("connect_four") == full_name("connect_four:simulations=64")
    assert full_name("mcts:search=puct", 30) == full_name("mcts:simulations=30", None, "puct")
    assert full_name("mcts") != full_name("mcts", 64)
    assert full_name("minimax:depth=2", 30, "puct") == "minimax:depth=2"


def test_a_shipped_agent_brings_its_game(tmp_path):
    player = load_page_player(tmp_path, full_name("mnk_6_6_4", 5))
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
        load_page_player(tmp_path, full_name(name), game)


def test_messages_do_not_tell_paths_of_this_machine(tmp_path):
    with pytest.raises(InputError) as refused:
        load_page_player(tmp_path, "runs/nothing")
    assert str(tmp_path) not in str(refused.value)


def test_an_agent_file_may_have_an_at_in_its_name(tmp_path):
    shutil.copy(shipped_agents()["mnk_6_6_4"], tmp_path / "mnk@home.npz")
    player = load_page_player(tmp_path, full_name("runs/mnk@home.npz", 5))
    assert player.game.name == "mnk_6_6_4"


@pytest.mark.parametrize("name", ["one", "one@0", "one@best", "odd@name"])
def test_no_plugin_of_a_run_is_imported(tmp_path, name):
    for folder in ("one", "odd@name"):
        add_plugin(make_run(tmp_path / folder), "own_game")
    with pytest.raises(InputError, match="start azjax serve --plugin own_game"):
        load_page_player(tmp_path, f"runs/{name}")
