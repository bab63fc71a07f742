"""The runs below the folder of runs, as they are now, and in words."""

import collections
import dataclasses
import functools
import pathlib
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from azjax.config.limits import Limits
from azjax.config.stored_config import list_stored
from azjax.config.stored_values import parse_value
from azjax.page.runs_folder import FoundRun, list_runs, path_below
from azjax.page.training.processes import Jobs, StopSignals
from azjax.runs.evaluation.endings import find_ending
from azjax.runs.reporting.growing_metrics import NOTHING, Newest, read_newest
from azjax.runs.reporting.progress import clock
from azjax.runs.storage.run_description import (
    DESCRIPTION,
    check_sessions,
    commits_of,
    read_description,
)
from azjax.runs.storage.run_directory import METRICS
from azjax.runs.storage.run_notes import RunNotes, read_notes
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.ownership import OWNER_FILE, Owner, find_owner
from azjax.support.plurals import count

State = Literal[
    "starting", "compiling", "training", "stopping", "stopped", "finished", "failed", "damaged"
]

UNFINISHED: tuple[State, ...] = ("stopped", "failed")  # but not in training
_SECONDS_BETWEEN_LOOKS = 0.9  # visitors who look in between see the same
_SECONDS_BETWEEN_SEARCHES = 5.0  # for new runs


class RunSettings(NamedTuple):
    """The settings of a run that the view shows or needs."""

    game: str
    preset: str
    seed: int
    limits: Limits
    stop_when_perfect: bool
    rounds: int  # of a policy gradient
    is_trial: bool  # of a sweep, which continues it by itself
    fields: dict[str, Any]  # of its configuration, as the file holds them
    files: dict[str, str | None]  # that it began from, and is measured on, by their flags
    origin: dict[str, str]  # its commit, its machine and so on, each in one line


@functools.lru_cache(4096)
def read_run_settings(path: pathlib.Path, changed: int) -> RunSettings:
    """Returns the settings of the run in a folder, read again when its description has changed.

    None of its plug-ins is imported.

    Raises:
      InputError: Its description is damaged.
    """
    del changed
    with reading_errors(path / DESCRIPTION):
        saved = read_description(path)
        check_sessions(saved)
        config = saved["config"]
        newest = [saved, *saved.get("sessions", [])][-1]
        versions = newest.get("versions") or {}
        return RunSettings(
            game=parse_value(str, config["game"], "game"),
            preset=parse_value(str, saved["preset"], "preset"),
            seed=parse_value(int, saved["seed"], "seed"),
            limits=parse_value(Limits, saved["limits"], "limits"),
            stop_when_perfect=parse_value(bool, config.get("stop_when_perfect", False)),
            rounds=parse_value(int, config["algorithm"].get("rounds", 0), "rounds"),
            is_trial=parse_value(bool, saved.get("is_trial", False), "is_trial"),
            fields=list_stored(config),
            files={
                "init_from": (saved.get("init_from") or {}).get("name"),
                "truth": saved.get("truth"),
            },
            origin={
                "commit": commits_of(saved),
                "machine": str(newest.get("hardware") or "unknown"),
                "precision": str(newest.get("precision") or "unknown"),
                "versions": ", ".join(f"{name} {version}" for name, version in versions.items()),
            },
        )


@dataclasses.dataclass(frozen=True, eq=False)
class WatchedRun:
    """A run as it is now."""

    name: str  # relative to the folder of runs
    path: pathlib.Path
    state: State
    owner: Owner | None = None
    settings: RunSettings | None = None  # None if the run is damaged, or has no folder yet
    newest: Newest = NOTHING  # of its metrics
    has_network: bool = False
    error: str = ""  # what is wrong with it, in one line
    notes: RunNotes = dataclasses.field(default_factory=RunNotes)
    num_together: int = 1  # runs that its owner trains, itself among them: they stop together

    @property
    def population(self) -> str:
        """The name of the folder that the run is in; empty if it is the folder of all runs."""
        return self.name.rpartition("/")[0]

    @property
    def title(self) -> str:
        """The name that people gave it, with its own."""
        return f"{self.notes.name} ({self.name})" if self.notes.name else self.name


