"""Figures as files: PDF and PNG."""

import pathlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 200


def save_figure(figure: "Figure", stem: pathlib.Path) -> None:
    """Writes STEM.pdf and STEM.png; the same figure gives the same bytes."""
    stem.parent.mkdir(exist_ok=True)
    figure.savefig(f"{stem}.pdf", metadata={"CreationDate": None})
    figure.savefig(f"{stem}.png", dpi=_DOTS_PER_INCH)
