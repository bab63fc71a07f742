"""The folder of a run, and where its files are."""

import dataclasses
import pathlib

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.runs.storage.initial_agent import InitialAgent
from azjax.support.files.ownership import Ownership

METRICS = "metrics.jsonl"  # the name of the file of metrics
HISTORY, BUDGET_SHARES = "history", "budget_shares.txt"  # what a new run may begin from


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
    def budget_shares(self) -> pathlib.Path:
        """The file of the share of the budget that was done before each iteration, one a line."""
        return self.path / BUDGET_SHARES

    @property
    def tensorboard(self) -> pathlib.Path:
        """The folder of TensorBoard's event files."""
        return self.path / "tensorboard"

    @property
    def curves(self) -> pathlib.Path:
        """The picture of the learning curves."""
        return self.path / "curves.png"