class RunMonitor:
    """Looks at all runs, for all visitors at once. Its methods read files."""

    def __init__(self, runs: pathlib.Path, jobs: Jobs, stops: StopSignals):
        self._runs, self._jobs, self._stops = runs, jobs, stops
        self._lock = threading.Lock()
        self._free: dict[pathlib.Path, int] = {}  # when the owner's file had changed, by its folder
        self._found: list[FoundRun] = []
        self._searched_at = self._looked_at = -_SECONDS_BETWEEN_SEARCHES
        self._seen: list[WatchedRun] = []

    def look(self) -> list[WatchedRun]:
        """Returns the runs by name, as of a moment ago if somebody has just looked."""
        with self._lock:
            now = time.monotonic()
            if now - self._looked_at >= _SECONDS_BETWEEN_LOOKS:
                is_due = now - self._searched_at >= _SECONDS_BETWEEN_SEARCHES
                if is_due or any(run.state == "starting" for run in self._seen):
                    self._found, self._searched_at = list_runs(self._runs), now
                self._seen = self._look()
                self._looked_at = time.monotonic()
            return self._seen

    def read_log(self, name: str) -> list[str]:
        """Returns the last lines of the log of a run, or of the population that it is in."""
        found = (self._jobs.read_log(one) for one in _log_names(name))
        return next(filter(None, found), [])

    def look_again(self) -> None:
        """Lets the next look see what has just been changed."""
        with self._lock:
            self._looked_at = self._searched_at = -_SECONDS_BETWEEN_SEARCHES

    def _look(self) -> list[WatchedRun]:
        running = self._jobs.running()
        runs = [self._watch(found, running) for found in self._found]
        names = {run.name for run in runs} | {run.population for run in runs}
        # Those without a folder: the others are told by what is in it.
        for name, failure in [*dict.fromkeys(running, "").items(), *self._jobs.failures().items()]:
            if name not in names:
                state: State = "starting" if name in running else "failed"
                runs.append(WatchedRun(name, self._runs / name, state, error=failure))
        counts = collections.Counter(run.owner.process for run in runs if run.owner)
        together = [
            dataclasses.replace(run, num_together=counts[run.owner.process]) if run.owner else run
            for run in runs
        ]
        return sorted(together, key=lambda run: run.name)

    def _watch(self, found: FoundRun, running: Mapping[str, float]) -> WatchedRun:
        path = found.path
        try:
            path_below(self._runs, found.name)
            with reading_errors(path / DESCRIPTION):
                changed = (path / DESCRIPTION).stat().st_mtime_ns
            settings = read_run_settings(path, changed)
        except InputError as error:
            # A name that is no text cannot be sent to a browser as it is.
            name = found.name if found.name.isprintable() else ascii(found.name)
            return WatchedRun(name, path, "damaged", error=str(error))
        newest, owner = read_newest(path / METRICS), self._find_owner(path)
        is_stopping = owner is not None and self._stops.has_asked(owner)
        state, reason = find_state(settings, newest, owner, is_stopping=is_stopping), ""
        if state == "stopped":
            names = _log_names(found.name)
            failures = (self._jobs.failure(name, newest.changed_at) for name in names)
            if max(running.get(name, 0.0) for name in names) > newest.changed_at:
                state = "starting"
            elif reason := next(filter(None, failures), ""):
                state = "failed"
        network, notes = found.has_network, read_notes(path)
        return WatchedRun(found.name, path, state, owner, settings, newest, network, reason, notes)

    def _find_owner(self, folder: pathlib.Path) -> Owner | None:
        """Returns the owner of a folder, or None, without being in its way.

        Who asks for the owner of a folder that has none holds its lock for a moment, and a process
        that begins to train must wait for it. So a folder without an owner is asked again only
        after its owner's file has changed: an owner changes it when it has the lock.
        """
        try:
            changed = (folder / OWNER_FILE).stat().st_mtime_ns
        except OSError:  # it never had an owner
            return None
        if self._free.get(folder) == changed:
            return None
        owner = find_owner(folder)
        if owner is None:
            self._free[folder] = changed
        return owner


def find_state(
    settings: RunSettings, newest: Newest, owner: Owner | None, *, is_stopping: bool = False
) -> State:
    """Returns the state of a run; `is_stopping` tells whether its owner was asked to stop."""
    if owner and is_stopping:
        return "stopping"
    if owner:
        is_of_owner = newest.changed_at >= owner.since
        return "training" if newest.iteration and is_of_owner else "compiling"
    ending = newest.iteration and find_ending(
        newest.last,
        settings.limits,
        stop_when_perfect=settings.stop_when_perfect,
        rounds=settings.rounds,
    )
    return "finished" if ending else "stopped"


