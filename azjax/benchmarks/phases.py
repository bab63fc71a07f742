"""The phases of an iteration as programs of their own: the very functions that training runs."""

import concurrent.futures
import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from azjax.networks import Network
from azjax.runs.slots import compile_slots
from azjax.search import evaluate_with_network
from azjax.support.devices import AXIS, make_mesh
from azjax.training import (
    Hyperparameters,
    TrainConfig,
    TrainState,
    init_train_state,
    make_context,
    state_shardings,
)
from azjax.training.learning import learn
from azjax.training.selfplay import play
from azjax.training.state import Replay

_WHOLE, _BY_GAME = PartitionSpec(), PartitionSpec(AXIS)
_BY_MOVE_AND_GAME = PartitionSpec(None, AXIS)

Phase = Callable[[], Any]  # one call of a program, warm from the second call on


class Loop:
    """A run as `azjax train` trains it, laid over all devices that can share its games."""

    def __init__(self, config: TrainConfig):
        """Begins the run while its iteration is compiled, as training does."""
        self.context = make_context(config, axis_name=AXIS)
        self._mesh = make_mesh(config.most_devices(len(jax.devices())))
        self._hyperparameters = jax.tree.map(jnp.float32, Hyperparameters())
        start = jax.jit(_start, static_argnums=0, out_shardings=state_shardings(self._mesh))
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            states = beside.submit(start, config, self._hyperparameters)
            self._iterate = compile_slots(config, self._mesh, num_slots=1).iterate
        self._states = states.result()  # a population of one

    @property
    def state(self) -> TrainState:
        """A copy of the run's state."""
        return jax.tree.map(lambda x: x[0], self._states)

    def iterate(self) -> Any:
        """Plays and learns, by the whole compiled loop; the run goes on."""
        numbers = jax.tree.map(lambda x: x[None], self._hyperparameters)
        self._states, metrics = self._iterate(numbers, jnp.array([True]), self._states)
        return metrics

    def selfplay(self, network: Network | None = None) -> Phase:
        """Returns the moves of an iteration, by the loop's network or by one in its place."""
        context = dataclasses.replace(self.context, network=network or self.context.network)
        moves = functools.partial(play, context)
        state = self.state
        arguments = self._hyperparameters, state.acting, state.games, state.key
        return self._phase(
            moves,
            arguments,
            (_WHOLE, _WHOLE, _BY_GAME, _WHOLE),
            (_BY_GAME, _BY_MOVE_AND_GAME, _BY_MOVE_AND_GAME),
        )

    def update(self) -> Phase:
        """Returns one gradient update on samples from replay."""
        config = dataclasses.replace(self.context.config, num_updates=1)
        one = functools.partial(learn, dataclasses.replace(self.context, config=config))
        state = self.state
        replay = Replay(trajectory=_BY_MOVE_AND_GAME, num_written=_WHOLE)
        arguments = self._hyperparameters, state.learner, state.replay, state.key
        return self._phase(one, arguments, (_WHOLE, _WHOLE, replay, _WHOLE), (_WHOLE, _WHOLE))

    def evaluation(self) -> Phase:
        """Returns one evaluation by the network of the position of every game."""
        evaluate = evaluate_with_network(self.context.game, self.context.network)
        state = self.state
        return self._phase(
            lambda variables, states: evaluate(variables, None, states),
            (state.acting, state.games.state),
            (_WHOLE, _BY_GAME),
            _BY_GAME,
        )

    def over_games(self, function: Callable[[Any], Any]) -> Phase:
        """Returns a function of the positions of all games, each device taking its own."""
        return self._phase(function, (self.state.games.state,), (_BY_GAME,), _BY_GAME)

    def _phase(self, function: Callable, arguments: tuple, in_specs: Any, out_specs: Any) -> Phase:
        spread = jax.shard_map(
            function, mesh=self._mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False
        )
        return functools.partial(jax.jit(spread), *arguments)


def _start(config: TrainConfig, hyperparameters: Hyperparameters) -> TrainState:
    state = init_train_state(config, hyperparameters, jax.random.key(0))
    return jax.tree.map(lambda x: x[None], state)
