"""The figures of a study or a sweep."""

import pathlib

from azjax.page.safe_paths import name_below, path_below
from azjax.page.studies.links import figure_link
from azjax.page.studies.study_folders import StudyFolder, find_study_folder
from azjax.support.errors import InputError

_SUFFIX = ".png"
_FOLDERS = ("", "figures")
_FIRST = "end_of_training"  # the results


def figure_links(study: StudyFolder) -> dict[str, str]:
    """Returns the addresses of the figures by their names, such as `figures/play_time.png`."""
    links = {}
    for folder in _FOLDERS:
        files = (study.path / folder).glob(f"*{_SUFFIX}")
        for file in sorted(files, key=lambda file: (file.stem != _FIRST, file.name)):
            name = name_below(study.path, file)
            if name.isprintable() and file.is_file() and not file.is_symlink():
                links[name] = figure_link(study.name, name, file.stat().st_mtime_ns)
    return links


def figure_path(runs: pathlib.Path, study: str, figure: str) -> pathlib.Path:
    """Returns the path of a figure by the names that a visitor gives.

    Raises:
      InputError: There is no such figure.
    """
    path = path_below(find_study_folder(runs, study).path, figure)
    folder, _, _ = figure.rpartition("/")
    if path.suffix != _SUFFIX or folder not in _FOLDERS or not path.is_file():
        raise InputError(f"{study} has no figure {figure}")
    return path