def select_runs(runs: list[WatchedRun], names: list[str]) -> list[WatchedRun]:
    """Returns the runs of these names, and those in the folders of these names."""
    return [run for run in runs if any(f"{run.name}/".startswith(f"{name}/") for name in names)]


def _log_names(name: str) -> list[str]:
    """Returns the names of the logs that a run may have."""
    population = name.rpartition("/")[0]
    return [name, population] if population else [name]


def describe_run(run: WatchedRun) -> str:
    """Returns the newest numbers of a run in one line."""
    row = run.newest.last
    phrases = [run.settings.game, f"seed {run.settings.seed}"] if run.settings else []
    if row:
        phrases += [f"iteration {run.newest.iteration:,}", f"{clock(row['seconds'])} of training"]
    if row.get("simulations_per_second") is not None:
        phrases.append(f"{row['simulations_per_second']:,.0f} simulations/s")
    if accuracy := describe_accuracy(run):
        phrases.append(f"accuracy {accuracy}")
    if left := describe_left(run):
        phrases.append(f"{left} left")
    return ", ".join(phrases)


def describe_state(run: WatchedRun) -> str:
    """Returns the state of a run in words, with the process that trains it."""
    if run.owner is None:
        return run.state
    return f"{run.state}{' by' if run.state == 'training' else ','} {run.owner.name}"


def describe_states(runs: Sequence[WatchedRun]) -> str:
    """Returns how many runs are in which state, such as `3 runs: 2 training, 1 finished`."""
    states = [run.state for run in runs]
    counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
    return f"{count(len(runs), 'run')}: {', '.join(counts)}"


def describe_stop(runs: Sequence[WatchedRun]) -> str:
    """Returns what stops runs, such as `Stop`, or `Stop all 4 runs` that one process trains.

    It is `Stopping` where all that are trained have been asked to stop.
    """
    if any(run.owner for run in runs) and not can_stop(runs):
        return "Stopping"
    together = {run.owner.process: run.num_together for run in runs if run.owner}
    number = sum(together.values())
    return f"Stop all {count(number, 'run')}" if number > 1 else "Stop"


def can_stop(runs: Sequence[WatchedRun]) -> bool:
    """Tells whether some of the runs are trained by a process that is not stopping yet."""
    return any(run.owner and run.state != "stopping" for run in runs)


def describe_accuracy(run: WatchedRun) -> str:
    """Returns the newest accuracy of a run in words; empty if it was not measured."""
    row = run.newest.evaluation
    if not row:
        return ""
    network = row.get("accuracy_network")
    of_network = "" if network is None else f" ({network:.2%} network alone)"
    return f"{row['accuracy_search']:.2%}{of_network}"


def describe_left(run: WatchedRun) -> str:
    """Returns the time that a run in training has left, such as `04:30`; empty if not known."""
    share, seconds = share_done(run), run.newest.last.get("seconds")
    if run.state != "training" or not seconds or not share:
        return ""
    return clock(seconds * (1 - share) / share)


def share_done(run: WatchedRun) -> float:
    """Returns the share of a run that is done."""
    if run.state == "finished":
        return 1.0
    if run.settings is None or not run.newest.last:
        return 0.0
    return run.settings.limits.share_done(run.newest.iteration, run.newest.last["seconds"])


def label_runs(runs: Sequence[WatchedRun]) -> dict[str, str]:
    """Returns what each run is called among some, by its name in the folder of runs.

    That is the name which people gave it, if no other is called so, or its path without the folders
    that all of them are in.
    """
    parts = [run.name.split("/") for run in runs]
    most = min((len(some) for some in parts), default=1) - 1
    common = next((i for i in range(most) if len({some[i] for some in parts}) > 1), most)
    paths = ["/".join(some[common:]) for some in parts]
    called = collections.Counter([*paths, *(run.notes.name for run in runs)])
    return {
        run.name: run.notes.name if run.notes.name and called[run.notes.name] == 1 else path
        for run, path in zip(runs, paths, strict=True)
    }
