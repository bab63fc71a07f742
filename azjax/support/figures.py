"""Figures on disk: as vector PDF, and as PNG."""

import pathlib
from typing import Any

_DOTS_PER_INCH = 200


def save_figure(figure: Any, stem: pathlib.Path) -> None:
    """Writes a figure of matplotlib as STEM.pdf and STEM.png; the same figure, the same bytes."""
    stem.parent.mkdir(exist_ok=True)
    figure.savefig(f"{stem}.pdf", metadata={"CreationDate": None})
    figure.savefig(f"{stem}.png", dpi=_DOTS_PER_INCH)
