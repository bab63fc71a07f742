"""Where the time of an iteration goes, found by leaving things out."""

import dataclasses
import functools
import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from azjax.benchmarks.phases import Loop, Phase
from azjax.benchmarks.timing import best_seconds
from azjax.games import Game


@dataclasses.dataclass(frozen=True)
class LinearNetwork:
    """Stands for a network and costs next to nothing: priors and a value that still differ."""

    num_actions: int

    def apply(self, variables: Any, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits [B, A] and values [B], linear in the observations."""
        del variables
        flat = observations.reshape(observations.shape[0], -1).astype(jnp.float32)
        weights = np.random.default_rng(0).normal(size=(flat.shape[1], self.num_actions + 1))
        outputs = flat @ jnp.asarray(weights / np.sqrt(len(weights)), jnp.float32)
        return outputs[:, :-1], jnp.tanh(outputs[:, -1])


def seconds_by_part(loop: Loop, repeats: int) -> dict[str, float]:
    """Returns the seconds of an iteration by what they are spent on.

    Self-play is timed with the network and with next to none, whose difference is the network's;
    of what is left, as many steps, masks and observations by themselves are the rules', the rest
    the tree's. What an iteration takes beside self-play is learning.
    """
    iteration = best_seconds(loop.iterate, repeats)
    selfplay = best_seconds(loop.selfplay(), repeats)
    without = best_seconds(loop.selfplay(LinearNetwork(loop.context.game.num_actions)), repeats)
    rules = best_seconds(_rules(loop), repeats)
    return {
        "network": selfplay - without,
        "tree": without - rules,
        "rules": rules,
        "learning": iteration - selfplay,
    }


def write_trace(loop: Loop, folder: pathlib.Path) -> None:
    """Writes a trace of one warm iteration, which TensorBoard's profiler and Perfetto read."""
    with jax.profiler.trace(folder):
        jax.block_until_ready(loop.iterate())


def _rules(loop: Loop) -> Phase:
    """Returns as many steps, masks and observations as an iteration's searches make."""
    config = loop.context.config
    num_steps = config.num_moves * (config.search.num_simulations + 1)
    return loop.over_games(functools.partial(_follow, loop.context.game, num_steps))


def _follow(game: Game, num_steps: int, states: Any) -> jax.Array:
    """Plays the first legal action of B positions again and again; returns [B]: what was seen."""

    def step(states, _):
        first_legal = jax.vmap(game.legal_action_mask)(states).argmax(axis=-1)
        after = jax.vmap(game.step)(states, first_legal)
        return after, jax.vmap(game.observe)(after).sum(axis=(1, 2, 3))

    return jax.lax.scan(step, states, length=num_steps)[1].sum(axis=0)
