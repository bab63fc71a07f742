"""The compiled programs of a search, in pieces: it is watched, and leaves time for others."""

import dataclasses
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from azjax.evaluation.players.player import SearchAct, SearchParameters
from azjax.page.analysis.summary import Analysis, read_analyses
from azjax.page.worker import num_search_devices
from azjax.search import Search, SearchPieces, SearchResult, SearchState, TreeSearch
from azjax.support.machine.devices import AXIS, make_mesh, replicate, shard_over_devices

_SIZES = (1, 8, 32, 64, 128)  # positions that are searched at once
_LEAST_FILLED = 0.75  # of a batch; else a smaller one is searched first
_MAX_TREES = 8_000_000  # actions in all nodes of these trees, of some 40 bytes each
_NUM_FRAMES = 12  # of a search that is watched
_MOST_AT_ONCE = 8192  # simulations of a piece, in all its positions: a second on two cores
_FEW = 16  # positions; fewer take as long


_ALL: Any = PartitionSpec()  # the same on every device
_BY_POSITION: Any = PartitionSpec(AXIS)
_BY_POSITION_OF_NODE: Any = PartitionSpec(None, AXIS)
_SEARCHES = SearchState(
    tree=_BY_POSITION_OF_NODE,
    num_expanded=_ALL,
    keys=_BY_POSITION,
    roots=_BY_POSITION,
    prior_logits=_BY_POSITION,
)


@dataclasses.dataclass(frozen=True)
class Request:
    """A position to search."""

    state: Any
    seed: int


class SearchPrograms:
    """The programs of all players with one search; their parameters are arguments.

    A search that takes long runs in pieces: between two of them others can be searched, and the
    page can be closed.
    """

    def __init__(self, act: SearchAct, search: Search, rollout_weight: float):
        """Compiles nothing yet.

        Args:
          act: The function of the players.
          search: A search like theirs; its numbers do not matter.
          rollout_weight: The weight of rollouts in a leaf's value.
        """
        self._act, self._total = act, search.num_simulations
        nodes = act.game.num_actions * (self._total + 1)
        self.sizes = tuple(size for size in _SIZES if size == 1 or size * nodes <= _MAX_TREES)
        self.begun: set[int] = {1}  # those whose program is being compiled, or is
        self._ready: set[int] = set()
        most = min(_SIZES[1], num_search_devices())
        self._mesh = make_mesh(1 << (most.bit_length() - 1))  # a power of two divides all sizes
        self.can_be_watched = isinstance(search, TreeSearch)  # else it runs in one piece
        alone = search.for_one_position()
        self._leaves_at_once = alone.leaves_at_once if isinstance(alone, TreeSearch) else 1
        if self.can_be_watched:
            pieces = SearchPieces(act.make_model(rollout_weight))
            of_several = _shard(_tree_pieces(pieces, is_alone=False), self._mesh)
            self._pieces = [_tree_pieces(pieces, is_alone=True), of_several]
        else:
            whole = _Pieces(jax.jit(act.search), lambda _, found, n: found, lambda _, found: found)
            several = shard_over_devices(act.search, self._mesh)
            self._pieces = [whole, whole._replace(init=several)]

    def frames(self) -> list[int]:
        """Returns the simulations of each piece of a search that is watched."""
        most = max(math.ceil(self._total / _NUM_FRAMES), self._leaves_at_once)
        return self._split(min(most, _most_in_piece(1)))

    def parts(self, size: int) -> list[int]:
        """Returns the simulations of each piece of a search of a size."""
        return self._split(_most_in_piece(size)) if self.can_be_watched else [self._total]

    def size_for(self, count: int) -> int:
        """Returns the number of positions to search at once, given how many wait."""
        return _best_size([size for size in self.sizes if size in self._ready], count)

    def next_size(self, size: int) -> int | None:
        """Returns the next larger size, if there is one that nobody has begun to compile."""
        larger = next((one for one in self.sizes if one > size), None)
        return None if larger in self.begun else larger

    def compile(self, size: int, parameters: SearchParameters, state: Any) -> None:
        """Compiles the programs of a size, given any position; nothing is searched in full."""
        if size in self._ready:
            return
        begun = self.begin(size, parameters, [Request(state, 0)])
        self.read(size, parameters, self.go_on(size, parameters, begun, 1), 1)
        self._ready.add(size)

    def begin(
        self, size: int, parameters: SearchParameters, requests: Sequence[Request], kept: Any = None
    ) -> Any:
        """Begins to search positions, `size` at most; they are repeated up to it.

        One alone goes on with what `keep` returned of an earlier search in its game, if given.
        """
        padded = [requests[i % len(requests)] for i in range(size)]
        states = jax.tree.map(lambda *x: np.stack(x), *(one.state for one in padded))
        keys = _make_keys(np.array([one.seed for one in padded], np.uint32))
        if size > 1:
            by_position = NamedSharding(self._mesh, PartitionSpec(AXIS))
            keys, states = jax.device_put((keys, states), by_position)
            return self._pieces[1].init(self._replicated(size, parameters), keys, states)
        return self._pieces[0].init(parameters, keys, states, kept)

    def go_on(self, size: int, parameters: SearchParameters, state: Any, simulations: int) -> Any:
        """Returns searches after more simulations; the given state cannot be used again."""
        run = self._pieces[size > 1].run
        return jax.block_until_ready(run(self._replicated(size, parameters), state, simulations))

    def read(
        self, size: int, parameters: SearchParameters, state: Any, count: int
    ) -> list[Analysis]:
        """Returns what the first `count` searches have found so far."""
        found = self._pieces[size > 1].finish(self._replicated(size, parameters), state)
        return read_analyses(self._act.game, found, count)

    def keep(self, parameters: SearchParameters, state: Any) -> Any:
        """Returns what a later search keeps of one alone."""
        search = parameters.search
        if isinstance(search, TreeSearch) and search.keeps_trees:
            return search.keep(state)
        return None

    def _split(self, most: int) -> list[int]:
        return [min(most, self._total - done) for done in range(0, self._total, most)]

    def _replicated(self, size: int, parameters: SearchParameters) -> SearchParameters:
        """Returns the parameters on all devices that search."""
        return parameters if size == 1 else replicate(parameters, self._mesh)


