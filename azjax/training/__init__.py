"""Learning from self-play: one pure function takes a run's state to the next."""

from azjax.training.algorithms.algorithm import Algorithm, TrainContext
from azjax.training.algorithms.alphazero import alphazero
from azjax.training.algorithms.muzero import muzero
from azjax.training.algorithms.policy_gradient import (
    policy_gradient,
    round_hyperparameters,
    round_simulations,
)
from azjax.training.algorithms.policy_value import policy_value
from azjax.training.algorithms.registry import (
    algorithm_names,
    get_algorithm,
    plugin_of_algorithm,
    register_algorithm,
)
from azjax.training.algorithms.reinforced_policy import reinforced_policy
from azjax.training.algorithms.supervised_policy import supervised_policy
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.context import check_train_config, make_context, make_game_and_network
from azjax.training.iteration import init_train_state, train_iteration
from azjax.training.metrics import Metrics
from azjax.training.population import get_member, iterate_population, set_member
from azjax.training.sharding import compile_iteration, member_shardings, state_shardings
from azjax.training.state import FrozenNetworks, TrainState

__all__ = [
    "Algorithm",
    "FrozenNetworks",
    "Hyperparameters",
    "Metrics",
    "TrainConfig",
    "TrainContext",
    "TrainState",
    "algorithm_names",
    "alphazero",
    "check_train_config",
    "compile_iteration",
    "get_algorithm",
    "get_member",
    "init_train_state",
    "iterate_population",
    "make_context",
    "make_game_and_network",
    "member_shardings",
    "muzero",
    "plugin_of_algorithm",
    "policy_gradient",
    "register_algorithm",
    "round_hyperparameters",
    "round_simulations",
    "set_member",
    "state_shardings",
    "train_iteration",
]

register_algorithm("alphazero", alphazero)
register_algorithm("muzero", muzero)
register_algorithm("policy_gradient", policy_gradient)
register_algorithm("supervised_policy", supervised_policy)
register_algorithm("reinforced_policy", reinforced_policy)
register_algorithm("policy_value", policy_value)
