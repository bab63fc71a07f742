"""Starts, stops and resumes trainings, whose flags and folders are checked before."""

import dataclasses
import itertools
import math
import pathlib
import shlex
import shutil
import threading
from collections.abc import Sequence
from typing import Annotated

import tyro

from azjax.config.fields import list_fields, list_numbers
from azjax.config.flag_words import as_flags
from azjax.config.flags import choose_components, parse_flags, split_lists
from azjax.config.grid import make_grid
from azjax.config.limits import Limits
from azjax.config.plugin_flag import given_plugins, plugin_flags
from azjax.config.preset_file import SUFFIX, folder_name
from azjax.config.presets import get_preset
from azjax.config.run_config import RunConfig
from azjax.page.runs_folder import DEEPEST, path_below, require_plugins
from azjax.page.training.processes import Jobs, StopSignals, shown_command
from azjax.page.training.runs import UNFINISHED, RunMonitor, WatchedRun, select_runs
from azjax.runs.storage.run_description import DESCRIPTION
from azjax.runs.storage.run_folders import check_is_free, is_run
from azjax.runs.storage.run_notes import RunNotes, write_notes
from azjax.support.errors import InputError, input_errors, writing_errors
from azjax.support.files.ownership import owned
from azjax.support.validation import check_seeds

_LONGEST = 2000  # characters of the overrides
_MOST_RUNS = 1000  # of one training: far above any use
# Flags that name other files, code or folders, or that the form has a place for.
_REFUSED = {
    "--plugin": "",
    "--truth": "",
    "--init-from": "",
    "--budget-shares": "",
    "--wandb": "",
    "--replay": "",
    "--out": "; the form has the folder's name",
    "--resume": "; a run has a button for it",
    "--help": "",
    "-h": "",
}
_SPECIAL = "@:"  # what comes after them in an agent's name is no part of the folder
_PARSER = threading.Lock()  # of flags: its handler of errors is one for the process


@dataclasses.dataclass(frozen=True)
class StartRequest:
    """A training to start."""

    preset: str
    name: str  # of the run's folder, relative to the folder of runs
    flags: tuple[str, ...]


def read_request(
    preset: str, name: str, overrides: str = "", minutes: str = "", seed: str = ""
) -> StartRequest:
    """Returns the request of a form's texts: `overrides` are flags of `azjax train`, in one line.

    Raises:
      InputError: A text names no preset, or a flag that the page does not take.
    """
    if not preset or preset.startswith("-"):
        raise InputError("choose a preset")
    if preset.endswith(SUFFIX):
        raise InputError(f"{preset}: the page takes no preset files; choose a preset by its name")
    if len(overrides) > _LONGEST:
        raise InputError(f"the flags have more than {_LONGEST} characters")
    try:
        words = shlex.split(overrides)
    except ValueError as error:
        raise InputError(f"the flags have a quotation that does not end: {error}") from error
    for flag, value in (("--minutes", minutes.strip()), ("--seed", seed.strip())):
        words += [flag, value] if value else []
    for word in words:
        flag = word.partition("=")[0].replace("_", "-")
        if flag in _REFUSED or flag.startswith("--tyro") or word == "--":
            raise InputError(f"the page does not take {flag}{_REFUSED.get(flag, '')}")
    return StartRequest(preset, name.strip(), tuple(words))


def check_folder(runs: pathlib.Path, request: StartRequest) -> pathlib.Path:
    """Returns the folder of a request, which is free.

    Raises:
      InputError: It is not, or its name is none below the folder of runs.
    """
    path = path_below(runs, request.name)
    parts = request.name.split("/")
    if any(part.startswith(".") for part in parts) or set(_SPECIAL) & set(request.name):
        raise InputError(f"{request.name}: a folder begins with no dot, and has no @ and no colon")
    if len(parts) > DEEPEST:
        raise InputError(f"{request.name} is more than {DEEPEST} folders deep")
    if any(is_run(parent) for parent in path.parents if parent.is_relative_to(runs)):
        raise InputError(f"{request.name} lies in the folder of a run: choose another name")
    try:
        check_is_free(path)
    except InputError as error:
        raise InputError(f"{request.name} is not free: choose another name") from error
    return path


@dataclasses.dataclass(frozen=True)
class _Options:
    """The flags of `azjax train` that the page passes on."""

    seed: int = 0
    seeds: int = 1
    minutes: float | None = None
    iterations: int | None = None
    keep_all_networks: bool = False
    devices: int | None = None
    config: Annotated[RunConfig, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=RunConfig
    )

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        Limits(self.minutes, self.iterations)
        check_seeds(self.seed, self.seeds)


