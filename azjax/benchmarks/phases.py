"""The phases of a training iteration as separate programs, made of the functions of training."""

import concurrent.futures
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from azjax.config.run_config import RunConfig
from azjax.networks import Network
from azjax.runs.program import compile_slots
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
_STATE = TrainState(
    learner=_REPLICATED,
    best=_REPLICATED,
    games=_BY_GAME,
    replay=_REPLAY,
    key=_REPLICATED,
    iteration=_REPLICATED,
    opponent=_REPLICATED,
    parts=_REPLICATED,
)

_SHARE = np.array(0.5, np.float32)  # of the budget; it changes no speed

Phase = Callable[[], Any]  # calls a program, which is compiled at the first call


class Loop:
    """A run as `azjax train` trains it, sharded over as many devices as divide its games."""

    def __init__(self, run: RunConfig):
        """Initializes the run while its iteration compiles, as training does."""
        config = run.train
        self.context = make_context(config, axis_name=AXIS)
        self._mesh = make_mesh(config.most_devices(len(jax.devices())))
        self._configs = jax.tree.map(lambda x: jnp.float32(x)[None], config)
        init = jax.jit(_init, out_shardings=state_shardings(config, self._mesh))
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            states = beside.submit(init, config)
            self._iterate = compile_slots(config, self._mesh, num_slots=1).iterate
        self._states = states.result()  # a population of one

    @property
    def num_devices(self) -> int:
        """The number of devices that the games are sharded over."""
        return self._mesh.size

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
        arguments = state, state.replay, state.key, _SHARE
        return self._phase(
            update,
            arguments,
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

    def over_games(self, function: Callable[[Any], Any]) -> Phase:
        """Returns a function of the positions of all games, sharded over the devices."""
        return self._phase(function, (self.state.games.state,), (_BY_GAME,), _BY_GAME)

    def _phase(self, function: Callable, arguments: tuple, in_specs: Any, out_specs: Any) -> Phase:
        sharded = jax.shard_map(
            function, mesh=self._mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False
        )
        return functools.partial(jax.jit(sharded), *arguments)


def _init(config: TrainConfig) -> TrainState:
    state = init_train_state(config, jax.random.key(0))
    return jax.tree.map(lambda x: x[None], state)
