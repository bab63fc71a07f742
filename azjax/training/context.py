"""What is fixed while a program of training is compiled: configuration, game, network, axis."""

import dataclasses
from typing import TYPE_CHECKING

from azjax import games
from azjax.games import Game
from azjax.networks import Network
from azjax.training.algorithms.registry import get_algorithm
from azjax.training.config import TrainConfig

if TYPE_CHECKING:
    from azjax.training.algorithms.algorithm import Algorithm


@dataclasses.dataclass(frozen=True)
class TrainContext:
    """What self-play and learning share; hashable, static under `jit`."""

    config: TrainConfig
    game: Game
    network: Network
    axis_name: str | None = None  # the mapped axis over devices, if there is one

    @property
    def algorithm(self) -> "Algorithm":
        """The learning algorithm."""
        return get_algorithm(self.config.algorithm)


def make_context(config: TrainConfig, axis_name: str | None = None) -> TrainContext:
    """Makes the game and the network that the configuration names.

    Raises:
      ValueError: There is no such game, or the network does not fit it: the symmetries of an
        equivariant network, or a head for ownership where there is none.
    """
    game, network = make_game_and_network(config)
    return TrainContext(config, game, network, axis_name)


def make_game_and_network(config: TrainConfig) -> tuple[Game, Network]:
    """Makes the game and the network that the configuration names, alone.

    Raises:
      ValueError: As `make_context`.
    """
    game = games.make(config.game)
    return game, get_algorithm(config.algorithm).make_network(config, game)
