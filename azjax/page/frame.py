"""What the views share: their header, their buttons, and the links between them."""

import contextlib
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import KeyEventArguments

from azjax.page.analysis.players import RUNS

_VIEWS = {"Play": "/", "Training": "/training", "Evolution": "/evolution", "Studies": "/studies"}


@contextlib.contextmanager
def frame(title: str) -> Iterator[None]:
    """Shows the header, and leaves a column for the content of the view of that title."""
    ui.page_title(f"{title} - azjax")
    with ui.header().classes("items-center gap-6 bg-slate-800 py-2"):
        ui.label("azjax").classes("text-lg font-semibold")
        for name, path in _VIEWS.items():
            weight = "font-semibold underline" if name == title else "opacity-80"
            ui.link(name, path).classes(f"text-white no-underline {weight}")
    with ui.column().classes("w-full max-w-screen-2xl mx-auto p-2 gap-3"):
        yield


def row_button(name: str, on_click: Callable[[], object]) -> ui.button:
    """Adds a button that stands beside others."""
    return ui.button(name, on_click=on_click).props("dense no-caps outline")


def grid(columns: str) -> ui.element:
    """Adds a grid, of one column on a narrow screen; the classes say how many others have."""
    return ui.element("div").classes(f"grid grid-cols-1 {columns} gap-3 w-full")


def is_plain_press(event: KeyEventArguments) -> bool:
    """Tells whether a key is pressed alone: with Alt, Ctrl, Meta or Shift it is the browser's."""
    held = event.modifiers
    return event.action.keydown and not (held.alt or held.ctrl or held.meta or held.shift)


def run_link(*names: str) -> str:
    """Returns the address of runs that are laid over each other."""
    return f"/training/run?{urlencode([('name', name) for name in names])}"


def play_link(name: str) -> str:
    """Returns the address of a game against the agent of a run."""
    return f"/?{urlencode({'agent': f'{RUNS}{name}'})}"


def game_link(first: str, second: str) -> str:
    """Returns the address of a game between two players, the first as X."""
    return f"/?{urlencode({'x': first, 'o': second})}"


def evolution_link(name: str) -> str:
    """Returns the address of a run's evolution."""
    return f"/evolution?{urlencode({'run': name})}"
