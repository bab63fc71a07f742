"""The configuration of a run: what it refuses, and the search of evaluations."""

import dataclasses

import pytest

from azjax.config.presets import get_preset
from azjax.config.run_config import RunConfig
from azjax.config.stored_config import read_config, store_config
from azjax.search import PUCT, Gumbel
from azjax.training import GrowingWindow, TrainConfig


@pytest.mark.parametrize("value", [0.5, 256.0])
def test_a_growing_window_begins_within_replay(value):
    config = TrainConfig(parts=(GrowingWindow(min_moves=value),))
    message = f"growing_window.min_moves={value}: must be from 1 to below replay_moves=256"
    with pytest.raises(ValueError, match=message):
        RunConfig(config)


def test_a_configuration_can_be_evaluated_by_the_search_of_another():
    search = PUCT(num_simulations=4, sampled_actions=2, c_puct=3.0)
    ours = RunConfig(TrainConfig(search=search))
    search = Gumbel(rescale_values=False, proven_values=True, value_scale=0.4)
    other = RunConfig(TrainConfig(search=search), evaluation_simulations=8)
    assert ours.evaluation_search == dataclasses.replace(ours.train.search, num_simulations=32)
    evaluated = ours.evaluated_as(other)
    assert evaluated.evaluation_search == dataclasses.replace(search, num_simulations=8)
    assert evaluated.train == ours.train
    assert evaluated.evaluated_as(evaluated) == evaluated
    assert read_config(store_config(evaluated)) == evaluated


def test_a_learnt_model_is_evaluated_without_the_proven_values_of_another_configuration():
    muzero = get_preset("tic_tac_toe_muzero").config
    search = Gumbel(rescale_values=False, proven_values=True)
    found = muzero.evaluated_as(RunConfig(TrainConfig(search=search))).evaluation_search
    assert found == dataclasses.replace(search, proven_values=False)
