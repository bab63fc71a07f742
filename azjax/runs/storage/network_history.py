"""The history of a run's networks, one per evaluation: for ratings over time."""

import pathlib
from collections.abc import Iterable

import jax

from azjax.networks import Network, Variables
from azjax.runs.storage.orbax_folder import OrbaxFolder, fingerprint
from azjax.support.errors import InputError

_NEWEST, _SPAN = 20, 8


class NetworkHistory(OrbaxFolder):
    """A folder of networks by iteration."""

    def __init__(self, path: pathlib.Path):
        """Opens the folder, which is created if missing."""
        path.mkdir(parents=True, exist_ok=True)
        super().__init__(path, "network")

    def save(self, iteration: int, variables: Variables) -> None:
        """Writes a network; it replaces one of the same iteration from before the run was resumed.

        Raises:
          OSError: The network cannot be written.
        """
        self.write(iteration, variables, fingerprint(variables))

    def restore(self, network: Network, iteration: int) -> Variables:
        """Reads a network of the history.

        Raises:
          InputError: The network is damaged.
        """
        shapes = jax.eval_shape(network.init, jax.random.key(0))
        try:
            return self.read(iteration, shapes, lambda variables: variables)[0]
        except ValueError as error:
            raise InputError(
                f"{self.path} holds a damaged network of iteration {iteration} ({error})"
            ) from error


def to_keep(iterations: Iterable[int], evaluate_every: int, best: int | None = None) -> set[int]:
    """Returns the iterations whose networks are kept: 20, and up to 4 for each doubling of age.

    Always kept are the first, the last and the best. The evaluation at `n * evaluate_every` is kept
    until it is 8 * 2^k evaluations old, where 2^k is the largest power of two that divides n. That
    depends on it and on the newest alone, so what is dropped is not missed later, and a resumed run
    keeps what it would have kept without the stop.

    Args:
      iterations: The iterations of the networks that there are.
      evaluate_every: Iterations between two regular evaluations.
      best: The iteration of the best network, if accuracy is measured.
    """
    ordered = sorted(iterations)
    kept = {*ordered[:1], *ordered[-_NEWEST:]}
    for iteration in ordered:
        number, rest = divmod(iteration, evaluate_every)
        age = ordered[-1] // evaluate_every - number
        if iteration == best or (rest == 0 and age < _SPAN * (number & -number)):
            kept.add(iteration)
    return kept
