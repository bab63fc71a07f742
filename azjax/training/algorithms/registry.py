"""The learning algorithms by name. `register_algorithm` adds one to `--algorithm`."""

from azjax.support.registry import Registry, calling_module
from azjax.training.algorithms.algorithm import Algorithm

_ALGORITHMS: Registry[Algorithm] = Registry("algorithm")


def register_algorithm(name: str, algorithm: Algorithm) -> None:
    """Registers a learning algorithm under a name that `TrainConfig.algorithm` then takes.

    Raises:
      ValueError: The name is taken, or it is no Algorithm.
    """
    if not isinstance(algorithm, Algorithm):
        raise ValueError(
            f"algorithm {name}: must be an azjax.training.Algorithm, is {type(algorithm).__name__}"
        )
    _ALGORITHMS.register(name, algorithm, calling_module())


def algorithm_names() -> list[str]:
    """Returns the names of the registered algorithms."""
    return _ALGORITHMS.names()


def check_algorithm(field: str, name: str) -> None:
    """Raises ValueError if the value of a field names no registered algorithm."""
    _ALGORITHMS.check(field, name)


def get_algorithm(name: str) -> Algorithm:
    """Returns the algorithm of a name.

    Raises:
      ValueError: None is registered under it.
    """
    return _ALGORITHMS.get(name)


def plugin_of_algorithm(name: str) -> str | None:
    """Returns the module outside azjax that registered an algorithm; None if it is built in."""
    return _ALGORITHMS.plugin(name)
