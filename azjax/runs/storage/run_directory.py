"""The folder of a run: its configuration, metrics, checkpoints, networks and curves."""

import contextlib
import dataclasses
import datetime
import json
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from azjax import games
from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig, from_dict, to_dict
from azjax.config.stored_config import read_config
from azjax.networks import NETWORK_VERSION, activation_dtype, plugin_of_network
from azjax.runs.own_game import check_own_game
from azjax.runs.storage.budget_shares import read_budget_shares, write_budget_shares
from azjax.search import plugin_of_search
from azjax.support.atomic_files import write_text_atomically
from azjax.support.bounded_files import read_json
from azjax.support.errors import InputError, reading_errors, writing_errors
from azjax.support.ownership import Ownership, owned
from azjax.support.plugins import Plugin, describe_plugin, load_plugin
from azjax.support.provenance.commit import package_commit, short_commit
from azjax.support.provenance.environment import describe_hardware, package_versions
from azjax.support.validation import check_seed, check_size

_FILE = "run.json"
_MAX_DEVICES = 2**20


@dataclasses.dataclass(frozen=True, repr=False)
class RunDirectory:
    """A run's folder, and its settings, of which a session may change those of `_changeable`."""

    path: pathlib.Path
    preset: str
    config: RunConfig
    seed: int
    num_devices: int
    limits: Limits
    truth: str | None = None  # the file or the name of its solved positions, if they were given
    is_trial: bool = False  # of a sweep, where the most accurate trials are chosen
    keep_all_networks: bool = False  # in its history; else ever fewer of the older ones
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
        return self.path / "history"

    @property
    def metrics(self) -> pathlib.Path:
        """The file of metrics, a line of JSON per iteration."""
        return self.path / "metrics.jsonl"

    @property
    def answers(self) -> pathlib.Path:
        """The file of the answers in sampled positions, a line of JSON per evaluation."""
        return self.path / "answers.jsonl"

    @property
    def budget_shares(self) -> pathlib.Path:
        """The file of the share of the budget that was done before each iteration, one a line."""
        return self.path / "budget_shares.txt"

    @property
    def tensorboard(self) -> pathlib.Path:
        """The folder of TensorBoard's event files."""
        return self.path / "tensorboard"

    @property
    def curves(self) -> pathlib.Path:
        """The picture of the learning curves."""
        return self.path / "curves.png"


def create_run(
    path: pathlib.Path,
    preset: str,
    config: RunConfig,
    seed: int,
    num_devices: int,
    limits: Limits,
    truth: str | None = None,
    shares: Sequence[float] = (),
    *,
    is_trial: bool = False,
    keep_all_networks: bool = False,
) -> RunDirectory:
    """Creates the folder of a new run, after a quick check of a game that is not built in.

    Its first iterations repeat `shares` of another run's budget.

    Raises:
      InputError: The folder is not empty, or cannot be created, or the game breaks a law.
    """
    check_is_free(path)
    check_own_game(config.train.game)
    settings = preset, config, seed, num_devices, limits, truth, is_trial, keep_all_networks
    run = RunDirectory(path, *settings)
    with writing_errors(path), owned(path):
        check_is_free(path)  # another process may have been quicker
        _write_description(path, _describe(run))
        if shares:
            write_budget_shares(run.budget_shares, shares)
    return run


@contextlib.contextmanager
def owned_runs(runs: Iterable[RunDirectory]) -> Iterator[list[RunDirectory]]:
    """Owns the folders of runs, before their training is compiled and until it has ended.

    Raises:
      InputError: Another process trains one of them, or a folder cannot be written.
    """
    with contextlib.ExitStack() as stack:
        yield [dataclasses.replace(run, owner=stack.enter_context(owned(run.path))) for run in runs]


def shares_of_run(run: RunDirectory) -> list[float]:
    """Returns the recorded shares of a run's budget, one per iteration.

    Raises:
      InputError: There are none, or their file is damaged.
    """
    shares = read_budget_shares(run.budget_shares)
    if not shares:
        raise InputError(f"{run.path} records no budget shares: it has not begun, or is too old")
    return shares


def record_session(run: RunDirectory, iteration: int) -> None:
    """Records that a session of a run begins after an iteration, and with what.

    What the session has changed of the run's settings is so from then on.

    Raises:
      OSError: The folder cannot be written.
    """
    description = read_description(run.path) | _changeable(run)
    session = {
        "began": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}",
        "iteration": iteration,
        **_changeable(run),
        **_environment(run.config),
    }
    description["sessions"] = [*description.get("sessions", []), session]
    _write_description(run.path, description)


def commits_of(description: dict[str, Any]) -> str:
    """Returns the commits of azjax that trained a run, in short, or `unknown` for an old run."""
    sessions = description.get("sessions") or [description]
    commits = [commit for session in sessions if (commit := session.get("commit"))]
    return ", ".join(dict.fromkeys(map(short_commit, commits))) or "unknown"


