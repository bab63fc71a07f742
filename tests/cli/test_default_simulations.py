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
        raise InputError(f"{name} with {simulations} simulations")

    def refuse_mcts(game, config, hyperparameters):
        raise InputError(f"mcts with {config.num_simulations} simulations")

    monkeypatch.setattr("azjax.agents.player_spec.load_agent", refuse_agent)
    monkeypatch.setattr("azjax.cli.accuracy.load_agent", refuse_agent)
    monkeypatch.setattr("azjax.agents.player_spec.mcts_player", refuse_mcts)


@pytest.mark.parametrize(
    ("command", "position", "simulations"),
    [
        ("evaluate", (), 32),
        ("tournament", (), 32),
        ("accuracy", (), 32),
        ("play", (), 64),
        ("search", (START,), 64),
        ("gtp", (), 64),
    ],
)
def test_a_command_has_simulations_of_its_own_for_an_agent(azjax, command, position, simulations):
    result = azjax(command, AGENT, *position)
    assert_one_line(result, 2, f"{AGENT} with {simulations} simulations")


@pytest.mark.parametrize(
    ("command", "position"),
    [("evaluate", ()), ("tournament", ()), ("play", ()), ("search", (START,)), ("gtp", ())],
)
def test_every_command_has_200_simulations_for_mcts(azjax, command, position):
    result = azjax(command, "mcts", *position, "--game", AGENT)
    assert_one_line(result, 2, "mcts with 200 simulations")


def test_a_match_in_python_has_as_many_as_the_command():
    with pytest.raises(InputError, match=f"^{AGENT} with 32 simulations$"):
        python_face.evaluate(AGENT, "random")
