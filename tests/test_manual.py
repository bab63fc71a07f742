"""The game, the search, the network and the algorithm of the manual work as they are printed."""

import importlib
import pathlib
import re
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from azjax.search.registry import get_search
from search.searching import (
    EvaluationParams,
    Searcher,
    legal_actions,
    random_positions,
    states_at,
    walk,
)

import azjax
from azjax.networks import NetworkConfig, make_network
from azjax.training import TrainConfig, alphazero, get_algorithm

MANUAL = pathlib.Path(__file__).parents[1] / "experiments" / "README.md"


@pytest.mark.usefixtures("registrations")
def test_the_game_of_the_manual_obeys_the_laws_and_is_solved(tmp_path, monkeypatch):
    [text] = re.findall(r"```python\n(\"\"\"Players add.*?)```", MANUAL.read_text(), re.DOTALL)
    (tmp_path / "race_of_the_manual.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    race = importlib.import_module("race_of_the_manual")
    with jax.numpy_rank_promotion("allow"):
        report = azjax.check_game(azjax.make("race"))
    del sys.modules["race_of_the_manual"]
    assert report.warnings == ()
    assert report.max_positions == 22
    assert race.Race(target=5).max_moves == 5


def import_saved(words, name, folder, monkeypatch):
    """Returns the module of the program that the manual lets a reader save with these words."""
    [text] = re.findall(rf"{words}:\n\n```python\n(.*?)```", MANUAL.read_text(), re.DOTALL)
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    module = importlib.import_module(name)
    del sys.modules[name]
    return module


@pytest.mark.usefixtures("registrations")
def test_the_search_of_the_manual_selects_legal_moves(tmp_path, monkeypatch):
    mine = import_saved(r"Save it as `mine.py`", "mine_of_the_manual", tmp_path, monkeypatch)
    assert get_search("mine") is mine.my_search
    game, states = azjax.make("tic_tac_toe"), random_positions("tic_tac_toe")
    find = Searcher(game, "mine", num_simulations=64)
    params = EvaluationParams(variation=0.9, illegal_bonus=1000.0)
    legal = legal_actions(game, states)
    for c_puct in (1.25, 0.0):  # without the bonus, priors exclude no action
        result = find(states, params, c_puct=c_puct)
        assert legal[np.arange(len(legal)), result.action].all()
        assert (result.action_weights[~legal] == 0).all()
        edges = walk(result.tree)
        parents = states_at(result.tree, edges.tree, edges.parent)
        assert legal_actions(game, parents)[np.arange(len(edges.action)), edges.action].all()
        assert (edges.parent > 0).sum() > 50  # below the roots


@pytest.mark.usefixtures("registrations")
def test_the_algorithm_of_the_manual_is_registered_and_changes_the_loss():
    pattern = r"```python\n(import dataclasses\nimport azjax\n.*?)```"
    [text] = re.findall(pattern, MANUAL.read_text(), re.DOTALL)
    exec(compile(text, "manual", "exec"), {"__name__": "algorithm_of_the_manual"})
    own = get_algorithm(TrainConfig(algorithm="doubled").algorithm)
    assert own.options == alphazero.options
    assert own.loss is not alphazero.loss


@pytest.mark.usefixtures("registrations")
def test_the_network_of_the_manual_is_registered_and_has_outputs(tmp_path, monkeypatch):
    import_saved(r"Save this one as `wide.py`", "wide_of_the_manual", tmp_path, monkeypatch)
    network = make_network(NetworkConfig("wide", channels=8), (3, 3, 2), 9)
    logits, values = network.apply(network.init(jax.random.key(0)), jnp.ones((2, 3, 3, 2)))
    assert (logits.shape, values.shape) == ((2, 9), (2,))
