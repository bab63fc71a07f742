"""The compiled programs of a search: in pieces for one position, and whole for several at once."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from azjax.evaluation.players.player import SearchAct, SearchParameters
from azjax.page.analysis.report import Analysis, read_analyses
from azjax.page.devices import num_search_devices
from azjax.search import Numbers, SearchPieces, SearchState, runs_in_pieces
from azjax.support.machine.devices import AXIS, make_mesh, replicate, shard_over_devices

_SIZES = (1, 8, 32, 64, 128)  # positions that are searched at once
_LEAST_FILLED = 0.75  # of a batch; else a smaller one is searched first
_MAX_TREES = 8_000_000  # actions in all nodes of these trees, of some 40 bytes each
_NUM_FRAMES = 12  # of a search that is watched


@dataclasses.dataclass(frozen=True)
class Request:
    """A position to search."""

    state: Any
    seed: int


class SearchPrograms:
    """The programs of all players with one search; their parameters are arguments."""

    def __init__(self, act: SearchAct, rollout_weight: float):
        """Compiles nothing yet.

        Args:
          act: The search.
          rollout_weight: The weight of rollouts in a leaf's value.
        """
        self._act = act
        nodes = act.game.num_actions * (act.config.num_simulations + 1)
        self.sizes = tuple(size for size in _SIZES if size == 1 or size * nodes <= _MAX_TREES)
        self.begun: set[int] = {1}  # those whose program is being compiled, or is
        self._compiled: dict[int, Any] = {}  # the programs by size
        self._whole = jax.jit(act.search)
        self._mesh = make_mesh(_power_of_two(min(_SIZES[1], num_search_devices())))
        self._sharded: Any = shard_over_devices(act.search, self._mesh)
        self.pieces: SearchPieces | None = None
        if runs_in_pieces(act.config.algorithm):
            self.pieces = SearchPieces(act.make_model(rollout_weight), act.config)

    def frames(self) -> list[int]:
        """Returns the simulations of each piece of a search that is watched."""
        total = self._act.config.num_simulations
        size = math.ceil(total / _NUM_FRAMES)
        return [min(size, total - done) for done in range(0, total, size)]

    def size_for(self, count: int) -> int:
        """Returns the number of positions to search at once, given how many wait."""
        return _best_size([size for size in self.sizes if size in self._compiled], count)

    def missing_for(self, count: int) -> int | None:
        """Returns the size for so many positions, if nobody has begun to compile it."""
        best = _best_size(self.sizes, count)
        return None if best in self.begun else best

    def compile(self, size: int, parameters: SearchParameters, state: Any) -> None:
        """Compiles the program of a size, given any position; nothing is searched in full."""
        if size in self._compiled:
            return
        program = self._whole if size == 1 else self._sharded
        arguments = self._arguments(size, parameters, [Request(state, 0)])
        compiled = program.lower(*arguments).compile()
        if size == 1 and self.pieces:
            self.frame(parameters, self.begin(parameters, Request(state, 0)), 1)
        self._compiled[size] = compiled

    def search(
        self, size: int, parameters: SearchParameters, requests: Sequence[Request]
    ) -> list[Analysis]:
        """Searches positions, `size` at most, at once; that size is compiled."""
        result = self._compiled[size](*self._arguments(size, parameters, requests))
        return read_analyses(self._act.game, result, len(requests))

    def _arguments(
        self, size: int, parameters: SearchParameters, requests: Sequence[Request]
    ) -> tuple[Any, ...]:
        """Returns the arguments of a program; positions are repeated up to its size."""
        padded = [requests[i % len(requests)] for i in range(size)]
        states = jax.tree.map(lambda *x: np.stack(x), *(one.state for one in padded))
        keys = _make_keys(np.array([one.seed for one in padded], np.uint32))
        if size == 1:
            return parameters, keys, states
        by_position = NamedSharding(self._mesh, PartitionSpec(AXIS))
        return replicate(parameters, self._mesh), *jax.device_put((keys, states), by_position)

    def begin(self, parameters: SearchParameters, request: Request) -> SearchState:
        """Begins to search one position in pieces."""
        assert self.pieces
        states = jax.tree.map(lambda x: np.asarray(x)[None], request.state)
        keys = _make_keys(np.array([request.seed], np.uint32))
        return self.pieces.init(_numbers(parameters), keys, states)

    def frame(
        self, parameters: SearchParameters, state: SearchState, num_simulations: int
    ) -> tuple[SearchState, Analysis]:
        """Searches on, and returns what is found so far; the given state cannot be used again."""
        assert self.pieces
        numbers = _numbers(parameters)
        state = self.pieces.run(numbers, state, num_simulations)
        (analysis,) = read_analyses(self._act.game, self.pieces.finish(numbers, state), 1)
        return state, analysis


def _power_of_two(most: int) -> int:
    """Returns the largest power of two that is at most a number."""
    return 1 << (most.bit_length() - 1)


def _best_size(sizes: Sequence[int], count: int) -> int:
    """Returns the size that fits all, if it is filled well enough; else the largest below."""
    above = next((size for size in sizes if size >= count), sizes[-1])
    below = max((size for size in sizes if size <= count), default=above)
    return above if count >= _LEAST_FILLED * above else below


def _numbers(parameters: SearchParameters) -> Numbers:
    return Numbers(parameters.hyperparameters, parameters.variables)


@jax.jit
@jax.vmap
def _make_keys(seed: jax.Array) -> jax.Array:
    """Returns [B] the keys that `search_position` makes of these seeds [B]."""
    return jax.random.split(jax.random.key(seed), 1)[0]
