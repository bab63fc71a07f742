"""The options and hyperparameters of algorithms: one that an algorithm lacks keeps its default."""

import functools

from azjax.search import search_names
from azjax.training.config import TrainConfig

# Those of algorithms whose search plays both sides.
SELF_PLAY_OPTIONS = (
    "initial_simulations",
    "fast_simulations",
    "growing_window",
    "surprise_sampling",
    "weighted_traces",
    "gating_games",
    "reanalyse_fraction",
)
# The fields of TrainConfig that some algorithms alone have.
OPTIONS = (
    *SELF_PLAY_OPTIONS,
    "unroll_steps",
    "rounds",
    "pool_size",
    "pool_interval",
    "network.value_head",
    "network.auxiliary_heads",
    "network.equivariant",
    "search.proven_values",
)

# The fields of Hyperparameters of algorithms whose search plays both sides.
SELF_PLAY_HYPERPARAMETERS = (
    "random_start_fraction",
    "random_start_moves",
    "temperature",
    "temperature_moves",
    "random_move_fraction",
    "full_search_share",
    "search_value_weight",
    "window_min_moves",
    "window_growth",
    "window_exponent",
    "surprise_weight",
    "value_loss_weight",
)
# Those of algorithms whose policy plays against an opponent.
POLICY_GRADIENT_HYPERPARAMETERS = (
    "random_start_fraction",
    "random_start_moves",
    "result_discount",
    "entropy_weight",
)
# The fields of Hyperparameters that some algorithms alone have.
HYPERPARAMETERS = (
    *SELF_PLAY_HYPERPARAMETERS,
    "result_discount",
    "entropy_weight",
    "first_prior_weight",
    "reply_loss_weight",
    "action_values_loss_weight",
    "ownership_loss_weight",
    "consistency_loss_weight",
)


def check_options(config: TrainConfig, options: tuple[str, ...]) -> None:
    """Raises ValueError if an option that the configured algorithm does not have is set."""
    for name in OPTIONS:
        *parents, field = name.split(".")
        table = functools.reduce(getattr, parents, config)
        value = getattr(table, field)
        if name not in options and value != getattr(type(table), field):
            raise ValueError(
                f"{name}={value!r}: algorithm {config.algorithm} has no such option; it has "
                f"{', '.join(options)}"
            )


def check_simulations(config: TrainConfig) -> None:
    """Raises ValueError if the search makes no simulations: its policy is what is there already."""
    own = config.search.algorithm
    if config.search.simulations_made == 0:
        others = ", ".join(name for name in search_names() if name != own)
        raise ValueError(
            f"search.algorithm={own!r}: must be {others} for algorithm "
            f"{config.algorithm}, which learns from simulations"
        )


def check_heads(config: TrainConfig, heads: tuple[str, ...]) -> None:
    """Raises ValueError if the network has an auxiliary head that the algorithm does not train."""
    for head in config.network.auxiliary_heads:
        if head not in heads:
            raise ValueError(
                f"network.auxiliary_heads: algorithm {config.algorithm} has no {head}; it has "
                f"{', '.join(heads)}"
            )
