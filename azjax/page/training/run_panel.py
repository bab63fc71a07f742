"""What one run is: its command, its settings, what people note about it; and how it is deleted."""

import dataclasses
from collections.abc import Awaitable, Callable

from nicegui import ui

from azjax.config.flag_words import as_flags, differing_fields, shown_value
from azjax.page.frame import row_button
from azjax.page.training.controls import Controls
from azjax.page.training.processes import shown_command
from azjax.page.training.runs import RunSettings, WatchedRun
from azjax.runs.storage.run_notes import RunNotes


class RunPanel:
    """One run, whose settings never change."""

    def __init__(
        self,
        run: WatchedRun,
        settings: RunSettings,
        controls: Controls,
        attempt: Callable[[Callable[[], None]], Awaitable[bool]],
    ):
        """Builds the panel, which does what it is asked for through `attempt`."""
        self._run, self._controls, self._attempt = run, controls, attempt
        self._saved = run.notes
        with ui.element("div").classes("grid grid-cols-1 md:grid-cols-[9rem_1fr] gap-x-3 text-sm"):
            for name, text in _facts(run, settings).items():
                ui.label(name).classes("quiet")
                ui.label(text).classes("break-all mb-1").mark(name)
        expansion = ui.expansion("All hyperparameters").classes("w-full").props("dense")
        with expansion, ui.element("div").classes("sm:columns-2 xl:columns-3 text-sm"):
            for name, value in settings.fields.items():
                ui.label(f"{name}: {shown_value(value)}").classes("break-all")
        with ui.row().classes("items-start gap-3 w-full"):
            self._name = ui.input("name", value=run.notes.name).classes("w-48")
            self._text = ui.textarea("notes", value=run.notes.text).classes("grow")
            for field in (self._name, self._text):
                field.props("dense autogrow").on("blur", self._save).mark(field.props["label"])
            row_button("Delete", self._ask)

    async def _save(self) -> None:
        """Saves what was changed here since it was read, or last saved."""
        notes = RunNotes(self._name.value or "", self._text.value or "")
        is_new = notes != self._saved
        if is_new and await self._attempt(lambda: self._controls.note(self._run.name, notes)):
            self._saved = notes

    async def _ask(self) -> None:
        """Asks whether the run is to be deleted."""
        name = self._run.name
        with ui.dialog() as dialog, ui.card():
            ui.label(f"Delete {name}, with its networks and metrics? It cannot be brought back.")
            with ui.row():
                row_button("Keep it", lambda: dialog.submit(False))
                row_button("Delete it", lambda: dialog.submit(True)).props("color=negative")
        if await dialog and await self._attempt(lambda: self._controls.delete(name)):
            ui.navigate.to("/training")
        dialog.delete()


def _facts(run: WatchedRun, settings: RunSettings) -> dict[str, str]:
    """Returns what is told of a run in a line each, by the names of the lines."""
    changed = differing_fields(settings.preset, settings.fields)
    if changed is None:
        return {"preset": f"{settings.preset}, which is not known here", **settings.origin}
    given = {"seed": settings.seed, **dataclasses.asdict(settings.limits), **settings.files}
    flags = as_flags({name: value for name, (value, _) in changed.items()} | given)
    words = [f"{x} {shown_value(v)} (there {shown_value(y)})" for x, (v, y) in changed.items()]
    return {
        "command": shown_command(["train", settings.preset, *flags, "--out", str(run.path)]),
        f"not as {settings.preset}": ", ".join(words) or "nothing",
        **settings.origin,
    }
