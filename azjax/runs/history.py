"""The networks that a run played with, one for each look: what it takes to rate it over time."""

import pathlib

import jax
import orbax.checkpoint as ocp

from azjax.networks import Network, Variables
from azjax.runs.errors import InputError, RunError, in_short


class History:
    """A folder of networks by iteration; none is ever deleted."""

    def __init__(self, path: pathlib.Path):
        """Opens the folder, and makes it if need be."""
        self._path = path
        self._manager = ocp.CheckpointManager(
            path.absolute(),
            options=ocp.CheckpointManagerOptions(enable_async_checkpointing=False),
        )

    def save(self, iteration: int, variables: Variables) -> None:
        """Writes a network, in place of one that a run now resumed had written.

        Raises:
          RunError: It cannot be written.
        """
        try:
            if iteration in self.iterations():
                self._manager.delete(iteration)
            self._manager.save(iteration, args=ocp.args.StandardSave(variables), force=True)
        except Exception as error:  # Orbax and TensorStore raise many kinds for a full disk
            raise RunError(
                f"the network of iteration {iteration} could not be written to "
                f"{self._path} ({in_short(error)})"
            ) from error

    def iterations(self) -> list[int]:
        """Returns the iterations whose networks there are, in order."""
        self._manager.reload()
        return sorted(self._manager.all_steps())

    def restore(self, network: Network, iteration: int) -> Variables:
        """Reads a network that is there.

        Raises:
          InputError: It is damaged.
        """
        device = jax.sharding.SingleDeviceSharding(jax.devices()[0])
        shapes = jax.tree.map(
            lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=device),
            jax.eval_shape(network.init, jax.random.key(0)),
        )
        try:
            return self._manager.restore(iteration, args=ocp.args.StandardRestore(shapes))
        except Exception as error:  # whatever a damaged file makes a reader raise
            raise InputError(
                f"the network of iteration {iteration} in {self._path} is damaged "
                f"({in_short(error)})"
            ) from error

    def close(self) -> None:
        """Frees what the manager holds."""
        self._manager.close()
