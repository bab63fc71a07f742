"""The board of a game, and what the search thinks beside it."""

import functools
import re
from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.events import GenericEventArguments

from azjax.page.frame import row_button
from azjax.page.play.curve import EvaluationBar
from azjax.page.play.game import HEATS, OpenGame, Switches
from azjax.page.play.moves import MovePanel
from azjax.page.play.tree import TreePanel
from azjax.page.play.words import player_kind

_SHAPE = re.compile(r'viewBox="\S+ \S+ ([\d.]+) ([\d.]+)"')
STYLES = """
.board-frame{width:min(100%,max(18rem,(100dvh - 21rem)*var(--shape,1)));margin:0 auto;
  display:grid;grid-template-columns:1.5rem minmax(0,1fr);gap:.4rem}
.move-list{display:flex;flex-wrap:wrap;gap:.1rem .8rem;max-height:14rem;overflow-y:auto}
.move-list button{min-height:1.8rem;cursor:pointer}
@media (max-width:640px){.move-list button{min-height:44px;min-width:44px}}
.loss-dot{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.4em}
@media (max-width:640px){.of-prior,.of-policy{display:none}}
"""
# Enter and Space count as a click; what is clicked is told by its data attributes.
_EMIT_TARGET = """(event) => {
  if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
  const target = event.target.closest("[data-move],[data-cube],[data-illegal]");
  if (!target) return;
  event.preventDefault();
  emit({...target.dataset});
}"""

# Rendering the board anew must not take the keyboard's focus from the move that has it.
_KEEP_FOCUS = """
const board = document.getElementById("%s");
let focused = null;
board.addEventListener("focusin", (event) => {
  const target = event.target.closest("[data-move],[data-cube]");
  const kind = target && ("move" in target.dataset ? "move" : "cube");
  focused = target && `[data-${kind}="${target.dataset[kind]}"]`;
});
board.addEventListener("focusout", (event) => { if (event.relatedTarget) focused = null; });
new MutationObserver(() => {
  if (focused && !board.contains(document.activeElement)) board.querySelector(focused)?.focus();
}).observe(board, {childList: true, subtree: true});
"""


class BoardPanel:
    """A board to click on, with buttons for the moves that have no place on it."""

    def __init__(
        self,
        on_target: Callable[[dict[str, str]], Awaitable[None]],
        on_move_text: Callable[[str], Awaitable[None]],
    ):
        """Builds the panel.

        It calls with the data attributes of what was clicked, and with a move that was written.
        """
        self._on_target, self._on_move_text = on_target, on_move_text
        self._status = ui.label().classes("text-base font-medium min-h-6").mark("status")
        self._facts = ui.label().classes("text-sm quiet")
        with ui.element("div").classes("board-frame") as self._frame:
            self.evaluation = EvaluationBar()
            self._board = ui.html("", sanitize=False).mark("board")
        for event in ("click", "keydown"):
            self._board.on(event, self._emit, js_handler=_EMIT_TARGET)
        self._note = ui.label().classes("text-sm warning").mark("note")
        self._buttons = ui.row().classes("gap-2 justify-center w-full")

    def add_input(self) -> None:
        """Adds the field for moves that are typed."""
        self._input = ui.input("move").props("dense outlined").classes("w-24").mark("move")
        self._input.on("keydown.enter", self._enter)

    def keep_focus(self) -> None:
        """Keeps the keyboard's focus where it is whenever the board is rendered; called once."""
        ui.run_javascript(_KEEP_FOCUS % self._board.html_id)

    def show(self, svg: str, status: str, facts: str, buttons: dict[int, str]) -> None:
        """Shows a position: its board, whose turn it is, and the moves off the board by action."""
        self._facts.set_text(facts)
        self._board.set_content(svg)
        if shape := _SHAPE.search(svg):
            self._frame.style(f"--shape:{float(shape[1]) / float(shape[2]):.3f}")
        self._status.set_text(status)
        self._buttons.clear()
        with self._buttons:
            for action, name in buttons.items():
                row_button(name, functools.partial(self._on_target, {"move": str(action)}))

    def note(self, text: str) -> None:
        """Says something about what was tried, such as why a move cannot be played."""
        self._note.set_text(text)

    def point(self, action: int) -> None:
        """Points at a move on the board, and at no other."""
        board = f'document.getElementById("{self._board.html_id}")'
        ui.run_javascript(
            f'{board}.querySelectorAll(".pointed.on").forEach(x => x.classList.remove("on"));'
            f"{board}.querySelectorAll('.pointed[data-for=\"{action}\"]')"
            '.forEach(x => x.classList.add("on"));'
        )

    async def _emit(self, event: GenericEventArguments) -> None:
        if isinstance(event.args, dict):
            await self._on_target({str(key): str(value) for key, value in event.args.items()})

    async def _enter(self) -> None:
        text = (self._input.value or "").strip()
        self._input.set_value("")
        if text:
            await self._on_move_text(text)


class AnalysisPanel:
    """What the search thinks: the moves, and the tree."""

    def __init__(
        self,
        switches: Switches,
        on_switch: Callable[[], Awaitable[None]],
        on_node: Callable[[tuple[int, ...]], Awaitable[None]],
    ):
        """Builds the panel.

        It calls after a change of what the board shows, and with the actions from the position to
        the node that was clicked in the tree.
        """
        with ui.row().classes("items-center justify-between w-full"):
            self._title = ui.label().classes("text-sm quiet").mark("searched")
            heat = ui.select(list(HEATS), label="colours", value=switches.heat)
            heat.props("dense options-dense outlined").classes("w-32").bind_value_to(
                switches, "heat"
            )
            heat.on_value_change(lambda: on_switch())
        self._moves = MovePanel()
        self._tree = TreePanel(on_node)

    def show(self, opened: OpenGame) -> None:
        """Shows the search of the position so far."""
        analyst, analysis, rules = opened.analyst, opened.analysis, opened.line.rules
        if analyst is None or opened.variation:
            return
        title = player_kind(analyst.name)
        if analysis is None:
            waits = "; its first search waits until its program is compiled"
            self._title.set_text(f"{title} thinks{waits if analyst.search else ''}")
            return
        self._title.set_text(f"{title}: {analysis.simulations:,} simulations")
        self._moves.show(analysis, rules, opened.shown_exact())
        self._tree.show(analysis, rules)

    def clear_search(self) -> None:
        """Shows no search."""
        self._title.set_text("")
        self._moves.show(None, None, {})
        self._tree.clear()
