"""Overrides of a configuration by the names of the flags."""

import pytest
from azjax.config.overrides import override

from azjax.config.run_config import RunConfig
from azjax.training import Hyperparameters


def test_fields_are_named_as_flags_with_underscores():
    changes = {"num_games": 64, "network.channels": 8, "hparams.learning_rate": 1}
    changes |= {"hparams.search.c_puct": 2.0, "stop_when_perfect": True}
    config = override(RunConfig(), changes)
    assert config.train.num_games == 64
    assert config.train.network.channels == 8
    assert config.hparams.learning_rate == 1.0
    assert config.hparams.search.c_puct == 2.0
    assert config.stop_when_perfect


def test_another_algorithm_has_none_of_the_hyperparameters_that_it_lacks():
    base = RunConfig(hparams=Hyperparameters(temperature=2.0, learning_rate=0.1))
    network = {"network.value_head": "none", "replay_moves": 16, "num_moves": 16}
    found = override(base, {"algorithm": "reinforced_policy", **network}).hparams
    assert found == Hyperparameters(learning_rate=0.1)
    with pytest.raises(ValueError, match=r"^hparams.temperature=3.0: algorithm reinforced_policy"):
        override(base, {"algorithm": "reinforced_policy", "hparams.temperature": 3.0, **network})


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"learning_rate": 1e-3}, "no field is named 'learning_rate'; did you mean 'hparams.lear"),
        ({"train.num_games": 8}, "no field is named 'train.num_games'; did you mean 'num_games'"),
        ({"zzzz": 1}, "no field is named 'zzzz'; `azjax train --help` lists the names"),
        ({"num_games": 0}, "num_games=0: must be at least 1"),
        ({"stop_when_perfect": "no"}, "stop_when_perfect='no': must be of type bool"),
    ],
)
def test_a_wrong_override_is_refused_in_one_line(overrides, message):
    with pytest.raises(ValueError, match=message):
        override(RunConfig(), overrides)
