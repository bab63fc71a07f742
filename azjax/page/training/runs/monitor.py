"""The runs below the folder of runs, as they are now."""

import collections
import dataclasses
import pathlib
import threading
import time
from collections.abc import Mapping

from azjax.page.newest_metrics import NOTHING, Newest, NewestMetrics
from azjax.page.owners import OwnerWatch
from azjax.page.run_list import FoundRun, list_runs
from azjax.page.safe_paths import path_below
from azjax.page.training.processes.jobs import Jobs
from azjax.page.training.processes.stop_signals import StopSignals
from azjax.page.training.runs.run_settings import RunSettings, read_run_settings
from azjax.page.training.runs.state import State, find_state
from azjax.runs.storage.run_description import DESCRIPTION
from azjax.runs.storage.run_directory import METRICS
from azjax.support.errors import InputError
from azjax.support.files.ownership import Owner

_SECONDS_BETWEEN_LOOKS = 0.9  # visitors who look in between see the same
_SECONDS_BETWEEN_SEARCHES = 5.0  # for new runs


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
    num_together: int = 1  # runs that its owner trains, itself among them: they stop together

    @property
    def population(self) -> str:
        """The name of the folder that the run is in; empty if it is that of all runs."""
        return self.name.rpartition("/")[0]


class RunMonitor:
    """Looks at all runs, for all visitors at once. Its methods read files."""

    def __init__(self, runs: pathlib.Path, jobs: Jobs, stops: StopSignals):
        """Takes the folder of runs, and the processes that the page has started, and stopped."""
        self._runs, self._jobs, self._stops = runs, jobs, stops
        self._lock = threading.Lock()
        self._owners, self._newest = OwnerWatch(), NewestMetrics()
        self._settings: dict[pathlib.Path, tuple[int, RunSettings | str]] = {}  # or what is wrong
        self._found: list[FoundRun] = []
        self._searched_at = self._looked_at = -_SECONDS_BETWEEN_SEARCHES
        self._seen: list[WatchedRun] = []

    def look(self) -> list[WatchedRun]:
        """Returns the runs by name; those of a moment ago if somebody has just looked."""
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
        runs += [self._watch_job(name, "starting") for name in running if name not in names]
        runs += [
            self._watch_job(name, "failed") for name in self._jobs.failed() if name not in names
        ]
        return sorted(_count_together(runs), key=lambda run: run.name)

    def _watch_job(self, name: str, state: State) -> WatchedRun:
        failure = self._jobs.failure(name, 0.0) if state == "failed" else ""
        return WatchedRun(name, self._runs / name, state, error=failure)

    def _watch(self, found: FoundRun, running: Mapping[str, float]) -> WatchedRun:
        path = found.path
        try:
            path_below(self._runs, found.name)
            settings = self._read_settings(path)
        except InputError as error:
            # A name that is no text cannot be sent to a browser as it is.
            name = found.name if found.name.isprintable() else ascii(found.name)
            return WatchedRun(name, path, "damaged", error=str(error))
        newest = self._newest.read(path / METRICS)
        owner = self._owners.find(path)
        is_stopping = owner is not None and self._stops.has_asked(owner)
        state, reason = find_state(settings, newest, owner, is_stopping=is_stopping), ""
        began = max(running.get(name, 0.0) for name in _log_names(found.name))
        if state == "stopped" and began > newest.changed_at:
            state = "starting"
        elif state == "stopped" and (failure := self._failure(found.name, newest.changed_at)):
            state, reason = "failed", failure
        return WatchedRun(
            found.name, path, state, owner, settings, newest, found.has_network, reason
        )

    def _failure(self, name: str, since: float) -> str:
        """Returns why the process of a run, or of the population that it is in, has failed."""
        found = (self._jobs.failure(one, since) for one in _log_names(name))
        return next(filter(None, found), "")

    def _read_settings(self, path: pathlib.Path) -> RunSettings:
        """Returns the settings of a run, read again when its description has changed."""
        try:
            changed = (path / DESCRIPTION).stat().st_mtime_ns
        except OSError:
            changed = 0
        known = self._settings.get(path)
        if known is None or known[0] != changed:
            known = changed, _settings_or_error(path)
            self._settings[path] = known
        if isinstance(known[1], str):
            raise InputError(known[1])
        return known[1]


def _settings_or_error(path: pathlib.Path) -> RunSettings | str:
    try:
        return read_run_settings(path)
    except InputError as error:
        return str(error)


def _count_together(runs: list[WatchedRun]) -> list[WatchedRun]:
    """Returns the runs, each with the number of those that its owner trains."""
    counts = collections.Counter(run.owner.process for run in runs if run.owner)
    return [
        dataclasses.replace(run, num_together=counts[run.owner.process]) if run.owner else run
        for run in runs
    ]


def select_runs(runs: list[WatchedRun], names: list[str]) -> list[WatchedRun]:
    """Returns the runs of these names, and those in the folders of these names."""
    return [run for run in runs if any(_is_named(run.name, name) for name in names)]


def _log_names(name: str) -> list[str]:
    """Returns the names of the logs that a run may have."""
    population = name.rpartition("/")[0]
    return [name, population] if population else [name]


def _is_named(run: str, name: str) -> bool:
    return run == name or run.startswith(f"{name}/")
