"""The folder of a run, where its files are, and the agent that it begins from."""

import dataclasses
import pathlib
from typing import NamedTuple

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.networks import Variables
from azjax.support.files.ownership import Ownership
from azjax.support.provenance.commit import short_commit

METRICS = "metrics.jsonl"  # the name of the file of metrics
HISTORY = "history"


@dataclasses.dataclass(frozen=True)
class InitialAgent:
    """Which agent a run begins from, and which heads its network has got."""

    name: str  # as it was given
    game: str
    iteration: int
    commit: str  # of azjax, in short; several if sessions of its run differ
    sha256: str  # of all arrays of its network, before
    grown: str  # what was added, such as `a value head`; or ""
    was_chosen: bool  # by a half of the solved positions: the other half reports on the run too

    def __str__(self) -> str:
        """Returns the agent in one line."""
        source = f"{self.name}, iteration {self.iteration}, commit {self.commit}"
        growth = f", added: {self.grown}" if self.grown else ""
        return f"{source}, SHA-256 {short_commit(self.sha256)}{growth}"


class InitialNetwork(NamedTuple):
    """The network that a run begins from."""

    agent: InitialAgent
    variables: Variables  # of the run's sizes


@dataclasses.dataclass(frozen=True, repr=False)
class RunDirectory:
    """A run's folder, and its settings.

    A session may change its devices, its limits, its truth, and whether it keeps all networks.
    """

    path: pathlib.Path
    preset: str
    config: RunConfig
    seed: int
    num_devices: int
    limits: Limits
    truth: str | None = None  # the file or the name of its solved positions, if they were given
    is_trial: bool = False  # of a sweep, where the most accurate trials are chosen
    keep_all_networks: bool = False  # in its history; else ever fewer of the older ones
    init_from: InitialAgent | None = None  # whose network, in its history, the run begins from
    budget_shares: tuple[float, ...] = ()  # of another run, which its first iterations repeat
    owner: Ownership | None = dataclasses.field(default=None, compare=False)  # if it is owned

    def __repr__(self) -> str:
        """Returns the run in one line."""
        return f"RunDirectory({self.path}: {self.title})"

    @property
    def title(self) -> str:
        """The game and the seed, for tables and figures."""
        return f"{self.config.train.game}, seed {self.seed}"

    @property
    def checkpoints(self) -> pathlib.Path:
        """The folder of checkpoints, a subfolder for each."""
        return self.path / "checkpoints"

    @property
    def history(self) -> pathlib.Path:
        """The folder of the network history, a subfolder for each evaluation."""
        return self.path / HISTORY

    @property
    def metrics(self) -> pathlib.Path:
        """The file of metrics, a line of JSON per iteration."""
        return self.path / METRICS

    @property
    def answers(self) -> pathlib.Path:
        """The file of the answers in sampled positions, a line of JSON per evaluation."""
        return self.path / "answers.jsonl"

    @property
    def tensorboard(self) -> pathlib.Path:
        """The folder of TensorBoard's event files."""
        return self.path / "tensorboard"

    @property
    def curves(self) -> pathlib.Path:
        """The picture of the learning curves."""
        return self.path / "curves.png"
