"""What is fixed while a program of training is compiled: configuration, game, network, axis."""

import dataclasses

from azjax import games
from azjax.games import Game
from azjax.networks import Network, check_equivariance, make_network
from azjax.training.config import TrainConfig
from azjax.training.learning.equivariance import board_symmetries


@dataclasses.dataclass(frozen=True)
class TrainContext:
    """What self-play and learning share; hashable, static under `jit`."""

    config: TrainConfig
    game: Game
    network: Network
    axis_name: str | None = None  # the mapped axis over devices, if there is one


def make_context(config: TrainConfig, axis_name: str | None = None) -> TrainContext:
    """Makes the game and the network that the configuration names.

    Raises:
      ValueError: There is no such game, its symmetries do not fit an equivariant network, or it
        has no ownership where the network has a head for it.
    """
    game, network = make_game_and_network(config)
    return TrainContext(config, game, network, axis_name)


def make_game_and_network(config: TrainConfig) -> tuple[Game, Network]:
    """Makes the game and the network that the configuration names, alone.

    Raises:
      ValueError: As `make_context`.
    """
    game = games.make(config.game)
    if "ownership" in config.network.auxiliary_heads and not game.has_ownership:
        raise ValueError(
            f"network.auxiliary_heads: must be without ownership, as cells of {game.name} have no "
            "owners"
        )
    check_equivariance(config.network, board_symmetries(game))
    return game, make_network(config.network, game.observation_shape, game.num_actions)
