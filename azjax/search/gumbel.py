"""Planning with Gumbel noise and sequential halving.

"Policy improvement by planning with Gumbel", Danihelka et al., ICLR 2022.
"""

import dataclasses
import functools
import math
from typing import Annotated, ClassVar, NamedTuple, Self

import chex
import jax
import jax.numpy as jnp
import mctx
import numpy as np

from azjax.search.model import ILLEGAL_LOGIT, is_legal
from azjax.search.search import MAX_SIMULATIONS, Search, best_action
from azjax.search.tree import ROOT, SearchTree
from azjax.search.tree_search import TreeSearch
from azjax.support.ranges import Off, Range
from azjax.support.validation import check_number, check_size

_LEAVES_ALONE = 7  # at once, where one position is searched; on a CPU 6 and 8 are slower


@dataclasses.dataclass(frozen=True)
class GumbelFields(Search):
    """The options and numbers of Gumbel searches."""

    max_num_considered_actions: int = 16
    """Actions that are sampled at the root."""
    rescale_values: bool = True
    """Rescale the Q-values of a position's actions to between 0 and 1 before they are
    scaled by `value_scale`; without, they stay between -1 and 1."""
    gumbel_scale: Annotated[float, Range(0.25, 2.0, log=True), Off(0.0)] = 1.0
    """Scale of the noise at the root; 0 plays the best move found."""
    value_scale: Annotated[float, Range(0.02, 0.5, log=True)] = 0.1
    """Scale of the completed Q-values against the prior logits."""
    maxvisit_init: float = 50.0
    """Visits that the scale of the Q-values starts from."""

    def check(self) -> None:
        super().check()
        check_size(
            "max_num_considered_actions", self.max_num_considered_actions, 1, MAX_SIMULATIONS
        )
        for field in ("gumbel_scale", "value_scale", "maxvisit_init"):
            check_number(field, getattr(self, field))


@dataclasses.dataclass(frozen=True)
class Gumbel(GumbelFields, TreeSearch):
    """Gumbel AlphaZero (Danihelka et al. 2022).

    `action_weights` are the softmax of prior logits plus completed Q-values. The action is the most
    visited, the best of several by noise plus logits plus Q-value, as in the paper: with
    `gumbel_scale` 1 about a sample of the improved policy. With 0 it is the mode among the most
    visited; an action that the halving left out may end with a higher weight, from the Q-value of
    fewer visits.
    """

    name = "gumbel"
    is_anytime: ClassVar[bool] = False

    def for_one_position(self) -> Self:
        """Returns the search with 7 leaves at once where it has one."""
        num_leaves = _LEAVES_ALONE if self.leaves_at_once == 1 else self.leaves_at_once
        return dataclasses.replace(self, leaves_at_once=num_leaves)

    def select_at_root(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects by sequential halving of the actions that noise and prior rank highest.

        The halving's state is the root's new visits, so it carries over from piece to piece. In a
        kept tree it begins anew, by new noise and by the Q-values of all visits.
        Where results are proven, its candidates may all be settled; then the best open action is
        selected.
        """
        visits, prior_logits = node.root_new_visits, node.children_prior_logits[ROOT]
        is_open = is_legal(prior_logits)  # masked where an action is settled
        is_considered = is_open & (visits == self._scheduled(node).visits)
        is_considered = jnp.where(is_considered.any(), is_considered, is_open)
        qvalues = self._complete_qvalues(node)
        noise = self.gumbel_scale * node.extra_data
        scores = noise + (prior_logits - prior_logits.max()) + qvalues
        return best_action(jnp.where(is_considered, scores, -jnp.inf), node.extra_data)

    def most_at_once(self, node: SearchTree) -> chex.Numeric:
        """Returns []: the simulations left until candidates are halved, which needs all values."""
        return self._scheduled(node).simulations_left

    def _scheduled(self, node: SearchTree) -> "Schedule":
        """Returns the schedule, [] each, at the simulations that a root has had."""
        visits = node.root_new_visits
        most_considered = min(self.max_num_considered_actions, len(visits))
        schedules = make_schedules(most_considered, self.num_simulations)
        num_considered = jnp.minimum(most_considered, (~node.root_invalid_actions).sum())
        # A root that is kept needs no evaluation, and has one simulation more.
        index = jnp.minimum(visits.sum(), self.num_simulations - 1)
        return Schedule(*(jnp.asarray(x)[num_considered, index] for x in schedules))

    def select_at_interior(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects so that visits come to follow softmax(prior logits + completed Q-values).

        See section 5 of the paper; an illegal action is never selected.
        """
        prior_logits = node.children_prior_logits[ROOT]
        visits = node.children_visits[ROOT]
        qvalues = self._complete_qvalues(node)
        score = jax.nn.softmax(prior_logits + qvalues) - visits / (1 + visits.sum())
        return best_action(jnp.where(is_legal(prior_logits), score, -jnp.inf), node.extra_data)

    def choose(self, roots: SearchTree, prior_logits: chex.Array) -> tuple[chex.Array, chex.Array]:
        """Returns the best of the most visited actions, and the improved policy.

        Ties, which equal priors leave where there is no noise, are broken at random.
        """
        visit_counts = roots.root_new_visits
        qvalues = jax.vmap(self._complete_qvalues)(roots)
        prior_of_tree = roots.children_prior_logits[:, ROOT]
        improved_logits = jnp.where(is_legal(prior_of_tree), prior_of_tree + qvalues, ILLEGAL_LOGIT)
        scores = self.gumbel_scale * roots.extra_data + improved_logits
        return best_action(visit_counts, scores, roots.extra_data), jax.nn.softmax(improved_logits)

    def _complete_qvalues(self, node: SearchTree) -> chex.Array:
        """Returns a node's Q-values, [A], scaled: the mixed value where there is no visit."""
        return mctx.qtransform_completed_by_mix_value(
            node,
            ROOT,
            value_scale=self.value_scale,
            maxvisit_init=self.maxvisit_init,
            rescale_values=self.rescale_values,
        )


class Schedule(NamedTuple):
    """Sequential halving: "Almost optimal exploration in multi-armed bandits", Karnin et al. 2013.

    All candidates are visited equally often, then the better half of them, until two are left.
    """

    # Visits that the action of the simulation has: others have one more, or are out.
    visits: chex.Array  # [..., N] int32
    simulations_left: chex.Array  # [..., N] int32, in the phase, this one included


@functools.lru_cache(maxsize=8)
def make_schedules(most_candidates: int, num_simulations: int) -> Schedule:
    """Returns [most_candidates + 1, num_simulations] int32: by the number of candidates."""
    phases = [_phases(n, num_simulations) for n in range(most_candidates + 1)]
    left = [[range(len(phase), 0, -1) for phase in schedule] for schedule in phases]
    tables = ([np.concatenate(schedule) for schedule in table] for table in (phases, left))
    return Schedule(*(np.array(table, np.int32) for table in tables))


def _phases(num_candidates: int, num_simulations: int) -> list[list[int]]:
    """Returns a schedule's visits, phase by phase."""
    if num_candidates <= 1:
        return [list(range(num_simulations))]
    num_halvings = math.ceil(math.log2(num_candidates))
    phases: list[list[int]] = []
    visits, left, simulations = 0, num_candidates, num_simulations
    while simulations > 0:
        rounds = max(1, num_simulations // (num_halvings * left))
        phase = [visit for visit in range(visits, visits + rounds) for _ in range(left)]
        phases.append(phase[:simulations])
        simulations -= len(phase)
        visits, left = visits + rounds, max(2, left // 2)
    return phases
