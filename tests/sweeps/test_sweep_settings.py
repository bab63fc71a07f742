"""The settings that a sweep records, and those of an older version."""

import dataclasses

import pytest

from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.sweeps.search_space_file import make_space
from azjax.sweeps.sweep import Sweep, upgrade_settings


@pytest.fixture(scope="module")
def rating():
    space = make_space(get_preset("tic_tac_toe").config, None)
    return Sweep("tic_tac_toe", space, "rating", "random", None, Limits(1.0), seed=0)


@pytest.mark.parametrize(
    ("opponent", "on_engine_error"), [("random", None), ("gtp:engine", "stop"), ("perfect", "stop")]
)
def test_an_engine_stopped_a_sweep_of_an_older_version(rating, opponent, on_engine_error):
    sweep = dataclasses.replace(rating, opponent=opponent, on_engine_error=on_engine_error)
    older = sweep.describe()
    del older["engine_seconds"], older["on_engine_error"]
    assert upgrade_settings(older) == sweep.describe()


def test_settings_of_an_engine_that_are_recorded_stay(rating):
    changes = {"opponent": "gtp:engine", "engine_seconds": 5, "on_engine_error": "forfeit"}
    described = dataclasses.replace(rating, **changes).describe()
    assert upgrade_settings(described) == described
