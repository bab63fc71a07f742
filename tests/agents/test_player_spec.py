from types import SimpleNamespace

import pytest

from azjax.agents.player_spec import load_player, load_players
from azjax.evaluation import TimedPlayer, search_config
from azjax.search import UCT
from azjax.support.errors import InputError

SMALL = "connect_four:rows=5,columns=6"


def simulations_of(name, game, simulations):
    return search_config(load_player(name, game, simulations).player).num_simulations


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("mcts:c=2", 7, 7),
        ("mcts:simulations=9", 7, 9),
        ("connect_four", None, 64),
        ("connect_four:simulations=9,search=puct", 7, 9),
    ],
)
def test_the_simulations_are_those_of_the_name_then_those_given_then_the_players_own(
    name, given, expected
):
    assert simulations_of(name, "connect_four", given) == expected


def test_the_options_of_a_name_reach_the_search():
    assert search_config(load_player("mcts:c=3", SMALL).player) == UCT(200, c_uct=3.0)
    assert search_config(load_player("mcts:kept=9", SMALL).player) == UCT(200, kept_nodes=9)
    assert search_config(load_player("mcts:search=puct", SMALL).player).name == "puct"
    agent = load_player("connect_four:rollouts=0.5,search=puct", None).player
    assert agent.parameters.rollout_weight == 0.5
    assert agent.act.has_rollouts
    assert search_config(agent).name == "puct"


def test_the_seconds_are_those_of_the_name_then_those_given_unless_it_has_simulations():
    def player_of(name):
        return load_player(name, "connect_four", seconds=0.5).player

    assert player_of("mcts").seconds == 0.5
    assert player_of("connect_four:seconds=2,search=puct").seconds == 2
    assert not isinstance(player_of("mcts:simulations=9"), TimedPlayer)


@pytest.mark.parametrize(
    ("name", "budget", "message"),
    [
        ("mcts", {"simulations": 7, "seconds": 1.0}, "give either --simulations or --seconds"),
        ("random", {"seconds": 1.0}, "random does not search: leave out --seconds"),
        ("mcts:c=3,search=puct", {}, "c=3.0: leave it out, as search puct has no c_uct"),
        ("mcts:seconds=0", {}, "mcts:seconds=0: seconds=0.0: must be above 0, and finite"),
    ],
)
def test_a_wrong_budget_is_refused(name, budget, message):
    with pytest.raises(InputError, match=message):
        load_player(name, "connect_four", **budget)


def test_games_are_the_same_in_whatever_order_their_sizes_are_written(monkeypatch):
    monkeypatch.setattr("azjax.agents.player_spec.is_agent", lambda name: name == "mine")
    monkeypatch.setattr("azjax.agents.player_spec._load_player", lambda name, game, *_: game)
    config = SimpleNamespace(train=SimpleNamespace(game="connect_four:columns=6,rows=5"))
    monkeypatch.setattr("azjax.agents.player_spec.agent_config", lambda name: config)
    assert load_players(["mine"], SMALL, 1)[0].name == SMALL
    with pytest.raises(InputError, match="all must play the same game"):
        load_players(["mine"], "connect_four", 1)


@pytest.mark.parametrize("name", ["hex:size=5", "pgx:chess"])
def test_a_game_is_not_taken_for_a_player(name):
    with pytest.raises(InputError, match=f"^{name} is a game, not a player: .* --game {name}$"):
        load_player(name, None, None)
