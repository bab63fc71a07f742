"""Fields of a configuration by their names in flags, presets and overrides."""

import re

import pytest

from azjax.config.fields import describe_dropped, with_fields
from azjax.config.run_config import RunConfig
from azjax.config.stored_config import store_config
from azjax.networks import MLPConfig
from azjax.search import PUCT, UCT, Gumbel
from azjax.support.component import RESERVED
from azjax.training import AdamW, Gating, ReinforcedPolicy, TrainConfig


def test_fields_are_named_as_flags_with_underscores():
    values = {"num_games": 64, "network.channels": 8, "optimizer.learning_rate": 1}
    values |= {"search.name": "puct", "search.c_puct": 2.0, "stop_when_perfect": True}
    values |= {"parts": ["gating"], "gating.games": 4, "evaluation.search.name": "uct"}
    config = with_fields(RunConfig(), values)
    assert config.train.num_games == 64
    assert config.train.network.channels == 8
    assert config.train.optimizer == AdamW(learning_rate=1.0)
    assert config.train.search == PUCT(c_puct=2.0)
    assert config.train.parts == (Gating(games=4),)
    assert config.evaluated_by == UCT()
    assert config.stop_when_perfect


def test_another_component_keeps_the_fields_that_both_have_and_the_others_are_told():
    base = RunConfig(TrainConfig(search=Gumbel(num_simulations=8, value_scale=0.4)))
    config = with_fields(base, {"search.name": "puct"})
    assert config.train.search == PUCT(num_simulations=8)
    message = "left out, as the chosen components have no such fields: search.value_scale"
    assert describe_dropped(base, config) == [message]
    assert describe_dropped(base, base) == []


def test_another_algorithm_has_none_of_the_fields_that_it_lacks():
    train = TrainConfig(network=MLPConfig(), num_moves=16, replay_moves=16)
    values = {"network.value_head": "none", "algorithm.name": "reinforced_policy"}
    values |= {"algorithm.entropy_weight": 0.2}
    config = with_fields(RunConfig(train), values)
    assert config.train.algorithm == ReinforcedPolicy(entropy_weight=0.2)
    with pytest.raises(ValueError, match=r"^algorithm reinforced_policy has no field 'algorithm.t"):
        with_fields(config, {"algorithm.temperature": 3.0})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"learning_rate": 1e-3}, "no field is named 'learning_rate'; did you mean 'optimizer.le"),
        ({"train.num_games": 8}, "no field is named 'train.num_games'; did you mean 'num_games'"),
        ({"zzzz": 1}, "no field is named 'zzzz'; `azjax train PRESET --help` lists the names"),
        ({"num_games": 0}, "num_games=0: must be at least 1"),
        ({"num_games": True}, "num_games=True: must be of type int"),
        ({"stop_when_perfect": "no"}, "stop_when_perfect='no': must be of type bool"),
        ({"parts": "gating"}, "parts='gating': must be a list"),
        ({"parts": ["gating", "gating"]}, "parts=['gating', 'gating']: one is there twice"),
        ({"parts": ["nothing"]}, "no part is named 'nothing'; there are random_starts, random_m"),
        ({"gating.games": 4}, "gating.games: gating is none of the parts; choose --parts random_"),
        ({"random_starts.move": 4.0}, "part random_starts has no field 'random_starts.move'; did"),
        ({"search.name": "mcts"}, "no search is named 'mcts'; there are gumbel, puct, uct,"),
        ({"search.c_puct": 1.0}, "search gumbel has no field 'search.c_puct'; it has num_simula"),
        ({"search.value_scale": -1.0}, "search.value_scale=-1.0: must be"),
        ({"evaluation.search.value_scale": -1.0}, "evaluation.search.value_scale=-1.0: must be"),
    ],
    ids=str,
)
def test_a_wrong_value_is_refused_in_one_line_by_the_name_of_its_field(values, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        with_fields(RunConfig(), values)


def test_no_part_may_have_the_name_of_a_table_or_field():
    config = with_fields(RunConfig(), {"parts": [], "evaluation.search.name": "uct"})
    stored = store_config(config)
    assert {*stored, *stored["train"], "summary", "minutes", "iterations"} <= RESERVED
