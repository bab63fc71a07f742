"""Learning from self-play: one pure function takes a run's state to the next."""

from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.iteration import init_train_state, make_game_and_network, train_iteration
from azjax.training.metrics import Metrics
from azjax.training.sharding import compile_iteration, shard_state
from azjax.training.state import TrainState

__all__ = [
    "Hyperparameters",
    "Metrics",
    "TrainConfig",
    "TrainState",
    "compile_iteration",
    "init_train_state",
    "make_game_and_network",
    "shard_state",
    "train_iteration",
]
