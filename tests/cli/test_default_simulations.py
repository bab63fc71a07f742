"""The simulations of a search where neither a player's name nor an option gives them."""

import pytest
from command_line import assert_one_line

from azjax.support.errors import InputError

AGENT = "connect_four"


@pytest.fixture(autouse=True)
def told(monkeypatch):
    """Makes every player that would be loaded an error that tells its simulations."""

    def refuse_agent(name, simulations, search=None):
        raise InputError(f"{name} with {'its own' if simulations is None else simulations}")

    def refuse_mcts(game, config):
        raise InputError(f"mcts with {config.num_simulations} simulations")

    monkeypatch.setattr("azjax.agents.player_spec.load_agent", refuse_agent)
    monkeypatch.setattr("azjax.cli.accuracy.load_agent", refuse_agent)
    monkeypatch.setattr("azjax.agents.player_spec.mcts_player", refuse_mcts)


@pytest.mark.parametrize("command", ["evaluate", "tournament", "play", "accuracy"])
def test_commands_leave_the_simulations_to_the_agent(azjax, command):
    assert_one_line(azjax(command, AGENT), 2, f"{AGENT} with its own")
    assert_one_line(azjax(command, AGENT, "--simulations", "7"), 2, f"{AGENT} with 7")


@pytest.mark.parametrize("command", ["evaluate", "play"])
def test_mcts_has_200_simulations(azjax, command):
    result = azjax(command, "mcts", "--game", AGENT)
    assert_one_line(result, 2, "mcts with 200 simulations")
