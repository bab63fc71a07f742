"""Fields of a configuration by their names in flags, presets and overrides."""

import re

import pytest

from azjax.config.fields import describe_dropped, with_fields
from azjax.config.run_config import RunConfig
from azjax.config.stored_config import store_config
from azjax.search import PUCT, UCT, Gumbel
from azjax.support.component import RESERVED
from azjax.training import AdamW, Gating, TrainConfig


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


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"learning_rate": 1e-3}, "no field is named 'learning_rate'; did you mean 'optimizer.le"),
        ({"num_games": True}, "num_games=True: must be of type int"),
        ({"parts": "gating"}, "parts='gating': must be a list"),
        ({"gating.games": 4}, "gating.games: gating is none of the parts; choose --parts random_"),
        ({"random_starts.move": 4.0}, "part random_starts has no field 'random_starts.move'; did"),
        ({"search.c_puct": 1.0}, "search gumbel has no field 'search.c_puct'; it has name, num_"),
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
