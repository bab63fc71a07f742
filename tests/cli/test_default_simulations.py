"""The simulations of a search where neither a player's name nor an option gives them."""

import pytest
from command_line import assert_one_line

import azjax as python_face
from azjax.support.errors import InputError

START = "......./......./......./......./......./....... X"
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


OF_ANY_PLAYER = [("evaluate",), ("tournament",), ("play",), ("search", START), ("gtp",)]


@pytest.mark.parametrize("words", [*OF_ANY_PLAYER, ("accuracy",)], ids=lambda words: words[0])
def test_every_command_leaves_the_simulations_to_the_agent(azjax, words):
    command = (words[0], AGENT, *words[1:])
    assert_one_line(azjax(*command), 2, f"{AGENT} with its own")
    assert_one_line(azjax(*command, "--simulations", "7"), 2, f"{AGENT} with 7")


@pytest.mark.parametrize("words", OF_ANY_PLAYER, ids=lambda words: words[0])
def test_every_command_has_200_simulations_for_mcts(azjax, words):
    result = azjax(words[0], "mcts", *words[1:], "--game", AGENT)
    assert_one_line(result, 2, "mcts with 200 simulations")


def test_a_match_in_python_leaves_them_to_the_agent_too():
    with pytest.raises(InputError, match=f"^{AGENT} with its own$"):
        python_face.evaluate(AGENT, "random")
