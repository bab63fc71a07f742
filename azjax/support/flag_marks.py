"""Annotations of fields whose values are names, which help on the command line lists."""

import dataclasses
from collections.abc import Sequence

from azjax.support.registry import registered_names


@dataclasses.dataclass(frozen=True)
class NameOf:
    """Marks a text that names a registered thing of a kind: `Annotated[str, NameOf("search")]`.

    Who resolves the name checks it.
    """

    kind: str

    def names(self) -> Sequence[str]:
        """Returns the names that are registered."""
        return registered_names(self.kind)


@dataclasses.dataclass(frozen=True)
class OneOf:
    """Marks a text that is one of some words; the dataclass checks it."""

    words: tuple[str, ...]

    def names(self) -> Sequence[str]:
        """Returns the words."""
        return self.words
