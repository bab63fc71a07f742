"""Learning from self-play: one pure function takes a run's state to the next."""

from azjax.support.component import register
from azjax.training.algorithms.alphago import PolicyValue, ReinforcedPolicy, SupervisedPolicy
from azjax.training.algorithms.alphazero import AlphaZero
from azjax.training.algorithms.klent import Klent
from azjax.training.algorithms.muzero import MuZero
from azjax.training.algorithms.policy_gradient import PolicyGradient
from azjax.training.context import (
    check_part_states,
    check_train_config,
    make_context,
    make_game_and_network,
)
from azjax.training.hooks import Algorithm, GatingMatch, Part, TrainConfig, TrainContext, part_key
from azjax.training.iteration import init_train_state, train_iteration
from azjax.training.metrics import Metrics
from azjax.training.optimizer import AdamW, Optimizer
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
from azjax.training.population import (
    compile_iteration,
    get_member,
    iterate_population,
    member_shardings,
    set_member,
    state_shardings,
)
from azjax.training.state import Losses, Opponent, TrainState

_ALGORITHMS = (
    *(AlphaZero, MuZero, Klent, PolicyGradient),
    *(SupervisedPolicy, ReinforcedPolicy, PolicyValue),
)
_PLAY = RandomStarts, RandomMoves, PlayoutCaps, GrowingSimulations
_LEARN = GrowingWindow, SurpriseSampling, WeightedTraces, Gating, Reanalyse
_HEADS = Reply, ActionValues, Ownership
for _component in (*_ALGORITHMS, AdamW, *_PLAY, *_LEARN, *_HEADS):
    register(_component)
