"""Resolves the names in a configuration, and checks what fits together."""

from azjax import games
from azjax.games import Game
from azjax.networks import Network
from azjax.search import check_search_config
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.algorithms.options import check_options
from azjax.training.algorithms.registry import check_algorithm, get_algorithm
from azjax.training.config import TrainConfig


def check_train_config(config: TrainConfig) -> None:
    """Raises ValueError if a name is not registered, or what was chosen lacks an option."""
    check_algorithm("algorithm", config.algorithm)
    check_search_config(config.search)
    algorithm = get_algorithm(config.algorithm)
    check_options(config, algorithm.options)
    algorithm.check(config)


def make_context(config: TrainConfig, axis_name: str | None = None) -> TrainContext:
    """Returns the game, the network and the algorithm that the configuration names.

    Raises:
      ValueError: There is none of a name, an option does not fit, or the network does not fit the
        game: the symmetries of an equivariant network, or a head for ownership where there is none.
    """
    check_train_config(config)
    game, network = make_game_and_network(config)
    return TrainContext(config, game, network, get_algorithm(config.algorithm), axis_name)


def make_game_and_network(config: TrainConfig) -> tuple[Game, Network]:
    """Returns the game and the network that the configuration names, alone.

    Raises:
      ValueError: As `make_context`.
    """
    game = games.make(config.game)
    return game, get_algorithm(config.algorithm).make_network(config, game)