def check_flags(request: StartRequest) -> None:
    """Raises InputError if a flag is wrong, with the line that the command would print."""
    with input_errors():
        preset = get_preset(request.preset)
    command = f"azjax train {request.preset}"
    with _PARSER:
        flags = list(request.flags)
        config = choose_components(preset.config, flags, command)
        lists, rest = split_lists(flags, list_numbers(config), command)
        try:
            options = parse_flags(_Options, rest, command, _Options(config=config))
        except SystemExit as stop:  # it would end the server
            raise InputError("the flags ask for the help of the command") from stop
    num_runs = options.seeds * math.prod(map(len, lists.values()))
    if num_runs > _MOST_RUNS:
        raise InputError(f"these are {num_runs:,} runs: the page starts at most {_MOST_RUNS:,}")
    with input_errors():
        seeds = range(options.seed, options.seed + options.seeds)
        make_grid(options.config, seeds, lists)


def suggest_flags(preset: str, text: str) -> list[str]:
    """Returns the flags that the last word of a text may become, each with a value or none.

    They are those of the components that the text chooses, with the preset's values; a switch is
    the one that changes it.
    """
    head, _, word = text.rpartition(" ")
    if not word.startswith("-"):
        return []
    try:
        config = choose_components(get_preset(preset).config, head.split(), "azjax train")
    except (InputError, ValueError):  # the visitor is told when the training is started
        return []
    options = [field for field in dataclasses.fields(_Options) if field.name != "config"]
    fields = list_fields(config) | {field.name: field.default for field in options}
    flags = [
        as_flags({name: not value if isinstance(value, bool) else value})
        or [f"--{name.replace('_', '-')}"]
        for name, value in fields.items()
    ]
    found = [x for x in flags if word.strip("-") in x[0] and x[0] not in _REFUSED]
    return [" ".join(x) for x in sorted(found, key=lambda x: not x[0].startswith(word))]


def free_name(runs: pathlib.Path, preset: str) -> str:
    """Returns a name for the folder of a new run: its preset's, numbered if it is taken."""
    base = folder_name(preset) or "run"
    names = itertools.chain([base], (f"{base}_{number}" for number in itertools.count(2)))
    return next(name for name in names if not (runs / name).exists())


def start_arguments(
    request: StartRequest, folder: pathlib.Path, plugins: Sequence[str] = ()
) -> list[str]:
    """Returns what follows `azjax` for a new training with these plug-ins."""
    return ["train", request.preset, *request.flags, *plugin_flags(plugins), "--out", str(folder)]


def resume_arguments(preset: str, folder: pathlib.Path, plugins: Sequence[str] = ()) -> list[str]:
    """Returns what follows `azjax` to go on with the run or the runs in a folder.

    The process finds the plug-ins as the page has found them.

    Raises:
      InputError: They were started with a preset file, whose name means nothing here.
    """
    arguments = ["train", preset, "--resume", *plugin_flags(plugins), "--out", str(folder)]
    if preset.startswith("-") or preset.endswith(SUFFIX):
        command = shown_command(arguments)
        raise InputError(f"it was started with a preset file: go on in a terminal with {command}")
    return arguments


class Controls:
    """What a visitor can do with the runs."""

    def __init__(self, runs: pathlib.Path):
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

    def note(self, name: str, notes: RunNotes) -> None:
        """Writes the name and the notes that people give a run; InputError if it cannot."""
        write_notes(self._find_one(name).path, notes)
        self.monitor.look_again()

    def delete(self, name: str) -> None:
        """Deletes a run with all its files.

        Raises:
          InputError: There is none, or a process trains it, or is about to.
        """
        run = self._find_one(name)
        if run.state == "starting":
            raise InputError(f"{name} is about to be trained")
        owning = owned(run.path, trusts_file=True, trusts_hosts=True)
        with owning, writing_errors(run.path):
            (run.path / DESCRIPTION).unlink()  # from then on it is no run
            shutil.rmtree(run.path)
        self.jobs.forget(name)
        self.monitor.look_again()

    def _find_one(self, name: str) -> WatchedRun:
        run, *others = self._find(name)
        if others or run.name != name or not is_run(run.path):
            raise InputError(f"{name} is no single run")
        return run

    def _find(self, name: str) -> list[WatchedRun]:
        self.monitor.look_again()
        runs = select_runs(self.monitor.look(), [name])
        if not runs:
            raise InputError(f"there is no run {name}")
        return runs
