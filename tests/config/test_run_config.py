import dataclasses
import json
import math
import re

import pytest
from azjax.training.algorithms.options import HYPERPARAMETERS

from azjax.config.stored_values import parse_value, to_dict
from azjax.config.presets import get_preset, preset_names
from azjax.config.run_config import RunConfig
from azjax.networks import NetworkConfig
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.training import (
    Algorithm,
    Hyperparameters,
    TrainConfig,
    alphazero,
    make_game_and_network,
    register_algorithm,
)

CONFIGS = {name: get_preset(name).config for name in preset_names()} | {
    "default": RunConfig(),
    "other": RunConfig(
        TrainConfig(
            network=NetworkConfig("convnet", channels=3, auxiliary_heads=("reply", "ownership")),
            num_games=10,
            batch_size=20,
        ),
        Hyperparameters(search=SearchHyperparameters(c_puct=2.0), learning_rate=0.1),
        evaluate_every=3,
        evaluation_hparams=SearchHyperparameters(c_puct=1.5),
        stop_when_perfect=True,
    ),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_is_read_from_json_as_it_was_written(name):
    text = json.dumps(to_dict(CONFIGS[name]))
    assert parse_value(RunConfig, json.loads(text)) == CONFIGS[name]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"trian": {}}, "unknown field 'trian'; did you mean 'train'"),
        ({"train": {"num_game": 3}}, "field 'train.num_game'; did you mean 'train.num_games'?"),
        ({"train": {"num_games": True}}, "train.num_games=True: must be of type int"),
        ({"train": 3}, "train must be a table of fields, not 3"),
        (
            {"train": {"network": {"auxiliary_heads": "reply"}}},
            "train.network.auxiliary_heads='reply': must be a list",
        ),
        ({"evaluation_algorithm": "mcts"}, "evaluation_algorithm='mcts': must be gumbel, puct,"),
        ({"evaluation_hparams": {"c_puct": -1.0}}, "evaluation_hparams.c_puct=-1.0: must be"),
    ],
    ids=str,
)
def test_a_wrong_configuration_is_refused_by_the_name_of_its_field(values, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_value(RunConfig, values)


NON_NEGATIVE = set(Hyperparameters._fields) - {"search"}


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("field", sorted(NON_NEGATIVE))
def test_every_hyperparameter_is_non_negative_and_finite(field, value):
    with pytest.raises(ValueError, match=f"hparams.{field}"):
        RunConfig(hparams=Hyperparameters(**{field: value}))


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize("field", SearchHyperparameters._fields)
def test_every_hyperparameter_of_the_search_is_non_negative_and_finite(field, value):
    with pytest.raises(ValueError, match=f"hparams.search.{field}"):
        RunConfig(hparams=Hyperparameters(search=SearchHyperparameters(**{field: value})))


DIVISORS = ("temperature", "window_exponent", "learning_rate", "max_gradient_norm")
SHARES = ("random_start_fraction", "random_move_fraction", "search_value_weight")


@pytest.mark.parametrize("field", [*DIVISORS, "random_start_moves"])
def test_divisors_and_upper_bounds_are_above_zero(field):
    with pytest.raises(ValueError, match=f"hparams.{field}=0.0: must be above 0"):
        RunConfig(hparams=Hyperparameters(**{field: 0.0}))


@pytest.mark.parametrize("field", [*SHARES, "surprise_weight", "final_learning_rate"])
def test_a_share_is_from_0_to_1(field):
    for share in (0.0, 1.0):
        RunConfig(hparams=Hyperparameters(**{field: share}))
    with pytest.raises(ValueError, match=f"hparams.{field}=1.01: must be from 0 to 1"):
        RunConfig(hparams=Hyperparameters(**{field: 1.01}))


@pytest.mark.parametrize("value", [0.5, 256.0])
def test_a_growing_window_begins_within_replay(value):
    hparams = Hyperparameters(window_min_moves=value)
    RunConfig(hparams=hparams)  # without the option the number is not used
    message = f"hparams.window_min_moves={value}: must be from 1 to below replay_moves=256"
    with pytest.raises(ValueError, match=message):
        RunConfig(TrainConfig(growing_window=True), hparams)


STARTS = {"random_start_fraction", "random_start_moves"}
POLICY_VALUE = STARTS | {"temperature", "value_loss_weight"}
WINDOW = {"window_min_moves", "window_growth", "window_exponent"}
MOVES = {"temperature_moves", "random_move_fraction", "full_search_share"}
SELF_PLAY = POLICY_VALUE | WINDOW | MOVES | {"search_value_weight", "surprise_weight"}
HEADS = {"reply_loss_weight", "action_values_loss_weight", "ownership_loss_weight"}
REINFORCED = STARTS | {"result_discount", "entropy_weight"}
# By learning algorithm: what it uses of the hyperparameters that not all algorithms have.
OWN = {
    "alphazero": SELF_PLAY | HEADS,
    "muzero": SELF_PLAY | {"consistency_loss_weight"},
    "policy_gradient": REINFORCED | {"first_prior_weight"},
    "supervised_policy": set(),
    "reinforced_policy": REINFORCED,
    "policy_value": POLICY_VALUE,
}
NO_VALUE = NetworkConfig("mlp", value_head="none")
POLICY = {"network": NO_VALUE, "num_moves": 16, "replay_moves": 16}
FITTING = {
    "policy_gradient": POLICY | {"search": SearchConfig("policy_rollouts")},
    "supervised_policy": POLICY,
    "reinforced_policy": POLICY,
    "policy_value": {"search": SearchConfig("policy")},
}


def config_of(algorithm, **hparams):
    train = TrainConfig(algorithm=algorithm, **FITTING.get(algorithm, {}))
    games = "games.txt" if algorithm == "supervised_policy" else None
    return RunConfig(train, Hyperparameters(**hparams), games=games)


@pytest.mark.parametrize("name", HYPERPARAMETERS)
@pytest.mark.parametrize("algorithm", OWN)
def test_an_algorithm_takes_its_own_hyperparameters_alone(algorithm, name):
    default = getattr(Hyperparameters(), name)
    assert config_of(algorithm, **{name: default}) == config_of(algorithm)
    value = default / 2 or 0.5
    if name in OWN[algorithm]:
        assert getattr(config_of(algorithm, **{name: value}).hparams, name) == value
    else:
        message = f"hparams.{name}={value}: algorithm {algorithm} has no such hyperparameter; it "
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            config_of(algorithm, **{name: value})


@pytest.mark.usefixtures("registrations")
def test_a_registered_algorithm_has_the_hyperparameters_that_it_names_or_all():
    named = dataclasses.replace(alphazero, hyperparameters=("entropy_weight",))
    register_algorithm("named", named)
    config_of("named", entropy_weight=0.5)
    with pytest.raises(ValueError, match=r"^hparams.temperature=2.0: .*; it has entropy_weight$"):
        config_of("named", temperature=2.0)
    fields = {field.name: getattr(alphazero, field.name) for field in dataclasses.fields(alphazero)}
    del fields["hyperparameters"]
    register_algorithm("not_named", Algorithm(**fields))
    config_of("not_named", entropy_weight=0.5, temperature=2.0)


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_has_one_length_and_a_game_that_two_devices_can_share(name):
    preset = get_preset(name)
    assert (preset.limits.minutes is None) != (preset.limits.iterations is None)
    assert preset.config.train.num_groups % 2 == 0
    make_game_and_network(preset.config.train)


def test_a_configuration_can_be_evaluated_by_the_search_of_another():
    ours = RunConfig(
        TrainConfig(search=SearchConfig("puct", num_simulations=4, sampled_actions=2)),
        Hyperparameters(search=SearchHyperparameters(c_puct=3.0)),
    )
    other = RunConfig(
        TrainConfig(search=SearchConfig(rescale_values=False, proven_values=True)),
        hparams=Hyperparameters(search=SearchHyperparameters(value_scale=0.4)),
        evaluation_simulations=8,
    )
    assert ours.evaluation_hyperparameters.c_puct == 3.0
    evaluated = ours.evaluated_as(other)
    assert evaluated.evaluation_search == other.evaluation_search
    assert evaluated.evaluation_hyperparameters == other.hparams.search
    assert (evaluated.train, evaluated.hparams) == (ours.train, ours.hparams)
    assert evaluated.evaluated_as(evaluated) == evaluated
    assert parse_value(RunConfig, to_dict(evaluated)) == evaluated


def test_a_learnt_model_is_evaluated_without_the_proven_values_of_another_configuration():
    muzero = get_preset("tic_tac_toe_muzero").config
    other = RunConfig(TrainConfig(search=SearchConfig(rescale_values=False, proven_values=True)))
    found = muzero.evaluated_as(other).evaluation_search
    assert found == dataclasses.replace(other.evaluation_search, proven_values=False)


def test_what_is_no_algorithm_is_not_registered():
    with pytest.raises(ValueError, match="algorithm bad: must be an azjax"):
        register_algorithm("bad", lambda config: config)
