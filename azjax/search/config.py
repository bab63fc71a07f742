"""Configuration of a search: static choices, and hyperparameters that may be traced."""

import dataclasses
from typing import Annotated, NamedTuple

from azjax.support.flag_marks import NameOf
from azjax.support.ranges import Range
from azjax.support.validation import check_size

MAX_SIMULATIONS = 2**20  # per move; each is a node of the tree


@dataclasses.dataclass(frozen=True)
class SearchConfig:
    """The choices that change a compiled search; static under `jit`."""

    algorithm: Annotated[str, NameOf("search")] = "gumbel"
    """gumbel (Danihelka et al. 2022), puct, AlphaZero's (Silver et al. 2018), uct (Kocsis and
    Szepesvari 2006), which uses no prior, policy_rollouts, which weighs the prior against the mean
    value (of rollouts where the network has none), policy, the network without search, mctx_gumbel
    and mctx_puct, mctx's own Gumbel and PUCT, or the name of a registered search."""
    num_simulations: int = 32
    """Simulations per move; each evaluates one position."""
    max_num_considered_actions: int = 16
    """Actions that Gumbel samples at the root; PUCT considers all."""
    sampled_actions: int = 0
    """Actions sampled from the prior in every node, K, so that the tree of a game of many actions
    is small (Hubert et al. 2021); with 0, or as many as there are, a node has all actions."""
    rescale_values: bool = True
    """Gumbel: rescale the Q-values of a position's actions to between 0 and 1 before they are
    scaled by `value_scale`; without, they stay between -1 and 1."""
    proven_values: bool = False
    """Prove results in the tree, from finished positions on (MCTS-Solver, Winands et al. 2008): a
    proven position has its result for value and is not searched further, and a move that surely
    loses is not played while another may not. In training, value targets lie within the bounds."""

    def __post_init__(self):
        """Raises ValueError where a number is out of range."""
        for field in ("num_simulations", "max_num_considered_actions"):
            check_size(f"search.{field}", getattr(self, field), 1, MAX_SIMULATIONS)
        check_size("search.sampled_actions", self.sampled_actions, 0, MAX_SIMULATIONS)
        if self.sampled_actions and self.proven_values:
            raise ValueError(
                f"search.sampled_actions={self.sampled_actions}: must be 0 with "
                "search.proven_values, as actions that are not sampled prove nothing"
            )

    @property
    def simulations_made(self) -> int:
        """The simulations that are made per move: none by the search `policy`."""
        return 0 if self.algorithm == "policy" else self.num_simulations


class SearchHyperparameters(NamedTuple):
    """The hyperparameters of the algorithms: floats outside `jit`, traced scalars inside.

    A sweep samples a number with a `Range` from it; the others stay fixed.
    """

    gumbel_scale: Annotated[float, Range(0.25, 2.0, log=True)] = 1.0
    """Gumbel: scale of the noise at the root; 0 plays the best move found."""
    value_scale: Annotated[float, Range(0.02, 0.5, log=True)] = 0.1
    """Gumbel: scale of the completed Q-values against the prior logits."""
    maxvisit_init: float = 50.0
    """Gumbel: visits that the scale of the Q-values starts from."""
    c_puct: Annotated[float, Range(0.5, 5.0, log=True)] = 1.25
    """PUCT: weight of the exploration term (pb_c_init)."""
    c_puct_base: float = 19652.0
    """PUCT: visits over which that weight grows (pb_c_base)."""
    dirichlet_alpha: Annotated[float, Range(0.03, 3.0, log=True)] = 0.3
    """PUCT: concentration of the noise at the root; about 10 over the number of legal moves."""
    dirichlet_fraction: Annotated[float, Range(0.05, 0.5)] = 0.25
    """PUCT: share of that noise in the root's prior; 0 searches without."""
    c_uct: Annotated[float, Range(0.5, 4.0, log=True)] = 2.0
    """UCT: weight of the exploration term, for values from -1 to 1."""
    prior_weight: Annotated[float, Range(0.1, 0.95)] = 0.9
    """Policy rollouts: weight of the prior; the rest is that of the mean value."""

    def without_noise(self) -> "SearchHyperparameters":
        """Returns the same hyperparameters without noise at the root, for play at full strength.

        The actions of a search with `sampled_actions` are sampled nevertheless.
        """
        return self._replace(gumbel_scale=0.0, dirichlet_fraction=0.0)
