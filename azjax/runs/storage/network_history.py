"""The history of a run's networks, one per evaluation: for ratings over time."""

import pathlib
from collections.abc import Iterable

import jax
import orbax.checkpoint as ocp

from azjax.networks import Network, Variables
from azjax.runs.storage.checkpoints import fingerprint, on_first_device
from azjax.runs.storage.orbax_manager import open_manager
from azjax.runs.storage.orbax_reading import read_saved
from azjax.runs.storage.orbax_writing import writable, write_items
from azjax.support.errors import InputError, first_line


class NetworkHistory:
    """A folder of networks by iteration, each with a fingerprint."""

    def __init__(self, path: pathlib.Path):
        """Opens the folder, which is created if missing."""
        self._path = path
        path.mkdir(parents=True, exist_ok=True)
        self._manager = open_manager(path)

    def save(self, iteration: int, variables: Variables) -> None:
        """Writes a network; it replaces one of the same iteration from before the run was resumed.

        Raises:
          OSError: The network cannot be written.
        """
        write_items(
            self._manager,
            iteration,
            network=ocp.args.StandardSave(writable(variables)),
            fingerprint=ocp.args.JsonSave({"sha256": fingerprint(variables)}),
        )

    def delete(self, iterations: Iterable[int]) -> None:
        """Deletes the networks of these iterations."""
        for iteration in iterations:
            self._manager.delete(iteration)

    def iterations(self) -> list[int]:
        """Returns the iterations of the networks, in order."""
        self._manager.reload()
        return sorted(self._manager.all_steps())

    def restore(self, network: Network, iteration: int) -> Variables:
        """Reads a network of the history.

        Raises:
          InputError: The network is damaged.
        """
        shapes = on_first_device(jax.eval_shape(network.init, jax.random.key(0)))
        try:
            read = read_saved(
                self._manager,
                iteration,
                network=ocp.args.StandardRestore(shapes),
                fingerprint=ocp.args.JsonRestore(),
            )
            if fingerprint(read.network) != read.fingerprint["sha256"]:
                raise ValueError("its arrays do not match its fingerprint")
        except Exception as error:  # a damaged file can raise any kind
            reason = first_line(error)
            raise InputError(
                f"{self._path} holds a damaged network of iteration {iteration} ({reason})"
            ) from error
        return read.network

    def close(self) -> None:
        """Closes the checkpoint manager."""
        self._manager.close()
