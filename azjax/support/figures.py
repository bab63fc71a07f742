"""Figures as files: PDF and PNG."""

import pathlib
from typing import TYPE_CHECKING, Any

from azjax.support.files.atomic_files import atomic_write

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 200


def save_figure(figure: "Figure", stem: pathlib.Path) -> None:
    """Writes STEM.pdf and STEM.png; the same figure gives the same bytes."""
    stem.parent.mkdir(exist_ok=True)
    write_figure(figure, pathlib.Path(f"{stem}.pdf"), metadata={"CreationDate": None})
    write_figure(figure, pathlib.Path(f"{stem}.png"), dpi=_DOTS_PER_INCH)


def write_figure(figure: "Figure", path: pathlib.Path, **settings: Any) -> None:
    """Writes a file in one step, with further settings of `Figure.savefig`."""
    with atomic_write(path) as unfinished:
        figure.savefig(unfinished, format=path.suffix[1:], **settings)
