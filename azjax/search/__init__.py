"""Tree search over a model: Gumbel, PUCT, UCT or a registered search, many positions at once."""

from azjax.search.gumbel import Gumbel
from azjax.search.inspection import (
    Node,
    RootActions,
    inspect_roots,
    inspect_tree,
    most_visited_line,
)
from azjax.search.mctx_policies import MctxGumbel, MctxPUCT
from azjax.search.model import (
    ILLEGAL_LOGIT,
    Evaluate,
    Evaluation,
    Model,
    Root,
    Transition,
    is_legal,
    mask_illegal,
)
from azjax.search.network_model import evaluate_with_network, learnt_model, network_model
from azjax.search.pieces import SearchPieces, TimedSearch
from azjax.search.policy import Policy
from azjax.search.policy_rollouts import PolicyRollouts
from azjax.search.proof import Bounds, pack_bounds, tightest_bounds, unpack_bounds
from azjax.search.puct import PUCT
from azjax.search.result import SearchResult, best_action, likeliest_action, with_root_alone
from azjax.search.rules_model import (
    discount_of_mover,
    evaluate_with_mixture,
    evaluate_with_rollouts,
    reward_of_mover,
    rules_model,
)
from azjax.search.search import MAX_SIMULATIONS, Search, search
from azjax.search.tree import ROOT, SearchTree
from azjax.search.tree_search import Noise, SearchState, TreeSearch
from azjax.search.uct import UCT
from azjax.support.component_registry import register

register(Gumbel)
register(PUCT)
register(UCT)
register(Policy)
register(PolicyRollouts)
register(MctxGumbel)
register(MctxPUCT)
