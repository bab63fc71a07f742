"""The form that starts a training."""

import pathlib
from collections.abc import Callable

from nicegui import ui

from azjax.config.plugin_flag import given_plugins
from azjax.config.presets import get_preset, preset_names
from azjax.page.site import Site
from azjax.page.training.controls import Controls
from azjax.page.training.start_request import (
    StartRequest,
    free_name,
    read_request,
    shown_command,
    start_arguments,
)
from azjax.support.errors import InputError

_FIRST = "tic_tac_toe"  # perfect in half a minute on a laptop
_EXAMPLE = "--num-games 256 --optimizer.learning-rate 1e-3"


class StartForm:
    """Chooses a preset, its overrides and its folder, and shows the command that will run."""

    def __init__(self, site: Site, controls: Controls, on_start: Callable[[str], None]):
        """Builds the form.

        Args:
          site: The page.
          controls: Starts the training.
          on_start: Called with the name of the run's folder when its process has started.
        """
        self._site, self._controls, self._on_start = site, controls, on_start
        self._given_name = ""  # by the form, not by the visitor
        with ui.card().classes("w-full gap-2"):
            with ui.row().classes("items-end gap-3 w-full"):
                self._preset = ui.select(
                    [], label="preset", with_input=True, new_value_mode="add-unique"
                )
                self._preset.props("dense options-dense").classes("w-48")
                self._preset.mark("preset").on_value_change(self._choose_preset)
                self._name = self._input("folder", "w-48")
                self._minutes = self._input("minutes", "w-24", "the preset's")
                self._seed = self._input("seed", "w-24", "0")
                self._flags = self._input("flags", "grow", _EXAMPLE)
            self._summary = ui.label().classes("text-sm text-slate-600")
            self._command = ui.label().classes("text-sm font-mono break-all").mark("command")
            self._error = ui.label().classes("text-sm text-amber-800").mark("error")
            self._button = ui.button("Start training", on_click=self._start).props("no-caps")

    async def load(self) -> None:
        """Lists the presets, and chooses the first to try."""
        names = await self._site.worker.access_files(preset_names)
        self._preset.set_options(names, value=_FIRST)

    def _input(self, label: str, classes: str, placeholder: str = "") -> ui.input:
        field = ui.input(label, placeholder=placeholder, on_change=self._show)
        return field.props("dense stack-label").classes(classes).mark(label)

    async def _choose_preset(self) -> None:
        """Proposes a folder, and says what the preset is good for."""
        preset, read = self._preset.value, self._site.worker.access_files
        proposal, summary = await read(_describe_preset, self._site.runs, preset or "")
        if self._preset.value != preset:
            return  # another one has been chosen, and its answer may have come first
        if self._name.value in ("", None, self._given_name):  # after the wait: it may be typed now
            self._given_name = proposal
            self._name.set_value(proposal)
        self._summary.set_text(summary)
        self._show()

    def _request(self) -> StartRequest:
        fields = (self._preset, self._name, self._flags, self._minutes, self._seed)
        return read_request(*(field.value or "" for field in fields))

    def _show(self) -> None:
        """Shows the command, or why there is none."""
        try:
            request = self._request()
        except InputError as error:
            self._command.set_text("")
            self._error.set_text(str(error))
            return
        folder = self._site.runs / request.name
        arguments = start_arguments(request, folder, given_plugins())
        self._command.set_text(shown_command(arguments))
        self._error.set_text("")

    async def _start(self) -> None:
        self._button.disable()
        try:
            request = self._request()
            await self._site.worker.access_files(self._controls.start, request)
        except InputError as error:
            self._error.set_text(str(error))
            return
        finally:
            self._button.enable()
        self._on_start(request.name)


def _describe_preset(runs: pathlib.Path, preset: str) -> tuple[str, str]:
    """Returns the folder that is proposed for a preset, and what it is good for."""
    proposal = free_name(runs, preset)
    try:
        chosen = get_preset(preset)
    except ValueError:  # the visitor is told when the training is started
        return proposal, ""
    length = f"{chosen.limits} unless minutes are given"
    if chosen.config.stop_when_perfect:
        length += ", or until it is perfect unless flags say --no-stop-when-perfect"
    return proposal, f"{chosen.summary or preset}; {length}"
