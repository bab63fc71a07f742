"""The folders of the studies and sweeps that can be looked at, and their names."""

import pathlib
from collections.abc import Iterator
from typing import Literal, NamedTuple

from azjax.page.run_list import DEEPEST, folders_in
from azjax.page.safe_paths import name_below, path_below
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError

Kind = Literal["study", "sweep"]
_FILES: dict[str, Kind] = {"study.json": "study", "sweep.json": "sweep"}
_RUNS = "runs"  # the name of the folder of runs, whatever its path
_BESIDE = ("studies", "sweeps")  # folders beside that of the runs, where scripts put theirs


class StudyFolder(NamedTuple):
    """The folder of a study or a sweep."""

    name: str  # such as `studies/ablate_hex`: which folder it is in, and its path from there
    path: pathlib.Path
    kind: Kind

    @property
    def file(self) -> pathlib.Path:
        """The file that describes it."""
        return self.path / f"{self.kind}.json"

    def list_owned(self) -> list[pathlib.Path]:
        """Returns the folders of which a process that works on it owns one.

        Its runs are owned while they train, and the folder of a study while it is reported.
        """
        return [self.path, *self.path.glob("trials/*" if self.kind == "sweep" else "runs/*/*")]


def list_study_folders(runs: pathlib.Path) -> list[StudyFolder]:
    """Returns all studies and sweeps by name; links are not followed.

    Args:
      runs: The folder of runs.
    """
    found = [
        StudyFolder(f"{root}/{name_below(folder, path)}", path, kind)
        for root, folder in _roots(runs).items()
        for path, kind in _search(folder, DEEPEST)
    ]
    return sorted(one for one in found if one.name.isprintable())


def find_study_folder(runs: pathlib.Path, name: str) -> StudyFolder:
    """Returns the study or the sweep of a name.

    Raises:
      InputError: There is none.
    """
    root, _, rest = name.partition("/")
    folder = _roots(runs).get(root)
    if folder is None:
        raise InputError(f"{name[:200]!r} is no name of a study or a sweep")
    path = path_below(folder, rest)
    kind = _kind_of(path)
    if kind is None:
        raise InputError(f"there is no study and no sweep {name}")
    return StudyFolder(name, path, kind)


def _roots(runs: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the folders that hold studies and sweeps, by the first part of their names."""
    beside = {name: runs.parent / name for name in _BESIDE if runs.parent / name != runs}
    return {_RUNS: runs, **beside}


def _search(folder: pathlib.Path, depth: int) -> Iterator[tuple[pathlib.Path, Kind]]:
    for path in folders_in(folder) if depth else []:
        kind = _kind_of(path)
        if kind is not None:
            yield path, kind
        elif not is_run(path):
            yield from _search(path, depth - 1)


def _kind_of(path: pathlib.Path) -> Kind | None:
    return next((kind for file, kind in _FILES.items() if (path / file).is_file()), None)
