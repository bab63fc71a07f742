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
    discount_of_mover,
    evaluate_with_mixture,
    evaluate_with_network,
    evaluate_with_rollouts,
    is_legal,
    learnt_model,
    mask_illegal,
    network_model,
    reward_of_mover,
    rules_model,
)
from azjax.search.pieces import SearchPieces, TimedSearch
from azjax.search.policy import Policy
from azjax.search.policy_rollouts import PolicyRollouts
from azjax.search.proof import Bounds, pack_bounds, tightest_bounds, unpack_bounds
from azjax.search.puct import PUCT
from azjax.search.puct_strong import StrongPUCT
from azjax.search.search import (
    MAX_SIMULATIONS,
    Search,
    SearchResult,
    best_action,
    likeliest_action,
    search,
    with_root_alone,
)
from azjax.search.tree import ROOT, SearchTree
from azjax.search.tree_search import Noise, SearchState, TreeSearch
from azjax.search.uct import UCT
from azjax.support.component import register

for _component in (Gumbel, PUCT, StrongPUCT, UCT, Policy, PolicyRollouts, MctxGumbel, MctxPUCT):
    register(_component)
