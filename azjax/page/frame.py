"""The frame of every view: the header with its links, and the styles."""

import contextlib
from collections.abc import Iterator

from nicegui import ui

_VIEWS = {"Play": "/", "Training": "/training", "Evolution": "/evolution", "Studies": "/studies"}


@contextlib.contextmanager
def frame(title: str) -> Iterator[None]:
    """Shows the header, and leaves a column for the content of a view.

    Args:
      title: The view's, as in the header's links.
    """
    ui.page_title(f"{title} - azjax")
    with ui.header().classes("items-center gap-6 bg-slate-800 py-2"):
        ui.label("azjax").classes("text-lg font-semibold")
        for name, path in _VIEWS.items():
            weight = "font-semibold underline" if name == title else "opacity-80"
            ui.link(name, path).classes(f"text-white no-underline {weight}")
    with ui.column().classes("w-full max-w-screen-2xl mx-auto p-2 gap-3"):
        yield
