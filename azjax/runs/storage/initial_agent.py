"""The agent whose network a run begins from, as `run.json` records it."""

import dataclasses
from typing import Any, NamedTuple

from azjax.config.stored_values import parse_value
from azjax.networks import Variables
from azjax.support.provenance.commit import short_commit


@dataclasses.dataclass(frozen=True)
class InitialAgent:
    """Which agent a run begins from, and how its network has grown."""

    name: str  # as it was given
    game: str
    iteration: int
    commit: str  # of azjax, in short; several if sessions of its run differ
    sha256: str  # of all arrays of its network, before any growth
    grown: str  # what has grown, such as `channels 32 to 64, 6 dead units revived`; or ""
    was_chosen: bool  # by a half of the solved positions: the other half reports on the run too

    def __str__(self) -> str:
        """Returns the agent in one line."""
        source = f"{self.name}, iteration {self.iteration}, commit {self.commit}"
        growth = f", grown: {self.grown}" if self.grown else ""
        return f"{source}, SHA-256 {short_commit(self.sha256)}{growth}"


class InitialNetwork(NamedTuple):
    """The network that a run begins from."""

    agent: InitialAgent
    variables: Variables  # of the run's sizes


def initial_agent_of(description: dict[str, Any]) -> InitialAgent | None:
    """Returns the agent that the run of a description begins from, or None.

    Raises:
      ValueError: Its record is damaged.
    """
    return parse_value(InitialAgent | None, description.get("init_from"), "init_from")
