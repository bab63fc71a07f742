"""A tree search as compiled pieces that carry its trees, to watch it or to stop it in time."""

import dataclasses
import time
from typing import Any, NamedTuple

import chex
import jax

from azjax.search.model import Model
from azjax.search.search import MAX_SIMULATIONS, Search, SearchResult
from azjax.search.tree_search import SearchState, TreeSearch
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


class SearchPieces:
    """The pieces of tree searches over one model; each is compiled when first called.

    The search of a call may have other numbers than the one that a piece was compiled for. Its
    options, such as the number of simulations, by which the trees have their size, are part of the
    program; in all calls that carry one tree they must be the same.

    Attributes:
      init: (search, params, keys [B], states [B, ...], kept) -> B searches before their first
        simulation. What is kept is of `init_kept` or of the search's `keep`.
      init_kept: (search, params, states) -> what is kept before the first search.
      run: (search, params, searches, number of simulations) -> the searches after that many more;
        those that are given cannot be used again.
      finish: (search, searches) -> the result so far, after one simulation at least.
    """

    def __init__(self, model: Model):
        def init(
            search: TreeSearch, params: Any, keys: chex.PRNGKey, states: Any, kept: Any = None
        ) -> SearchState:
            return search.init(model, params, keys, states, kept)

        def init_kept(search: TreeSearch, params: Any, states: Any) -> Any:
            return search.init_kept(model, params, states)

        def run(
            search: TreeSearch, params: Any, state: SearchState, num_simulations: chex.Numeric
        ) -> SearchState:
            return search.run(model, params, state, num_simulations)

        def finish(search: TreeSearch, state: SearchState) -> SearchResult:
            return search.finish(model, state)

        self.init, self.init_kept, self.finish = jax.jit(init), jax.jit(init_kept), jax.jit(finish)
        # Without donation every piece would copy the tree.
        self.run = jax.jit(run, donate_argnums=2)


class TimedSearch:
    """A search of B positions that takes a number of seconds.

    The tree's size, and with it the compiled program, is fixed before the first search: from the
    speed measured then, and from the memory. A search whose rules depend on the number of
    simulations plans one that the measured speed allows; it too ends when the time is over.

    How many simulations are made depends on the machine and on what else it does, so results are
    not reproducible.
    """

    def __init__(self, model: Model, search: Search, seconds: float):
        """Initializes a search that is not compiled yet, for seconds apart from compilation.

        The number of simulations of the search is not used. A call may have another search of the
        same options, with other numbers.

        Raises:
          ValueError: The seconds are not above 0, or the search is no `TreeSearch`.
        """
        check_above("seconds", seconds, 0)
        if not isinstance(search, TreeSearch):
            raise ValueError(
                f"search.name={search.name!r}: seconds need a TreeSearch, which runs in pieces: "
                "give simulations"
            )
        self.seconds = seconds
        self._pieces = SearchPieces(model)
        self._prepared: _Timing | None = None

    def prepare(self, search: TreeSearch, *inputs: Any) -> None:
        """Compiles the search of inputs as in a call, unless that is done."""
        if self._prepared is None:
            size = self._plan_size(search, *inputs)
            self._prepared = _measure(self._pieces, _resize(search, size), *inputs)

    def __call__(
        self,
        search: TreeSearch,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        seconds: float | None = None,
        kept: Any = None,
    ) -> SearchResult:
        """Searches B positions; the first call compiles before its time begins.

        In all calls B and the options of the search are the same. Seconds, if given, are less than
        the search's own. A search that keeps trees goes on with what an earlier one kept, if given.
        """
        self.prepare(search, params, keys, states)
        assert self._prepared is not None
        left = self._prepared.num_simulations
        search = _resize(search, left)
        seconds = self.seconds if seconds is None else min(seconds, self.seconds)
        end = time.perf_counter() + seconds - self._prepared.finish_seconds
        state = _begin(self._pieces, search, params, keys, states, kept)
        size = 1  # one simulation at least
        while size:
            state, elapsed = _run_timed(self._pieces, search, params, state, size)
            left -= size
            seconds_left = (end - time.perf_counter()) * _SHARE_OF_PIECE
            size = max(0, min(int(seconds_left * size / elapsed), left))
        result = jax.block_until_ready(self._pieces.finish(search, state))
        if not search.keeps_trees:
            return result
        return result._replace(kept=search.keep(state))

    def _plan_size(self, search: TreeSearch, *inputs: Any) -> int:
        """Returns the number of simulations that a tree is to have room for."""
        probe = _resize(search, _PROBE)
        in_time = _measure(self._pieces, probe, *inputs).speed * self.seconds
        room, most = (_ROOM, MAX_SIMULATIONS) if search.is_anytime else (_MARGIN, _MOST_PLANNED)
        memory = min(_MOST_BYTES, free_bytes(make_mesh(1)) // 2)
        num_trees = 2 if search.keeps_trees else 1  # with the one that is kept
        in_memory = memory / num_trees / _bytes_per_node(self._pieces, probe, *inputs)
        in_memory -= search.kept_nodes
        return _round_down(int(max(1, min(room * in_time, most, in_memory))))


class _Timing(NamedTuple):
    """What a search has taken, compilation apart."""

    num_simulations: int  # that its tree has room for
    speed: float  # simulations per second
    finish_seconds: float


def _resize(search: TreeSearch, num_simulations: int) -> TreeSearch:
    return dataclasses.replace(search, num_simulations=num_simulations)


def _begin(
    pieces: SearchPieces, search: TreeSearch, params: Any, keys: Any, states: Any, kept: Any = None
) -> SearchState:
    """Returns searches before their first simulation, of the same program whatever is kept."""
    if kept is None:
        kept = pieces.init_kept(search, params, states)
    return pieces.init(search, params, keys, states, kept)


def _measure(pieces: SearchPieces, search: TreeSearch, params: Any, *inputs: Any) -> _Timing:
    """Compiles all pieces, and times them in one short search."""
    state, _ = _run_timed(pieces, search, params, _begin(pieces, search, params, *inputs), 1)
    size = min(_PROBE, search.num_simulations) - 1
    state, seconds = _run_timed(pieces, search, params, state, size)
    jax.block_until_ready(pieces.finish(search, state))
    start = time.perf_counter()
    jax.block_until_ready(pieces.finish(search, state))
    return _Timing(search.num_simulations, size / seconds, time.perf_counter() - start)


def _run_timed(
    pieces: SearchPieces, search: TreeSearch, params: Any, state: SearchState, num_simulations: int
) -> tuple[SearchState, float]:
    """Returns the searches after more simulations, and the seconds that they took."""
    jax.block_until_ready(state)
    start = time.perf_counter()
    state = jax.block_until_ready(pieces.run(search, params, state, num_simulations))
    return state, time.perf_counter() - start


def _bytes_per_node(pieces: SearchPieces, search: TreeSearch, *inputs: Any) -> float:
    """Returns the memory of a node, in the search and in its result."""
    state = jax.eval_shape(pieces.init, search, *inputs)
    result = jax.eval_shape(pieces.finish, search, state)
    arrays = jax.tree.leaves((state.tree, result.tree))
    return sum(x.size * x.dtype.itemsize for x in arrays) / len(state.tree.parent)


def _round_down(number: int) -> int:
    """Returns the number, 1 at least, with all but its leading bits 0."""
    shift = max(0, number.bit_length() - _LEADING_BITS)
    return max(1, number >> shift << shift)
