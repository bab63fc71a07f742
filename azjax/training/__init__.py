"""Learning from self-play: one pure function takes a run's state to the next."""

from azjax.support.component_registry import register
from azjax.training.algorithms.alphazero import AlphaZero
from azjax.training.algorithms.muzero import MuZero
from azjax.training.algorithms.policy_gradient import (
    PolicyGradient,
    round_search,
    round_simulations,
)
from azjax.training.algorithms.policy_value import PolicyValue
from azjax.training.algorithms.reinforced_policy import ReinforcedPolicy
from azjax.training.algorithms.supervised_policy import SupervisedPolicy
from azjax.training.config import TrainConfig
from azjax.training.context import (
    check_part_states,
    check_train_config,
    make_context,
    make_game_and_network,
)
from azjax.training.hooks import Algorithm, Optimizer, Part, TrainContext, list_parts, part_key
from azjax.training.iteration import init_train_state, train_iteration
from azjax.training.learning.optimizer import AdamW
from azjax.training.metrics import Metrics
from azjax.training.parts.auxiliary_heads import ActionValues, Ownership, Reply
from azjax.training.parts.gating import Gating
from azjax.training.parts.growing_simulations import GrowingSimulations
from azjax.training.parts.growing_window import GrowingWindow
from azjax.training.parts.playout_caps import PlayoutCaps
from azjax.training.parts.random_moves import RandomMoves
from azjax.training.parts.random_starts import RandomStarts
from azjax.training.parts.reanalyse import Reanalyse
from azjax.training.parts.surprise_sampling import SurpriseSampling
from azjax.training.parts.weighted_traces import WeightedTraces
from azjax.training.population import get_member, iterate_population, set_member
from azjax.training.sharding import compile_iteration, member_shardings, state_shardings
from azjax.training.state import Opponent, TrainState

__all__ = [
    "ActionValues",
    "AdamW",
    "Algorithm",
    "AlphaZero",
    "Gating",
    "GrowingSimulations",
    "GrowingWindow",
    "Metrics",
    "MuZero",
    "Opponent",
    "Optimizer",
    "Ownership",
    "Part",
    "PlayoutCaps",
    "PolicyGradient",
    "PolicyValue",
    "RandomMoves",
    "RandomStarts",
    "Reanalyse",
    "ReinforcedPolicy",
    "Reply",
    "SupervisedPolicy",
    "SurpriseSampling",
    "TrainConfig",
    "TrainContext",
    "TrainState",
    "WeightedTraces",
    "check_part_states",
    "check_train_config",
    "compile_iteration",
    "get_member",
    "init_train_state",
    "iterate_population",
    "list_parts",
    "make_context",
    "make_game_and_network",
    "member_shardings",
    "part_key",
    "round_search",
    "round_simulations",
    "set_member",
    "state_shardings",
    "train_iteration",
]

for _component in (
    AlphaZero,
    MuZero,
    PolicyGradient,
    SupervisedPolicy,
    ReinforcedPolicy,
    PolicyValue,
    AdamW,
    RandomStarts,
    RandomMoves,
    PlayoutCaps,
    GrowingSimulations,
    GrowingWindow,
    SurpriseSampling,
    WeightedTraces,
    Gating,
    Reanalyse,
    Reply,
    ActionValues,
    Ownership,
):
    register(_component)
