"""The options of algorithms: an option that an algorithm does not have keeps its default."""

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from azjax.training.config import TrainConfig

# Those of algorithms whose search plays both sides.
SELF_PLAY_OPTIONS = (
    "initial_simulations",
    "fast_simulations",
    "growing_window",
    "surprise_sampling",
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


def check_options(config: "TrainConfig", options: tuple[str, ...]) -> None:
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


def check_heads(config: "TrainConfig", heads: tuple[str, ...]) -> None:
    """Raises ValueError if the network has an auxiliary head that the algorithm does not train."""
    for head in config.network.auxiliary_heads:
        if head not in heads:
            raise ValueError(
                f"network.auxiliary_heads: algorithm {config.algorithm} has no {head}; it has "
                f"{', '.join(heads)}"
            )
