"""The training configuration: what it refuses, and what it derives."""

import re

import pytest

from azjax.search import Gumbel, Policy
from azjax.training import (
    AlphaZero,
    Gating,
    MuZero,
    RandomStarts,
    Reply,
    SupervisedPolicy,
    SurpriseSampling,
    TrainConfig,
    check_train_config,
)

from .tiny import POLICY

SIZES = ("num_games", "num_moves", "replay_moves", "num_updates", "batch_size")


@pytest.mark.parametrize("field", SIZES)
@pytest.mark.parametrize("value", [0, -3])
def test_a_size_below_one_is_refused_in_one_line(field, value):
    message = re.escape(f"{field}={value}: must be at least 1")
    with pytest.raises(ValueError, match=f"^{message}$"):
        TrainConfig(**{field: value})


@pytest.mark.parametrize("value", [0, 1, 99])
def test_gating_games_are_played_in_pairs(value):
    with pytest.raises(ValueError, match=f"^games={value}: must be even and at least 2$"):
        Gating(games=value)


def test_replay_must_hold_whole_iterations():
    message = re.escape("replay_moves=250: must be a multiple of num_moves=16")
    with pytest.raises(ValueError, match=f"^{message}$"):
        TrainConfig(replay_moves=250)


@pytest.mark.parametrize("algorithm", [AlphaZero(), MuZero()], ids=["alphazero", "muzero"])
def test_an_algorithm_that_learns_from_simulations_is_refused_without(algorithm):
    message = re.escape(
        "search.name='policy': must be gumbel, puct, uct, policy_rollouts, mctx_gumbel, "
        f"mctx_puct for algorithm {algorithm.name}, which learns from simulations"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        check_train_config(TrainConfig(search=Policy(), algorithm=algorithm))


def test_surprise_needs_the_whole_prior():
    config = TrainConfig(search=Gumbel(sampled_actions=4), parts=(SurpriseSampling(),))
    with pytest.raises(ValueError, match=r"^search.sampled_actions: must be 0 with surprise_sampl"):
        check_train_config(config)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parts": (RandomStarts(), RandomStarts())}, "parts: 'random_starts' is there twice$"),
        (
            {"algorithm": MuZero(), "parts": (Reply(),)},
            "parts: reply does not go with algorithm muzero, which has no hook heads$",
        ),
        (
            {"algorithm": SupervisedPolicy(), "network": POLICY, "replay_moves": 16},
            "parts: random_starts does not go with algorithm supervised_policy, which has no hook",
        ),
    ],
)
def test_parts_that_have_no_effect_are_refused(changes, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        check_train_config(TrainConfig(**changes))


def test_the_replay_ratio_is_samples_per_position():
    config = TrainConfig(num_games=8, num_moves=4, replay_moves=8, num_updates=3, batch_size=64)
    assert config.positions_per_iteration == 32
    assert config.replay_ratio == 6.0


def test_groups_divide_games_and_batch():
    config = TrainConfig(num_games=24, batch_size=36)
    assert config.num_groups == 12
    for num_devices in (1, 2, 3, 4, 6, 12):
        config.check_devices(num_devices)
    for num_devices in (5, 8, 24):
        with pytest.raises(ValueError, match=f"^devices={num_devices}: "):
            config.check_devices(num_devices)


@pytest.mark.parametrize(
    ("available", "processes", "most"), [(8, 1, 8), (7, 1, 6), (6, 3, 6), (8, 4, 8), (10, 5, None)]
)
def test_processes_get_as_many_devices_each_as_share_the_games(available, processes, most):
    config = TrainConfig(num_games=48, batch_size=96)
    if most is None:
        with pytest.raises(ValueError, match="5 processes must divide both"):
            config.most_devices(available, processes)
    else:
        assert config.most_devices(available, processes) == most
