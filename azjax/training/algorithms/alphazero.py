"""AlphaZero: search over the rules, and a network that learns its policy and the results.

"A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Silver et al., Science 2018; with Gumbel's search, "Policy improvement by planning with Gumbel",
Danihelka et al., ICLR 2022; with `gating_games`, AlphaGo Zero's rule of which network plays.
"""

from azjax.games import Game
from azjax.networks import AUXILIARY_HEADS, Network, check_equivariance, make_network
from azjax.training.algorithms.algorithm import Algorithm
from azjax.training.algorithms.alphazero_loss import alphazero_loss, make_batch
from azjax.training.algorithms.options import (
    SELF_PLAY_HYPERPARAMETERS,
    SELF_PLAY_OPTIONS,
    check_heads,
    check_simulations,
)
from azjax.training.config import TrainConfig
from azjax.training.learning.equivariance import board_symmetries
from azjax.training.replay.auxiliary_targets import empty_record, record_auxiliary
from azjax.training.replay.targets import compute_targets
from azjax.training.selfplay.games import play_itself


def check_values(config: TrainConfig) -> None:
    """Raises ValueError unless the network has values."""
    if config.network.value_head == "none":
        raise ValueError(
            f"network.value_head='none': algorithm {config.algorithm} needs values, scalar or wdl"
        )


def _check(config: TrainConfig) -> None:
    check_values(config)
    check_heads(config, AUXILIARY_HEADS)
    check_simulations(config)


def _make_network(config: TrainConfig, game: Game) -> Network:
    if "ownership" in config.network.auxiliary_heads and not game.has_ownership:
        raise ValueError(
            f"network.auxiliary_heads: must be without ownership, as cells of {game.name} have no "
            "owners"
        )
    check_equivariance(config.network, board_symmetries(game))
    return make_network(config.network, game.observation_shape, game.num_actions)


def _extra_metrics(config: TrainConfig) -> tuple[str, ...]:
    return tuple(f"{head}_loss" for head in config.network.auxiliary_heads)


alphazero = Algorithm(
    options=(
        *SELF_PLAY_OPTIONS,
        "network.value_head",
        "network.auxiliary_heads",
        "network.equivariant",
        "search.proven_values",
    ),
    hyperparameters=(
        *SELF_PLAY_HYPERPARAMETERS,
        "reply_loss_weight",
        "action_values_loss_weight",
        "ownership_loss_weight",
    ),
    check=_check,
    make_network=_make_network,
    play=play_itself,
    record=record_auxiliary,
    empty_record=empty_record,
    compute_targets=compute_targets,
    make_batch=make_batch,
    loss=alphazero_loss,
    extra_metrics=_extra_metrics,
)
