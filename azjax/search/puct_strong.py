"""PUCT as strong engines play it: first-play urgency, shaped noise, forced and pruned playouts.

"Accelerating Self-Play Learning in Go", Wu 2019 (forced playouts and policy target pruning, section
3.2); KataGo (https://github.com/lightvector/KataGo, docs/KataGoMethods.md and cpp/search) and Leela
Chess Zero (https://lczero.org/dev/wiki/technical-explanation-of-leela-chess-zero) for the rest.
"""

import dataclasses
from typing import Annotated

import chex
import jax
import jax.numpy as jnp

from azjax.search.model import ILLEGAL_LOGIT, is_legal
from azjax.search.search import best_action
from azjax.search.tree import ROOT, SearchTree
from azjax.search.tree_search import TreeSearch
from azjax.support.ranges import Off, Range
from azjax.support.validation import check_above, check_number, check_share

_MOST_SHAPING = 0.01  # the prior beyond which noise is shaped no further
_LEAST_LCB_SHARE = 0.15  # of the most visits, which a move needs to be played by its bound
_FORCED = 1e6  # a score above all others


@dataclasses.dataclass(frozen=True)
class StrongPUCT(TreeSearch):
    """PUCT with the ingredients of KataGo and Leela Chess Zero.

    Q-values are not rescaled, so they span -1 to 1. `action_weights` are visit fractions, pruned of
    forced playouts. The action has the highest lower confidence bound among the most visited.
    """

    name = "puct_strong"

    prunes_targets: bool = True
    """Take visits that exploration alone has forced out of the policy target."""
    c_puct: Annotated[float, Range(0.25, 4.0, log=True)] = 1.0
    """Weight of the exploration term, for values from -1 to 1."""
    c_puct_log: float = 0.45
    """How fast that weight grows with the logarithm of a node's visits."""
    c_puct_base: float = 500.0
    """Visits from which on it grows."""
    fpu_reduction: Annotated[float, Range(0.0, 0.6)] = 0.2
    """First-play urgency: the value of actions that are not visited is their parent's, less this
    times the root of the visited share of the prior."""
    root_fpu_reduction: Annotated[float, Range(0.0, 0.6)] = 0.1
    """The same at the root."""
    root_temperature: Annotated[float, Range(1.0, 1.6), Off(1.0)] = 1.1
    """Temperature of the prior at the root; above 1 it is flatter."""
    total_alpha: Annotated[float, Range(2.0, 30.0, log=True)] = 10.83
    """Concentration of the noise at the root, all legal moves together."""
    shaped_share: float = 0.5
    """Share of that concentration which follows the logarithm of the prior; the rest is uniform."""
    noise_fraction: Annotated[float, Range(0.05, 0.5), Off(0.0)] = 0.25
    """Share of the noise in the root's prior; 0 searches without."""
    forced_playouts: Annotated[float, Range(0.0, 4.0), Off(0.0)] = 2.0
    """k: an action of the root that was visited gets at least sqrt(k * prior * simulations) visits;
    0 forces none."""
    lcb_deviations: float = 5.0
    """Standard errors by which the lower confidence bound is below a value; 0 takes the value."""

    def check(self) -> None:
        super().check()
        for field in ("c_puct", "c_puct_log", "fpu_reduction", "root_fpu_reduction"):
            check_number(field, getattr(self, field))
        check_number("forced_playouts", self.forced_playouts)
        check_number("lcb_deviations", self.lcb_deviations)
        for field in ("c_puct_base", "root_temperature", "total_alpha"):
            check_above(field, getattr(self, field), 0)
        check_share("shaped_share", self.shaped_share)
        check_share("noise_fraction", self.noise_fraction)

    def prepare_root(
        self, keys: chex.PRNGKey, extra_data: chex.Array, prior_logits: chex.Array
    ) -> chex.Array:
        """Flattens the prior [B, A] of legal actions, and mixes shaped Dirichlet noise into it.

        Half of the concentration of the noise is uniform over the legal actions, the other half
        follows the logarithm of the prior, capped at 0.01, above its mean (KataGo's methods).
        """
        legal = is_legal(prior_logits)
        prior = jnp.where(legal, jax.nn.softmax(prior_logits / self.root_temperature), 0.0)
        log_prior = jnp.log(jnp.minimum(prior, _MOST_SHAPING) + 1e-20)
        mean = log_prior.mean(axis=-1, keepdims=True, where=legal)
        excess = jnp.where(legal, jnp.maximum(log_prior - mean, 0.0), 0.0)
        total = excess.sum(axis=-1, keepdims=True)
        uniform = legal / legal.sum(axis=-1, keepdims=True)
        shaped = jnp.where(total > 0, excess / jnp.maximum(total, 1e-20), uniform)
        share = (1 - self.shaped_share) * uniform + self.shaped_share * shaped
        alpha = jnp.where(legal, jnp.maximum(self.total_alpha * share, 1e-3), 1.0)
        gammas = jax.vmap(jax.random.loggamma)(keys, alpha)
        noise = jax.nn.softmax(jnp.where(legal, gammas, ILLEGAL_LOGIT))
        mixed = (1 - self.noise_fraction) * prior + self.noise_fraction * noise
        smallest = jnp.finfo(mixed.dtype).tiny
        return jnp.where(legal, jnp.log(jnp.maximum(mixed, smallest)), ILLEGAL_LOGIT)

    def select_at_interior(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects the legal action of the highest value plus exploration bonus."""
        value, bonus = self._value_and_bonus(node, self.fpu_reduction)
        return self._best(node, value + bonus, value)

    def select_at_root(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects as in other nodes, but first visited actions that lack forced playouts."""
        value, bonus = self._value_and_bonus(node, self.root_fpu_reduction)
        visits = node.children_visits[ROOT]
        is_forced = (visits > 0) & (visits < self._forced(node))
        return self._best(node, jnp.where(is_forced, _FORCED, value + bonus), value)

    def choose(self, roots: SearchTree, prior_logits: chex.Array) -> tuple[chex.Array, chex.Array]:
        """Returns the actions of the highest lower confidence bound, and the pruned visits."""
        return jax.vmap(self._choose)(roots)

    def _choose(self, root: SearchTree) -> tuple[chex.Array, chex.Array]:
        visits, value = root.children_visits[ROOT], root.qvalues(ROOT)
        # The variance of a result of mean q is at most 1 - q^2; KataGo estimates it instead.
        error = jnp.sqrt(jnp.maximum(1 - value**2, 0.0) / jnp.maximum(visits, 1))
        prior_logits = root.children_prior_logits[ROOT]
        is_candidate = visits >= jnp.maximum(_LEAST_LCB_SHARE * visits.max(), 1)
        is_candidate &= is_legal(prior_logits)  # masked where another action is surely as good
        bound = jnp.where(is_candidate, value - self.lcb_deviations * error, -jnp.inf)
        action = best_action(bound, visits.astype(jnp.float32), prior_logits, root.extra_data)
        weights = self._pruned(root) if self.prunes_targets else visits.astype(jnp.float32)
        return action, weights / weights.sum()

    def _value_and_bonus(
        self, node: SearchTree, fpu_reduction: chex.Numeric
    ) -> tuple[chex.Array, chex.Array]:
        """Returns the values [A] of a node's actions, and their exploration bonuses [A]."""
        visits = node.children_visits[ROOT]
        prior, total = jax.nn.softmax(node.children_prior_logits[ROOT]), visits.sum()
        weight = self.c_puct + self.c_puct_log * jnp.log1p(total / self.c_puct_base)
        bonus = weight * prior * jnp.sqrt(total + 0.01) / (1 + visits)
        visited = jnp.where(visits > 0, prior, 0.0).sum()
        urgency = node.node_values[ROOT] - fpu_reduction * jnp.sqrt(visited)
        return jnp.where(visits > 0, node.qvalues(ROOT), urgency), bonus

    def _best(self, node: SearchTree, score: chex.Array, value: chex.Array) -> chex.Array:
        prior_logits = node.children_prior_logits[ROOT]
        score = jnp.where(is_legal(prior_logits), score, -jnp.inf)
        return best_action(score, value, prior_logits, node.extra_data)

    def _forced(self, root: SearchTree) -> chex.Array:
        """Returns [A]: the visits that each visited action of the root gets at least."""
        prior = jax.nn.softmax(root.children_prior_logits[ROOT])
        return jnp.sqrt(self.forced_playouts * prior * root.children_visits[ROOT].sum())

    def _pruned(self, root: SearchTree) -> chex.Array:
        """Returns the visits [A] without forced ones (Wu 2019, section 3.2).

        Of each action but the most visited one, as many visits are taken as were forced, as long as
        its score stays below that action's; an action that then has one visit or less has none.
        """
        visits = root.children_visits[ROOT].astype(jnp.float32)
        value, bonus = self._value_and_bonus(root, self.root_fpu_reduction)
        best = best_action(visits, value, root.children_prior_logits[ROOT])
        gap = (value + bonus)[best] - value
        needed = jnp.where(gap > 0, bonus * (1 + visits) / jnp.maximum(gap, 1e-9) - 1, visits)
        forced = self._forced(root)
        pruned = jnp.clip(needed, jnp.maximum(visits - forced, 0.0), visits)
        pruned = jnp.where((forced > 0) & (pruned <= 1), 0.0, pruned)
        return jnp.where(jnp.arange(len(visits)) == best, visits, pruned)
