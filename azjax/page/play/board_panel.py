"""The board, what can be played, and what is said about the game."""

from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.events import GenericEventArguments

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

        Args:
          on_target: Called with the data attributes of what was clicked.
          on_move_text: Called with a move that was written.
        """
        self._on_target, self._on_move_text = on_target, on_move_text
        self._status = ui.label().classes("text-base font-medium min-h-6").mark("status")
        self._board = ui.html("", sanitize=False).classes("w-full max-w-xl mx-auto").mark("board")
        self._board.on("click", self._emit, js_handler=_EMIT_TARGET)
        self._board.on("keydown", self._emit, js_handler=_EMIT_TARGET)
        self._buttons = ui.row().classes("gap-2 justify-center w-full")
        with ui.row().classes("items-center gap-2 w-full"):
            self._input = ui.input("move").props("dense outlined").classes("w-32").mark("move")
            self._input.on("keydown.enter", self._enter)
            self._note = ui.label().classes("text-sm text-amber-800").mark("note")

    def keep_focus(self) -> None:
        """Keeps the keyboard's focus where it is whenever the board is rendered; called once."""
        ui.run_javascript(_KEEP_FOCUS % self._board.html_id)

    def show(self, svg: str, status: str, buttons: list[tuple[int, str]]) -> None:
        """Shows a position.

        Args:
          svg: The board.
          status: Whose turn it is, or the result.
          buttons: Moves that have no place on the board: the action and its name.
        """
        self._board.set_content(svg)
        self._status.set_text(status)
        self._buttons.clear()
        with self._buttons:
            for action, name in buttons:
                target = {"move": str(action)}
                ui.button(name, on_click=lambda target=target: self._on_target(target)).props(
                    "dense outline no-caps"
                )

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
