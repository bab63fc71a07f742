"""The options of players by name, as in `mcts:simulations=1000` and `RUN:search=puct`."""

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from azjax.support.errors import InputError, input_errors
from azjax.support.suggestions import did_you_mean
from azjax.support.validation import check_at_least, check_share


@dataclasses.dataclass(frozen=True)
class NoOptions:
    """Those of a player that has none."""


@dataclasses.dataclass(frozen=True)
class MinimaxOptions:
    """Those of `minimax`."""

    depth: int | None = None  # None: exact play


@dataclasses.dataclass(frozen=True)
class MctsOptions:
    """Those of `mcts`."""

    simulations: int = 200
    seconds: float | None = None  # of each move, instead of simulations
    search: str = "uct"
    c: float | None = None  # c_uct of search uct


@dataclasses.dataclass(frozen=True)
class AgentOptions:
    """Those of an agent."""

    simulations: int | None = None  # 0: the policy without search; None: those of its evaluations
    seconds: float | None = None  # of each move, instead of simulations
    search: str | None = None  # the algorithm; None: the run's own
    rollouts: float = 0.0  # weight of a rollout in a leaf's value

    @property
    def has_search(self) -> bool:
        """Whether the agent searches."""
        return self.simulations != 0 or self.seconds is not None

    def check(self, name: str) -> None:
        """Raises InputError about the player of this name if an option is out of range."""
        with input_errors(name):
            if self.simulations is not None:
                check_at_least("simulations", self.simulations, 0)
            check_share("rollouts", self.rollouts)
        if not self.has_search and (self.search is not None or self.rollouts):
            raise InputError(f"{name}: without simulations there is neither search nor rollouts")


PlayerOptions = NoOptions | MinimaxOptions | MctsOptions | AgentOptions
_Options = TypeVar("_Options", bound=PlayerOptions)


def parse_options(name: str, text: str, defaults: _Options) -> _Options:
    """Returns the default options, updated with `key=value,...`.

    Simulations that are given replace seconds among the defaults.

    Args:
      name: The player, for messages.
      text: The options.
      defaults: Those of the player's kind.

    Raises:
      InputError: A key is unknown, or a value is not of its type, or both simulations and seconds
        are given.
    """
    kinds = {field.name: field.type for field in dataclasses.fields(defaults)}
    options = {}
    for entry in filter(None, text.split(",")):
        key, _, value = entry.partition("=")
        if key in options:
            raise InputError(f"{name}: {key} is given twice")
        if key not in kinds:
            there = did_you_mean(key, kinds) if kinds else "it takes none"
            raise InputError(f"{name}: no option {key!r}; {there}")
        try:
            options[key] = _CONVERT[kinds[key]](value)
        except ValueError:
            wanted = "a whole number" if kinds[key] in (int, int | None) else "a number"
            raise InputError(f"{name}: {key}={value!r}: must be {wanted}") from None
    if "simulations" in options and "seconds" in kinds:
        if "seconds" in options:
            raise InputError(f"{name}: give either simulations or seconds")
        options["seconds"] = None
    return dataclasses.replace(defaults, **options)


_CONVERT: dict[Any, Callable[[str], Any]] = {
    int: int,
    int | None: int,
    float: float,
    float | None: float,
    str: str,
    str | None: str,
}
