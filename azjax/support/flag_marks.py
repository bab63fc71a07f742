"""Annotations of fields that help on the command line reads."""

import dataclasses
from collections.abc import Callable, Sequence


@dataclasses.dataclass(frozen=True)
class NameOf:
    """Marks a text that is a registered name; help lists the names, the dataclass checks it.

    Annotates a field: `algorithm: Annotated[str, NameOf(search_names)] = "gumbel"`.
    """

    names: Callable[[], Sequence[str]]
