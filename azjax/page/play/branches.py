"""The lines of a game that were played, as a small tree: each position is a dot to go back to."""

import itertools
from collections.abc import Awaitable, Callable, Sequence
from html import escape

from nicegui import ui
from nicegui.events import GenericEventArguments

from azjax.page.analysis.rules import GameLine
from azjax.page.play.game import OpenGame

STYLES = """
.branches{--dot:1.5rem;display:grid;grid-auto-columns:var(--dot);overflow-x:auto;
  isolation:isolate}
.branches button{position:relative;height:var(--dot);cursor:pointer;--ink:var(--quiet);--size:4px;
  background:radial-gradient(circle,var(--ink) var(--size),transparent 0)}
.branches button.here{--ink:var(--q-primary);--size:6px}
.branches button:not(:first-child)::after{content:"";position:absolute;left:calc(var(--dot)/-2);
  bottom:calc(50% - 1px);width:var(--dot);height:calc(var(--dot)*var(--up));z-index:-1;
  border:solid var(--rule);border-width:0 0 2px 2px}
@media (max-width:640px){.branches{--dot:44px}}
"""
_EMIT_DOT = """(event) => {
  const dot = event.target.closest("[data-line]");
  if (dot) emit([+dot.dataset.line, +dot.dataset.ply]);
}"""


class BranchPanel:
    """The tree; there is none where nothing was taken back."""

    def __init__(self, on_position: Callable[[GameLine, int], Awaitable[None]]):
        """Builds the panel; a click on a dot calls with its line and its ply."""
        self._lines: list[GameLine] = []
        self._on_position = on_position
        self._tree = ui.html("", sanitize=False).classes("branches w-full").mark("branches")
        self._tree.on("click", self._click, js_handler=_EMIT_DOT)

    def show(self, opened: OpenGame) -> None:
        """Shows the lines of a game, the one that is open at the top."""
        self._lines = [opened.line, *opened.branches]
        shown = render_branches(self._lines, opened.ply) if opened.branches else ""
        self._tree.set_content(shown)

    async def _click(self, event: GenericEventArguments) -> None:
        number, ply = map(int, event.args)
        if number < len(self._lines):  # else they have changed meanwhile
            await self._on_position(self._lines[number], ply)


def render_branches(lines: Sequence[GameLine], ply: int) -> str:
    """Returns a dot for each position of some lines, in the row where it was first reached."""
    dots = []
    for row, line in enumerate(lines):
        shared = [_count_shared(line, other) for other in lines[:row]]
        first = max(shared, default=-1) + 1
        for number, name in enumerate(("start", *line.titles())):
            if number >= first:
                up = row - shared.index(first - 1) if row and number == first else 0
                kind = "here" if (row, number) == (0, ply) else ""
                dots.append(
                    f'<button data-line="{row}" data-ply="{number}" class="{kind}" '
                    f'title="{number}. {escape(name)}" aria-label="{number}. {escape(name)}" '
                    f'style="grid-area:{row + 1}/{number + 1};--up:{up}"></button>'
                )
    return "".join(dots)


def _count_shared(line: GameLine, other: GameLine) -> int:
    pairs = zip(line.actions, other.actions, strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))
