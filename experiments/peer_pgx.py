"""Answers: how fast is the loop of Pgx's AlphaZero example, with Pgx, mctx and Haiku?

python experiments/benchmark.py --game connect_four --against pgx

Like the example, it has a ResNet v2 with batch normalization, trains on the search's policy, and
uses Adam. It takes the options of `experiments/benchmark.py` and prints the same keys as JSON, in a
minute or two on a laptop. It needs `pip install '.[peers]'`.
"""

import functools
import json
import sys
import time
import warnings
from typing import Any, NamedTuple

import haiku as hk
import jax
import jax.numpy as jnp
import mctx
import optax
import pgx
from pgx.experimental import auto_reset

from azjax.benchmarks.measure import summarise
from azjax.benchmarks.options import BenchmarkOptions
from azjax.benchmarks.paired_benchmark import Numbers
from azjax.benchmarks.timing import best_seconds
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.support.errors import InputError

_POLICIES = {"gumbel": mctx.gumbel_muzero_policy, "puct": mctx.muzero_policy}


class Model(NamedTuple):
    """The variables of a network."""

    params: Any
    batch_stats: Any


class Batch(NamedTuple):
    """Positions to train on."""

    observation: jax.Array  # [S, H, W, C]
    policy: jax.Array  # [S, A]
    value: jax.Array  # [S]


class Peer:
    """Pgx's environment, a network, and the phases of the loop as compiled programs."""

    def __init__(self, options: BenchmarkOptions):
        self.options = options
        self.env = pgx.make(options.game)
        self.network = hk.without_apply_rng(hk.transform_with_state(self._network))
        self.optimizer = optax.adam(1e-3)
        self.evaluate = jax.jit(self._evaluate)
        self.play = jax.jit(self._play)
        self.update = jax.jit(self._update)

    def init(self, key: jax.Array) -> tuple[Model, Any, Any]:
        """Returns a new model, the optimizer's state, and the start states of the games."""
        states = jax.vmap(self.env.init)(jax.random.split(key, self.options.games))
        init = jax.jit(self.network.init, static_argnums=2)
        model = Model(*init(key, states.observation[:2], True))
        return model, self.optimizer.init(model.params), states

    def _network(self, observation: jax.Array, is_training: bool) -> tuple[jax.Array, jax.Array]:
        def norm_relu(x):
            return jax.nn.relu(hk.BatchNorm(True, True, 0.9)(x, is_training))

        channels = self.options.channels
        x = hk.Conv2D(channels, 3)(observation.astype(jnp.float32))
        for _ in range(self.options.blocks):
            hidden = hk.Conv2D(channels, 3)(norm_relu(x))
            x = x + hk.Conv2D(channels, 3)(norm_relu(hidden))
        x = norm_relu(x)
        policy = hk.Flatten()(norm_relu(hk.Conv2D(2, 1)(x)))
        value = hk.Flatten()(norm_relu(hk.Conv2D(1, 1)(x)))
        value = hk.Linear(1)(jax.nn.relu(hk.Linear(channels)(value)))
        return hk.Linear(self.env.num_actions)(policy), jnp.tanh(value[:, 0])

    def _evaluate(self, model: Model, states: Any) -> tuple[jax.Array, jax.Array]:
        (logits, value), _ = self.network.apply(*model, states.observation, False)
        lowest = jnp.finfo(logits.dtype).min
        logits = logits - logits.max(axis=-1, keepdims=True)
        return jnp.where(states.legal_action_mask, logits, lowest), value

    def _expand(self, model: Model, key: jax.Array, action: jax.Array, states: Any) -> Any:
        """Steps the environment and evaluates the next states: mctx's recurrent function."""
        del key
        mover = states.current_player
        after = jax.vmap(self.env.step)(states, action)
        logits, value = self._evaluate(model, after)
        output = mctx.RecurrentFnOutput(
            reward=after.rewards[jnp.arange(len(mover)), mover],
            discount=jnp.where(after.terminated, 0.0, -1.0),
            prior_logits=logits,
            value=jnp.where(after.terminated, 0.0, value),
        )
        return output, after

    def _play(self, model: Model, states: Any, key: jax.Array) -> tuple[Any, Batch]:
        """Plays the moves of one call in each game, by search."""
        step = jax.vmap(auto_reset(self.env.step, self.env.init))

        def move(states, key):
            search_key, reset_key = jax.random.split(key)
            logits, value = self._evaluate(model, states)
            output = _POLICIES[self.options.search](
                model,
                search_key,
                mctx.RootFnOutput(prior_logits=logits, value=value, embedding=states),
                self._expand,
                self.options.simulations,
                invalid_actions=~states.legal_action_mask,
            )
            after = step(states, output.action, jax.random.split(reset_key, self.options.games))
            return after, Batch(states.observation, output.action_weights, after.rewards[:, 0])

        return jax.lax.scan(move, states, jax.random.split(key, self.options.moves))

    def _update(self, model: Model, optimizer_state: Any, batch: Batch) -> tuple[Model, Any]:
        def loss(params):
            (logits, value), batch_stats = self.network.apply(
                params, model.batch_stats, batch.observation, True
            )
            policy_loss = optax.softmax_cross_entropy(logits, batch.policy).mean()
            return policy_loss + optax.l2_loss(value, batch.value).mean(), batch_stats

        gradient, batch_stats = jax.grad(loss, has_aux=True)(model.params)
        updates, optimizer_state = self.optimizer.update(gradient, optimizer_state)
        return Model(optax.apply_updates(model.params, updates), batch_stats), optimizer_state


def measure(options: BenchmarkOptions) -> Numbers:
    """Returns the numbers of the peer's loop; `first_result_s` is of self-play and one update."""
    began = time.perf_counter()
    key = jax.random.key(0)
    peer = Peer(options)
    model, optimizer_state, states = peer.init(key)
    play = functools.partial(peer.play, model, states, key)
    batch = _first(play()[1], options.batch)
    update = functools.partial(peer.update, model, optimizer_state, batch)
    jax.block_until_ready(update())
    first_result = time.perf_counter() - began
    evaluation = best_seconds(functools.partial(peer.evaluate, model, states), options.repeats)
    selfplay = best_seconds(play, options.repeats)
    learning = best_seconds(update, options.repeats)
    numbers = summarise(options, first_result, selfplay, learning, evaluation)
    return numbers | {"parameters": sum(x.size for x in jax.tree.leaves(model.params))}


def _first(batch: Batch, size: int) -> Batch:
    """Returns the first positions of a batch, cyclically if they are too few."""

    def take(x):
        flat = x.reshape(-1, *x.shape[2:])
        return flat[jnp.arange(size) % len(flat)]

    return jax.tree.map(take, batch)


def main(arguments: list[str] | None = None) -> None:
    """Benchmarks the peer, and prints its numbers as JSON."""
    arguments = sys.argv[1:] if arguments is None else arguments
    warnings.filterwarnings("ignore")  # of Haiku and Pgx
    with exit_with_one_line():
        options = parse_flags(BenchmarkOptions, arguments, "peer_pgx.py")
        if options.game not in pgx.available_envs() or options.search not in _POLICIES:
            raise InputError(f"Pgx and mctx have no {options.game} with {options.search}")
        print(json.dumps({"peer": "pgx"} | options.sizes() | measure(options)))


if __name__ == "__main__":
    main()
