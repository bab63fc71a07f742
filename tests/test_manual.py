"""The game and the network in the researcher's manual work as they are printed."""

import importlib
import pathlib
import re
import sys

import jax
import jax.numpy as jnp
import pytest

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
    pattern = r"Save this one as `wide.py`:\n\n```python\n(.*?)```"
    [text] = re.findall(pattern, MANUAL.read_text(), re.DOTALL)
    (tmp_path / "wide_of_the_manual.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("wide_of_the_manual")
    del sys.modules["wide_of_the_manual"]
    network = make_network(NetworkConfig("wide", channels=8), (3, 3, 2), 9)
    logits, values = network.apply(network.init(jax.random.key(0)), jnp.ones((2, 3, 3, 2)))
    assert (logits.shape, values.shape) == ((2, 9), (2,))
