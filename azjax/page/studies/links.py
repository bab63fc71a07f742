"""The addresses that the view leads to."""

import pathlib
from collections.abc import Sequence
from urllib.parse import urlencode

from azjax.page.links import run_link
from azjax.page.safe_paths import name_below


def study_link(name: str) -> str:
    """Returns the address of a study or a sweep."""
    return f"/studies/one?{urlencode({'name': name})}"


def figure_link(study: str, figure: str, version: int) -> str:
    """Returns the address of a figure; another version of it has another address."""
    return f"/studies/figure?{urlencode({'name': study, 'figure': figure, 'version': version})}"


def runs_link(runs: pathlib.Path, paths: Sequence[pathlib.Path]) -> str:
    """Returns the address of the curves of runs; empty if they are not below the folder of runs."""
    if not paths or not all(path.is_relative_to(runs) for path in paths):
        return ""
    return run_link(*(name_below(runs, path) for path in paths))
