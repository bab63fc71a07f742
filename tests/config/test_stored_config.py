"""Configurations of older versions mean what they meant when they were written."""

import copy
import json
import pathlib

import pytest

from azjax.agents.agent import agent_config
from azjax.agents.agent_file import shipped_agents
from azjax.config.stored_values import to_dict
from azjax.config.run_config import RunConfig
from azjax.config.stored_config import read_config, upgrade
from azjax.networks import NetworkConfig
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.training import Hyperparameters, TrainConfig

DATA = pathlib.Path(__file__).parents[1] / "data"
FIRST = json.loads((DATA / "config_of_the_first_files.json").read_text())


def stored():
    return copy.deepcopy(to_dict(RunConfig()))


def test_a_hyperparameter_that_the_algorithm_does_not_have_is_not_read():
    """Older versions let it be set, to no effect."""
    table = stored()
    table["hparams"]["entropy_weight"] = 0.2
    assert read_config(table) == RunConfig()
    table["hparams"]["entropy_weight"] = "0.2"
    with pytest.raises(ValueError, match=r"^hparams.entropy_weight='0.2': must be of type float"):
        read_config(table)


CONFIGURATIONS = (RunConfig, TrainConfig, NetworkConfig, SearchConfig)
HYPERPARAMETERS = (Hyperparameters, SearchHyperparameters)


@pytest.fixture
def other_defaults(monkeypatch):
    """Gives every field another default: one that no field may have."""
    for constructor in (
        *(configuration.__init__ for configuration in CONFIGURATIONS),
        *(hyperparameters.__new__ for hyperparameters in HYPERPARAMETERS),
    ):
        changed = tuple(object() for _ in constructor.__defaults__)
        monkeypatch.setattr(constructor, "__defaults__", changed)


@pytest.mark.usefixtures("other_defaults")
def test_a_new_default_does_not_change_the_first_files():
    """The file is one of those that hold every field of their version."""
    expected = copy.deepcopy(FIRST)
    for name in ("warmup_updates", "decay_updates"):
        del expected["hparams"][name]
    expected |= {"evaluation_hparams": None, "evaluation_choices": None, "games": None}
    train, hparams = expected["train"], expected["hparams"]
    train["search"] |= {"rescale_values": True, "proven_values": False, "sampled_actions": 0}
    added = {"value_head": "scalar", "auxiliary_heads": (), "global_pooling": False}
    train["network"] |= added
    train |= {"initial_simulations": 0, "fast_simulations": 0, "growing_window": False}
    train |= {"surprise_sampling": False, "weighted_traces": False, "algorithm": "alphazero"}
    train |= {"unroll_steps": 5, "reanalyse_fraction": 0.0, "rounds": 5, "pool_size": 8}
    train |= {"pool_interval": 10, "deterministic": False}
    hparams["search"]["prior_weight"] = 0.9
    hparams |= {"warmup_share": 0.03, "full_search_share": 0.25, "random_move_fraction": 0.0}
    hparams |= {"reply_loss_weight": 0.15, "action_values_loss_weight": 1.0}
    hparams |= {"ownership_loss_weight": 1.0, "surprise_weight": 0.5, "window_min_moves": 32.0}
    hparams |= {"window_growth": 0.4, "window_exponent": 0.75, "consistency_loss_weight": 2.0}
    hparams |= {"result_discount": 0.95, "first_prior_weight": 0.5, "entropy_weight": 0.03}
    assert to_dict(read_config(FIRST)) == expected


@pytest.mark.parametrize("name", sorted(shipped_agents()))
def test_a_new_default_does_not_change_an_old_agent(name, request):
    before = agent_config(name)
    request.getfixturevalue("other_defaults")
    assert agent_config(name) == before


def test_what_files_without_a_new_field_did_is_stated():
    """Fails where a field is added to a configuration without a line in `_ADDED`."""
    without = copy.deepcopy(FIRST)
    without["evaluation_hparams"] = copy.deepcopy(FIRST["hparams"]["search"])
    without["evaluation_choices"] = copy.deepcopy(FIRST["train"]["search"])
    current = to_dict(RunConfig().evaluated_as(RunConfig()))
    assert set(names(upgrade(without))) == set(names(current))


def names(table, path=()):
    for field, value in table.items():
        if isinstance(value, dict):
            yield from names(value, (*path, field))
        else:
            yield (*path, field)


def test_a_field_without_the_value_of_older_versions_is_not_guessed():
    table = stored()
    del table["train"]["num_games"]
    with pytest.raises(ValueError, match=r"field 'train\.num_games' is missing"):
        read_config(table)