class _Pieces(NamedTuple):
    """The pieces of a search, each a function of the parameters and of what follows."""

    init: Callable[..., Any]  # of keys, states and, if alone, what is kept; returns the searches
    run: Callable[..., Any]  # of the searches, and the number of simulations
    finish: Callable[..., SearchResult]  # of the searches


def _tree_pieces(pieces: SearchPieces, *, is_alone: bool) -> _Pieces:
    def of(own: SearchParameters) -> tuple[Search, Any]:
        return own.search.for_one_position() if is_alone else own.search, own.variables

    def init(own: SearchParameters, keys: Any, states: Any, kept: Any = None) -> Any:
        if is_alone and kept is None:
            kept = pieces.init_kept(*of(own), states)
        return pieces.init(*of(own), keys, states, kept)

    return _Pieces(
        init,
        lambda own, searches, n: pieces.run(*of(own), searches, n),
        lambda own, searches: pieces.finish(of(own)[0], searches),
    )


def _shard(pieces: _Pieces, mesh: Mesh) -> _Pieces:
    """Returns pieces whose positions, with their trees, are sharded over the devices.

    The number of positions must be a multiple of the number of devices.
    """
    shard = functools.partial(jax.shard_map, mesh=mesh, check_vma=False)
    by_position = (_ALL, _BY_POSITION, _BY_POSITION)
    init = shard(pieces.init, in_specs=by_position, out_specs=_SEARCHES)
    run = shard(pieces.run, in_specs=(_ALL, _SEARCHES, _ALL), out_specs=_SEARCHES)
    finish = shard(pieces.finish, in_specs=(_ALL, _SEARCHES), out_specs=_BY_POSITION)
    # Without donation every piece would copy the trees.
    return _Pieces(jax.jit(init), jax.jit(run, donate_argnums=1), jax.jit(finish))


def _most_in_piece(size: int) -> int:
    """Returns the most simulations of a piece of a search of so many positions."""
    return _MOST_AT_ONCE // max(size, _FEW)


def _best_size(sizes: Sequence[int], count: int) -> int:
    """Returns the size that fits all, if it is filled well enough; else the largest below."""
    above = next((size for size in sizes if size >= count), sizes[-1])
    below = max((size for size in sizes if size <= count), default=above)
    return above if count >= _LEAST_FILLED * above else below


@jax.jit
@jax.vmap
def _make_keys(seed: jax.Array) -> jax.Array:
    """Returns [B] the keys that `search_position` makes of these seeds [B]."""
    return jax.random.split(jax.random.key(seed), 1)[0]