def absolute_truth(given: str | pathlib.Path | None) -> str | None:
    """Returns the truth to record: a file's absolute path, or the name of one in azjax as it is."""
    if given is None:
        return None
    path = pathlib.Path(given)
    return str(path.resolve() if path.is_file() else given)


def check_is_free(path: pathlib.Path) -> None:
    """Raises InputError if a folder cannot take a new run, or the runs of a population."""
    if is_run(path) or runs_below(path):
        raise InputError(
            f"{path} already holds a run: add --resume (in Python resume=True) to continue it, or "
            "choose another folder with --out"
        )
    check_is_empty(path)


def check_is_empty(path: pathlib.Path) -> None:
    """Raises InputError if a path exists and is not a folder without visible files."""
    if path.exists() and (not path.is_dir() or any(f.name[0] != "." for f in path.iterdir())):
        raise InputError(f"{path} exists and is not an empty folder: choose another with --out")


def runs_below(path: pathlib.Path) -> list[pathlib.Path]:
    """Returns the folders of the population's runs in a folder, in order."""
    folders = [below.parent for below in path.glob(f"*/{_FILE}")]
    return sorted(folders, key=lambda folder: (len(folder.name), folder.name))


def is_run(path: pathlib.Path) -> bool:
    """Tells whether the folder holds a run."""
    return (path / _FILE).is_file()


def open_run(path: pathlib.Path) -> RunDirectory:
    """Returns the run of a folder.

    Raises:
      InputError: The folder has no run, or it cannot be read, or its networks are outdated.
    """
    if not is_run(path):
        below = runs_below(path)
        if below:
            raise InputError(f"{path} holds {len(below)} runs: name one, such as {below[0]}")
        raise InputError(
            f"{path} holds no run: there is no {_FILE}; `azjax train` creates one, "
            "and an agent file is not a run"
        )
    with reading_errors(path / _FILE):
        saved = read_description(path)
        for plugin in saved.get("plugins", []):
            load_plugin(**plugin)
        run = _parse_description(path, saved)
    check_network_version(path, saved)
    return run


def _parse_description(path: pathlib.Path, saved: dict[str, Any]) -> RunDirectory:
    seed = from_dict(int, saved["seed"], "seed")
    num_devices = from_dict(int, saved["devices"], "devices")
    check_seed(seed)
    check_size("devices", num_devices, 1, _MAX_DEVICES)
    return RunDirectory(
        path,
        from_dict(str, saved["preset"], "preset"),
        read_config(saved["config"]),
        seed,
        num_devices,
        from_dict(Limits, saved["limits"], "limits"),
        from_dict(str | None, saved.get("truth"), "truth"),
        from_dict(bool, saved.get("is_trial", False), "is_trial"),
        # As versions did that do not record it.
        from_dict(bool, saved.get("keep_all_networks", True), "keep_all_networks"),
    )


def check_network_version(path: pathlib.Path, description: dict[str, Any]) -> None:
    """Raises InputError if the networks of a run or an agent file are of another version."""
    version = description.get("network_version", 1)
    if version != NETWORK_VERSION:
        raise InputError(
            f"{path} has networks of version {version}, and this azjax those of version "
            f"{NETWORK_VERSION}: train again, or use the version of azjax that made it"
        )


def read_description(path: pathlib.Path) -> dict[str, Any]:
    """Returns the content of a run's `run.json`."""
    return read_json(path / _FILE)


def plugins_of(config: RunConfig) -> list[Plugin]:
    """Returns the plug-ins that a configuration needs, apart from scripts and notebooks."""
    train = config.train
    modules = {
        games.plugin_of_game(train.game),
        plugin_of_network(train.network.architecture),
        plugin_of_search(train.search.algorithm),
        plugin_of_search(config.evaluation_search.algorithm),
    }
    described = [describe_plugin(module) for module in sorted(filter(None, modules))]
    return [plugin for plugin in described if plugin]


def precision_name(config: RunConfig) -> str:
    """Returns the precision of a configuration's networks on this machine."""
    return activation_dtype(config.train.network.precision).name


def _describe(run: RunDirectory) -> dict[str, Any]:
    return {
        "preset": run.preset,
        "seed": run.seed,
        "devices": run.num_devices,
        **_changeable(run),
        "is_trial": run.is_trial,
        "network_version": NETWORK_VERSION,
        "game_version": games.make(run.config.train.game).version,
        "plugins": [plugin._asdict() for plugin in plugins_of(run.config)],
        "config": to_dict(run.config),
        **_environment(run.config),
        "sessions": [],
    }


def _environment(config: RunConfig) -> dict[str, Any]:
    return {
        "commit": package_commit(),
        "hardware": describe_hardware(),
        "precision": precision_name(config),
        "versions": package_versions(),
    }


def _changeable(run: RunDirectory) -> dict[str, Any]:
    return {
        "limits": dataclasses.asdict(run.limits),
        "truth": run.truth,
        "keep_all_networks": run.keep_all_networks,
    }


def _write_description(path: pathlib.Path, description: dict[str, Any]) -> None:
    """Writes `run.json`, and creates its folder if needed."""
    path.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path / _FILE, json.dumps(description, indent=2) + "\n")
