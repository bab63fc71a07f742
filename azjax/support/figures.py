"""Figures as files."""

import pathlib
from typing import TYPE_CHECKING, Any

from azjax.support.files.atomic_files import atomic_write

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.figure import Figure


def write_figure(figure: "Figure", path: pathlib.Path, **settings: Any) -> None:
    """Writes a file in one step, with further settings of `Figure.savefig`."""
    with atomic_write(path) as unfinished:
        figure.savefig(unfinished, format=path.suffix[1:], **settings)
