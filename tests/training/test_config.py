"""The training configuration: what it refuses, and what it derives."""

import jax
import pytest

from azjax.search import Gumbel, Policy
from azjax.training import (
    MuZero,
    Part,
    RandomStarts,
    Reply,
    SurpriseSampling,
    TrainConfig,
    check_part_states,
    check_train_config,
)

from .tiny import POLICY


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_updates": 0}, "num_updates=0: must be at least 1$"),
        ({"replay_moves": 250}, "replay_moves=250: must be a multiple of num_moves=16$"),
        ({"search": Policy()}, "search.name='policy': must be gumbel, .* learns from simulations$"),
        (
            {"search": Gumbel(sampled_actions=4), "parts": (SurpriseSampling(),)},
            "search.sampled_actions: must be 0 with surprise_sampling",
        ),
        ({"parts": (RandomStarts(), RandomStarts())}, "parts: 'random_starts' is there twice$"),
        (
            {"algorithm": MuZero(), "parts": (Reply(),)},
            "parts: reply does not go with algorithm muzero, which has no hook heads$",
        ),
        ({"network": POLICY}, "network.value_head='none': must be scalar or wdl for"),
    ],
    ids=str,
)
def test_what_cannot_train_or_has_no_effect_is_refused_in_one_line(changes, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        check_train_config(TrainConfig(**changes))


def test_the_replay_ratio_is_samples_per_position():
    config = TrainConfig(num_games=8, num_moves=4, replay_moves=8, num_updates=3, batch_size=64)
    assert config.positions_per_iteration == 32
    assert config.replay_ratio == 6.0


def test_groups_divide_games_and_batch_and_devices_share_the_groups():
    config = TrainConfig(num_games=24, batch_size=36)
    assert config.num_groups == 12
    config.check_devices(4)
    with pytest.raises(ValueError, match=r"^devices=8: must divide num_games=24 and batch_size=36"):
        config.check_devices(8)
    assert config.most_devices(8, num_processes=1) == 6
    assert config.most_devices(8, num_processes=3) == 6
    with pytest.raises(ValueError, match="5 processes must divide both"):
        config.most_devices(10, 5)


def test_a_part_whose_state_holds_a_key_is_refused():
    class Keyed(Part):
        name = "keyed"

        def init(self, context):
            return {"own": jax.random.key(0)}

    with pytest.raises(ValueError, match=r"^part keyed: its state holds a PRNG key"):
        check_part_states(TrainConfig(parts=(Keyed(),)))
