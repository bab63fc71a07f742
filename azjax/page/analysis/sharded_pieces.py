"""The pieces of searches of several positions, which are spread over devices."""

from typing import Any

import chex
import jax
from jax.sharding import Mesh, PartitionSpec

from azjax.search import SearchPieces, SearchResult, SearchState, TreeSearch
from azjax.support.machine.devices import AXIS

_ALL: Any = PartitionSpec()  # the same on every device
_BY_POSITION: Any = PartitionSpec(AXIS)
_BY_POSITION_OF_NODE: Any = PartitionSpec(None, AXIS)
_SEARCHES = SearchState(
    tree=_BY_POSITION_OF_NODE,
    num_expanded=_ALL,
    keys=_BY_POSITION,
    extra_data=_BY_POSITION,
    legal=_BY_POSITION,
    prior_logits=_BY_POSITION,
)


class ShardedPieces:
    """Does what `SearchPieces` does, with positions and their trees sharded over the devices.

    The number of positions must be a multiple of the number of devices.
    """

    def __init__(self, pieces: SearchPieces, mesh: Mesh):
        """Binds the pieces to the devices; compiles nothing yet."""

        def shard(function: Any, in_specs: Any, out_specs: Any) -> Any:
            return jax.shard_map(
                function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False
            )

        self._init = jax.jit(
            shard(pieces.init, (_ALL, _ALL, _BY_POSITION, _BY_POSITION), _SEARCHES)
        )
        # Without donation every piece would copy the trees.
        run = shard(pieces.run, (_ALL, _ALL, _SEARCHES, _ALL), _SEARCHES)
        self._run = jax.jit(run, donate_argnums=2)
        self._finish = jax.jit(shard(pieces.finish, (_ALL, _SEARCHES), _BY_POSITION))

    def init(self, search: TreeSearch, params: Any, keys: chex.PRNGKey, states: Any) -> SearchState:
        """Returns the searches before their first simulation."""
        return self._init(search, params, keys, states)

    def run(
        self, search: TreeSearch, params: Any, state: SearchState, num_simulations: int
    ) -> SearchState:
        """Returns the searches after more simulations; the given state cannot be used again."""
        return self._run(search, params, state, num_simulations)

    def finish(self, search: TreeSearch, state: SearchState) -> SearchResult:
        """Returns the result so far, after one simulation at least."""
        return self._finish(search, state)
