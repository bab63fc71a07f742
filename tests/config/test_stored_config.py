"""Configurations of older versions mean what they meant when they were written."""

import copy

import pytest

from azjax.agents.agent import agent_config
from azjax.agents.agent_file import shipped_agents
from azjax.config.run_config import RunConfig, to_dict
from azjax.config.stored_config import read_config
from azjax.training import Hyperparameters


def stored():
    return copy.deepcopy(to_dict(RunConfig()))


def test_what_is_stored_is_read_again():
    assert read_config(stored()) == RunConfig()


def test_the_argument_is_not_changed():
    table = stored()
    del table["train"]["search"]["rescale_values"]
    before = copy.deepcopy(table)
    read_config(table)
    assert table == before


def test_a_run_without_evaluation_hparams_is_evaluated_by_its_own():
    table = stored()
    del table["evaluation_hparams"]
    assert read_config(table).evaluation_hparams is None


def test_fields_that_no_longer_exist_are_dropped():
    table = stored()
    table["hparams"] |= {"warmup_updates": 400.0, "decay_updates": 8000.0}
    assert read_config(table) == RunConfig()


@pytest.mark.parametrize("name", sorted(shipped_agents()))
def test_a_new_default_does_not_change_an_old_agent(name, monkeypatch):
    """Each default is changed: none may show in an agent that was stored before."""
    before = agent_config(name)
    changed = {"learning_rate": 0.5, "warmup_share": 0.5, "temperature": 0.5, "weight_decay": 0.5}
    new = Hyperparameters.__new__.__defaults__
    fields = Hyperparameters._fields
    defaults = tuple(changed.get(field, old) for field, old in zip(fields, new, strict=True))
    monkeypatch.setattr(Hyperparameters.__new__, "__defaults__", defaults)
    monkeypatch.setattr(
        Hyperparameters, "_field_defaults", dict(zip(fields, defaults, strict=True))
    )
    assert Hyperparameters().temperature == 0.5
    assert agent_config(name) == before


def test_a_field_without_the_value_of_older_versions_is_not_guessed():
    table = stored()
    del table["train"]["num_games"]
    with pytest.raises(ValueError, match=r"field 'train\.num_games' is missing"):
        read_config(table)


@pytest.mark.parametrize("table", [{}, [], {"train": 3, "hparams": {}}, {"train": {"search": []}}])
def test_what_is_no_configuration_is_refused(table):
    with pytest.raises(ValueError, match="configuration"):
        read_config(table)
