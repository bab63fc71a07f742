"""Tree searches that stop by the clock: on the host, around compiled pieces."""

import dataclasses
import time
from typing import Any, NamedTuple

import chex
import jax

from azjax.search.config import MAX_SIMULATIONS, SearchConfig
from azjax.search.models.model import Model
from azjax.search.pieces import SearchPieces, TracedInputs
from azjax.search.registry import runs_in_pieces
from azjax.search.result import SearchResult
from azjax.search.tree_search import SearchState
from azjax.support.machine.devices import make_mesh
from azjax.support.machine.memory import free_bytes
from azjax.support.validation import check_above

_PROBE = 64  # simulations by which the speed is measured
_ROOM = 4  # nodes for so many times the simulations that the measured speed gives
_MARGIN = 0.9  # of the measured speed, where the number of simulations is fixed beforehand
_MOST_PLANNED = 2**16  # of those; sequential halving has a table of that size
_MOST_BYTES = 2**30  # of a tree
_LEADING_BITS = 4  # sizes are rounded to them, so that programs are found in the compilation cache
_SHARE_OF_PIECE = 1 / 4  # of the time left: the speed may be that much lower than expected


class TimedSearch:
    """A search of B positions that takes a number of seconds.

    The tree's size, and with it the compiled program, is fixed before the first search: from the
    speed measured then, and from the memory. A search whose rules depend on the number of
    simulations plans one that the measured speed allows; it too ends when the time is over.

    How many simulations are made depends on the machine and on what else it does, so results are
    not reproducible.
    """

    def __init__(self, model: Model, config: SearchConfig, seconds: float):
        """Initializes a search that is not compiled yet.

        Args:
          model: What to search over.
          config: The algorithm and its sizes; the number of simulations is not used.
          seconds: The time of a search, compilation apart.

        Raises:
          ValueError: The seconds are not above 0, or the algorithm is no `TreeSearch`.
        """
        check_above("seconds", seconds, 0)
        if not runs_in_pieces(config.algorithm):
            raise ValueError(
                f"search.algorithm={config.algorithm!r}: seconds need a TreeSearch, which runs in "
                "pieces: give simulations"
            )
        self.seconds = seconds
        self._model, self._config = model, config
        self._prepared: tuple[SearchPieces, _Timing] | None = None

    def prepare(self, inputs: TracedInputs, keys: chex.PRNGKey, states: Any) -> None:
        """Compiles the search of positions [B, ...] of this shape, unless that is done."""
        if self._prepared is None:
            size = self._plan_size(self._compile(_PROBE), inputs, keys, states)
            pieces = self._compile(size)
            self._prepared = pieces, _measure(pieces, inputs, keys, states)

    def __call__(
        self,
        inputs: TracedInputs,
        keys: chex.PRNGKey,
        states: Any,
        seconds: float | None = None,
    ) -> SearchResult:
        """Searches B positions; the first call compiles before its time begins.

        Args:
          inputs: The numbers of the algorithm, and the model's.
          keys: [B].
          states: [B, ...] what the model represents; B is the same in all calls.
          seconds: Less time than the search's own, for this call.
        """
        self.prepare(inputs, keys, states)
        assert self._prepared is not None
        pieces, timing = self._prepared
        seconds = self.seconds if seconds is None else min(seconds, self.seconds)
        end = time.perf_counter() + seconds - timing.finish_seconds
        state, left = pieces.init(inputs, keys, states), pieces.num_simulations
        size = 1  # one simulation at least
        while size:
            state, elapsed = _run_timed(pieces, inputs, state, size)
            left -= size
            seconds_left = (end - time.perf_counter()) * _SHARE_OF_PIECE
            size = max(0, min(int(seconds_left * size / elapsed), left))
        return jax.block_until_ready(pieces.finish(inputs, state))

    def _compile(self, num_simulations: int) -> SearchPieces:
        config = dataclasses.replace(self._config, num_simulations=num_simulations)
        return SearchPieces(self._model, config)

    def _plan_size(
        self, probe: SearchPieces, inputs: TracedInputs, keys: chex.PRNGKey, states: Any
    ) -> int:
        """Returns the number of simulations that a tree is to have room for."""
        in_time = _measure(probe, inputs, keys, states).speed * self.seconds
        room, most = (_ROOM, MAX_SIMULATIONS) if probe.is_anytime else (_MARGIN, _MOST_PLANNED)
        memory = min(_MOST_BYTES, free_bytes(make_mesh(1)) // 2)
        in_memory = memory / probe.bytes_per_node(inputs, keys, states)
        return _round_down(int(min(room * in_time, most, in_memory)))


class _Timing(NamedTuple):
    """What a search has taken, compilation apart."""

    speed: float  # simulations per second
    finish_seconds: float


def _measure(
    pieces: SearchPieces, inputs: TracedInputs, keys: chex.PRNGKey, states: Any
) -> _Timing:
    """Compiles all pieces, and times them in one short search."""
    state, _ = _run_timed(pieces, inputs, pieces.init(inputs, keys, states), 1)
    size = min(_PROBE, pieces.num_simulations) - 1
    state, seconds = _run_timed(pieces, inputs, state, size)
    jax.block_until_ready(pieces.finish(inputs, state))
    start = time.perf_counter()
    jax.block_until_ready(pieces.finish(inputs, state))
    return _Timing(size / seconds, time.perf_counter() - start)


def _run_timed(
    pieces: SearchPieces, inputs: TracedInputs, state: SearchState, num_simulations: int
) -> tuple[SearchState, float]:
    """Returns the searches after more simulations, and the seconds that they took."""
    jax.block_until_ready(state)
    start = time.perf_counter()
    state = jax.block_until_ready(pieces.run(inputs, state, num_simulations))
    return state, time.perf_counter() - start


def _round_down(number: int) -> int:
    """Returns the number, 1 at least, with all but its leading bits 0."""
    shift = max(0, number.bit_length() - _LEADING_BITS)
    return max(1, number >> shift << shift)
