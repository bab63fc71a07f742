"""Learning from self-play: one pure function takes a run's state to the next."""

from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.iteration import init_train_state, make_game_and_network, train_iteration
from azjax.training.metrics import Metrics
from azjax.training.population import iterate_population, put_member, take_member
from azjax.training.sharding import compile_iteration, state_shardings
from azjax.training.state import TrainState

__all__ = [
    "Hyperparameters",
    "Metrics",
    "TrainConfig",
    "TrainState",
    "compile_iteration",
    "init_train_state",
    "iterate_population",
    "make_game_and_network",
    "put_member",
    "state_shardings",
    "take_member",
    "train_iteration",
]
