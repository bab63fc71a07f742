"""The phases of a training iteration as separate programs, which are timed one by one."""

import concurrent.futures
import dataclasses
import functools
import pathlib
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from azjax.config.run_config import RunConfig
from azjax.games import Game, State
from azjax.networks import Network, Variables
from azjax.runs.slots import compile_slots
from azjax.search import evaluate_with_network
from azjax.support.machine.devices import AXIS, make_mesh
from azjax.training import (
    Metrics,
    TrainConfig,
    TrainState,
    init_train_state,
    make_context,
    state_shardings,
)
from azjax.training.learner import learn
from azjax.training.state import PlayProgress, Replay

# Prefixes of pytrees, whatever the type of the tree.
_REPLICATED: Any = PartitionSpec()
_BY_GAME: Any = PartitionSpec(AXIS)
_BY_MOVE_AND_GAME: Any = PartitionSpec(None, AXIS)
_REPLAY = Replay(trajectory=_BY_MOVE_AND_GAME, num_written=_REPLICATED)
_STATE = TrainState(*len(TrainState._fields) * [_REPLICATED])
_STATE = _STATE._replace(games=_BY_GAME, replay=_REPLAY)
_SHARE = np.array(0.5, np.float32)  # of the budget; it changes no speed

Phase = Callable[[], Any]  # calls a program, which is compiled at the first call


def best_seconds(call: Phase, repeats: int) -> float:
    """Returns the fewest seconds of several calls, after one that may compile."""
    seconds = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        jax.block_until_ready(call())
        seconds.append(time.perf_counter() - began)
    return min(seconds[1:])


class Loop:
    """A run as `azjax train` trains it, sharded over as many devices as divide its games."""

    def __init__(self, run: RunConfig):
        """Initializes the run while its iteration compiles, as training does."""
        config = run.train
        self.context = make_context(config, axis_name=AXIS)
        self.num_devices = config.most_devices(len(jax.devices()))
        self._mesh = make_mesh(self.num_devices)
        self._configs = jax.tree.map(lambda x: jnp.float32(x)[None], config)
        init = jax.jit(_init, out_shardings=state_shardings(config, self._mesh))
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            states = beside.submit(init, config)
            self._iterate = compile_slots(config, self._mesh, num_slots=1).iterate
        self._states = states.result()  # a population of one

    @property
    def state(self) -> TrainState:
        """A copy of the run's state."""
        return jax.tree.map(lambda x: x[0], self._states)

    def iterate(self) -> Metrics:
        """Runs one iteration of the whole compiled loop; returns its metrics."""
        self._states, metrics = self._iterate(
            self._configs, jnp.array([True]), self._states, _SHARE[None]
        )
        return metrics

    def selfplay(self, network: Network | None = None) -> Phase:
        """Returns the self-play of an iteration, with the run's network or with another one."""
        context = dataclasses.replace(self.context, network=network or self.context.network)
        selfplay = functools.partial(context.config.algorithm.play, context)
        state = self.state
        return self._phase(
            selfplay,
            (state, state.key, _SHARE),
            (_STATE, _REPLICATED, _REPLICATED),
            (_BY_GAME, _BY_MOVE_AND_GAME, PlayProgress(_BY_MOVE_AND_GAME, _REPLICATED)),
        )

    def update(self) -> Phase:
        """Returns one gradient update on samples from replay."""
        config = dataclasses.replace(self.context.config, num_updates=1)
        update = functools.partial(learn, dataclasses.replace(self.context, config=config))
        state = self.state
        return self._phase(
            update,
            (state, state.replay, state.key, _SHARE),
            (_STATE, _REPLAY, _REPLICATED, _REPLICATED),
            (_REPLICATED, _REPLICATED, _REPLICATED),
        )

    def evaluation(self) -> Phase:
        """Returns one network evaluation of the positions of all games."""
        evaluate = evaluate_with_network(self.context.game, self.context.network)
        state = self.state
        return self._phase(
            lambda variables, states: evaluate(variables, None, states),
            (state.actor, state.games.state),
            (_REPLICATED, _BY_GAME),
            _BY_GAME,
        )

    def rules(self) -> Phase:
        """Returns as many steps, masks and observations as self-play makes, without a search."""
        config = self.context.config
        num_steps = config.num_moves * (config.search.num_simulations + 1)
        play = functools.partial(_play_first_legal, self.context.game, num_steps)
        return self._phase(play, (self.state.games.state,), (_BY_GAME,), _BY_GAME)

    def _phase(self, function: Callable, arguments: tuple, in_specs: Any, out_specs: Any) -> Phase:
        sharded = jax.shard_map(
            function, mesh=self._mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False
        )
        return functools.partial(jax.jit(sharded), *arguments)


def _init(config: TrainConfig) -> TrainState:
    """Returns the state of a population of one run."""
    return jax.tree.map(lambda x: x[None], init_train_state(config, jax.random.key(0)))


class LinearNetwork(Network):
    """Replaces a network at almost no cost; priors and values still depend on the position."""

    def apply(self, variables: Variables, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits [B, A] and values [B], linear in the observations."""
        del variables
        flat = observations.reshape(observations.shape[0], -1).astype(jnp.float32)
        weights = np.random.default_rng(0).normal(size=(flat.shape[1], self.num_actions + 1))
        outputs = flat @ jnp.asarray(weights / np.sqrt(len(weights)), jnp.float32)
        return outputs[:, :-1], jnp.tanh(outputs[:, -1])


def seconds_by_part(loop: Loop, repeats: int) -> dict[str, float]:
    """Returns the seconds of an iteration, by part.

    - network: the difference between self-play with the network and with `LinearNetwork`
    - rules: as many steps, masks and observations as self-play makes, without a search
    - tree: self-play with `LinearNetwork`, without the rules
    - learning: the iteration without self-play
    """
    network = loop.context.network
    linear = LinearNetwork(network.config, network.observation_shape, network.num_actions)
    iteration = best_seconds(loop.iterate, repeats)
    selfplay = best_seconds(loop.selfplay(), repeats)
    without = best_seconds(loop.selfplay(linear), repeats)
    rules = best_seconds(loop.rules(), repeats)
    return {
        "network": selfplay - without,
        "tree": without - rules,
        "rules": rules,
        "learning": iteration - selfplay,
    }


def write_trace(loop: Loop, folder: pathlib.Path) -> None:
    """Writes a trace of one warm iteration, for TensorBoard's profiler or Perfetto."""
    with jax.profiler.trace(folder):
        jax.block_until_ready(loop.iterate())


def _play_first_legal(game: Game, num_steps: int, states: State) -> jax.Array:
    """Plays the first legal action of [B] states repeatedly; returns [B] sums of observations."""

    def step(states, _):
        first_legal = jax.vmap(game.legal_action_mask)(states).argmax(axis=-1)
        after = jax.vmap(game.step)(states, first_legal)
        return after, jax.vmap(game.observe)(after).sum(axis=(1, 2, 3))

    return jax.lax.scan(step, states, length=num_steps)[1].sum(axis=0)
