"""What the views share: their header, their buttons, and the links between them."""

import contextlib
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

from nicegui import ui
from nicegui.events import KeyEventArguments

from azjax.page.analysis.players import RUNS

# Light or dark by the system's choice; ECharts writes the colours of its texts and lines itself.
_STYLES = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1f2937;--quiet:#4b5563;--rule:#d5dce6;
  --warning:#92400e}
body{--q-primary:#1f5f99!important}
.quiet{color:var(--quiet)} .warning{color:var(--warning)}
.nicegui-echart svg text{fill:var(--quiet)!important;stroke:none}
.nicegui-echart svg path[stroke="#54555a"],.nicegui-echart svg path[stroke="#dbdee4"]
  {stroke:var(--rule)}
@media (prefers-color-scheme:dark){
  :root{--paper:#16191d;--ink:#e5e7eb;--quiet:#a8b3c2;--rule:#3a4350;--warning:#fbbf6b}
  body{--q-primary:#8ab8e6!important;--q-dark-page:#16191d!important;--q-dark:#16191d!important}
  .nicegui-echart svg path[stroke="#2b5c8a"]{stroke:#6ea8dc}
  .nicegui-echart svg path[fill="#2b5c8a"]{fill:#6ea8dc}
  @layer theme{.bg-primary{color:#0b1a2b!important}}
}
@media (max-width:640px){.q-btn,.q-field__control,.q-item{min-height:44px!important;min-width:44px}}
"""
_VIEWS = {"Play": "/", "Training": "/training", "Evolution": "/evolution", "Studies": "/studies"}


@contextlib.contextmanager
def frame(title: str) -> Iterator[None]:
    """Shows the header, and leaves a column for the content of the view of that title."""
    ui.page_title(f"{title} - azjax")
    ui.add_css(_STYLES)
    ui.dark_mode(None)
    with ui.header().classes("items-center gap-6 bg-slate-800 py-0"):
        ui.label("azjax").classes("text-lg font-semibold")
        for name, path in _VIEWS.items():
            weight = "font-semibold underline" if name == title else "opacity-80"
            ui.link(name, path).classes(f"text-white no-underline py-3 {weight}")
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
