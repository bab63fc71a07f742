"""Starts, stops and resumes trainings. All of it reads files, or waits for processes."""

import pathlib

from azjax.config.plugin_flag import given_plugins
from azjax.page.runs_folder import require_plugins
from azjax.page.training.processes import Jobs, StopSignals
from azjax.page.training.runs import UNFINISHED, RunMonitor, WatchedRun, select_runs
from azjax.page.training.start_request import (
    StartRequest,
    check_flags,
    check_folder,
    resume_arguments,
    start_arguments,
)
from azjax.support.errors import InputError


class Controls:
    """What a visitor can do with the runs."""

    def __init__(self, runs: pathlib.Path):
        """Takes the folder of runs."""
        self._runs = runs
        self.jobs, self._stops = Jobs(runs), StopSignals()
        self.monitor = RunMonitor(runs, self.jobs, self._stops)

    def start(self, request: StartRequest) -> None:
        """Starts a training, which has the plug-ins that the page was started with.

        Raises:
          InputError: A flag is wrong, or the folder is not free.
        """
        folder = check_folder(self._runs, request)
        check_flags(request)
        self.jobs.start(request.name, start_arguments(request, folder, given_plugins()))
        self.monitor.look_again()

    def stop(self, name: str) -> None:
        """Asks the process that trains a run, or the runs of a population, to save and to stop.

        Each process gets one signal: a second one would stop it at once.

        Raises:
          InputError: None does, or it is stopping, or it is no `azjax train` on this machine.
        """
        processes = {run.owner.process for run in self._find(name) if run.owner}
        if not processes:
            raise InputError(f"nobody trains {name}")
        owners = [run.owner for run in self.monitor.look() if run.owner]
        self._stops.send(name, [owner for owner in owners if owner.process in processes])
        self.monitor.look_again()

    def resume(self, name: str) -> None:
        """Goes on with a run, or with the runs of a population.

        Raises:
          InputError: Nothing is left to do, or it is in training, or needs a plug-in that the page
            was not started with.
        """
        runs = self._find(name)
        presets = [run.settings.preset for run in runs if run.state in UNFINISHED and run.settings]
        if any(run.owner for run in runs):
            raise InputError(f"{name} is being trained already")
        if not presets:
            raise InputError(f"nothing is left to do for {name}")
        plugins = sorted({module for run in runs for module in require_plugins(run.path)})
        self.jobs.start(name, resume_arguments(presets[0], self._runs / name, plugins))
        self.monitor.look_again()

    def _find(self, name: str) -> list[WatchedRun]:
        self.monitor.look_again()
        runs = select_runs(self.monitor.look(), [name])
        if not runs:
            raise InputError(f"there is no run {name}")
        return runs
