"""What a visitor asks to train, checked before a process is started."""

import dataclasses
import pathlib
import shlex
import sys
from collections.abc import Sequence

from azjax.config.plugin_flag import plugin_flags
from azjax.config.preset_file import SUFFIX, folder_name
from azjax.page.run_list import DEEPEST
from azjax.page.safe_paths import path_below
from azjax.runs.storage.run_folders import check_is_free, is_run
from azjax.support.errors import InputError

_LONGEST = 2000  # characters of the overrides
# Flags that name other files, code or folders, or that the form has a place for.
_REFUSED = {
    "--plugin": "",
    "--truth": "",
    "--init-from": "",
    "--budget-shares": "",
    "--games": "",
    "--out": "; the form has the folder's name",
    "--resume": "; a run has a button for it",
    "--help": "",
    "-h": "",
}
_SPECIAL = "@:"  # what comes after them in an agent's name is no part of the folder


@dataclasses.dataclass(frozen=True)
class StartRequest:
    """A training to start."""

    preset: str
    name: str  # of the run's folder, relative to the folder of runs
    flags: tuple[str, ...]


def read_request(
    preset: str, name: str, overrides: str = "", minutes: str = "", seed: str = ""
) -> StartRequest:
    """Returns the request of a form's texts.

    Args:
      preset: The preset.
      name: The name of the folder.
      overrides: Flags of `azjax train`, in one line.
      minutes: The length; that of the preset if empty.
      seed: The seed; that of the command line if empty.

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
        _check_word(word)
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


def free_name(runs: pathlib.Path, preset: str) -> str:
    """Returns a name for the folder of a new run: that of its preset, numbered if it is taken."""
    base = folder_name(preset) or "run"
    number = 1
    while (runs / (name := base if number == 1 else f"{base}_{number}")).exists():
        number += 1
    return name


def start_arguments(
    request: StartRequest, folder: pathlib.Path, plugins: Sequence[str] = ()
) -> list[str]:
    """Returns what follows `azjax` for a new training with these plug-ins."""
    return ["train", request.preset, *request.flags, *plugin_flags(plugins), "--out", str(folder)]


def resume_arguments(preset: str, folder: pathlib.Path, plugins: Sequence[str] = ()) -> list[str]:
    """Returns what follows `azjax` to go on with the run or the runs in a folder.

    Args:
      preset: The preset that they were started with.
      folder: The folder.
      plugins: The plug-ins that they need, which the process finds as the page has found them.

    Raises:
      InputError: They were started with a preset file, whose name means nothing here.
    """
    arguments = ["train", preset, "--resume", *plugin_flags(plugins), "--out", str(folder)]
    if preset.startswith("-") or preset.endswith(SUFFIX):
        command = shown_command(arguments)
        raise InputError(f"it was started with a preset file: go on in a terminal with {command}")
    return arguments


def process_command(arguments: list[str]) -> list[str]:
    """Returns the command line of the process of an `azjax` with these arguments."""
    return [sys.executable, "-m", "azjax", *arguments]


def shown_command(arguments: list[str]) -> str:
    """Returns the same as one would write it in a terminal."""
    return shlex.join(["azjax", *arguments])


def _check_word(word: str) -> None:
    flag = word.partition("=")[0].replace("_", "-")
    if flag in _REFUSED:
        raise InputError(f"the page does not take {flag}{_REFUSED[flag]}")
    if flag.startswith("--tyro") or word == "--":
        raise InputError(f"the page does not take {word}")
