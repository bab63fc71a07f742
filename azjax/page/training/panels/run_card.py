"""The cards of runs and populations: their state, and what can be done with them."""

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from azjax.page.buttons import row_button
from azjax.page.colours import SERIES
from azjax.page.links import evolution_link, play_link
from azjax.page.training.runs.monitor import WatchedRun
from azjax.page.training.runs.run_phrases import (
    can_stop,
    describe_run,
    describe_states,
    describe_stop,
    share_done,
)
from azjax.page.training.runs.state import UNFINISHED, describe_state

OnName = Callable[[str], Awaitable[None]]


class TrainingButtons:
    """The buttons that stop a training, and go on with it."""

    def __init__(self, name: str, on_stop: OnName, on_resume: OnName):
        """Builds the buttons; they call with the name of a run, or of a population's folder."""
        self._stop = row_button("Stop", lambda: on_stop(name))
        self._resume = row_button("Resume", lambda: on_resume(name))

    def show(self, runs: Sequence[WatchedRun]) -> None:
        """Shows what can be done with the runs as they are now, and how many runs a stop ends."""
        self._stop.set_text(describe_stop(runs))
        is_trained = any(run.owner for run in runs)
        self._stop.set_enabled(can_stop(runs))
        can_go_on = any(
            run.state in UNFINISHED and run.settings and not run.settings.is_trial for run in runs
        )
        self._stop.set_visibility(is_trained)
        self._resume.set_visibility(can_go_on and not is_trained)


class PopulationCard:
    """The card of several runs in one folder."""

    def __init__(self, name: str, on_stop: OnName, on_resume: OnName):
        """Builds the card; arguments as those of `TrainingButtons`."""
        with ui.card().classes("gap-1"):
            self._title = ui.label().classes("font-semibold")
            with ui.row().classes("gap-2"):
                self._buttons = TrainingButtons(name, on_stop, on_resume)
        self._name = name

    def show(self, runs: Sequence[WatchedRun]) -> None:
        """Shows the runs as they are now."""
        self._title.set_text(f"{self._name}/ {describe_states(runs)}")
        self._buttons.show(runs)


class RunCard:
    """The card of one run."""

    def __init__(self, name: str, colour: int, on_stop: OnName, on_resume: OnName):
        """Builds the card; arguments as those of `TrainingButtons`, and the number of its colour.

        The colour is that of the run in the charts.
        """
        style = f"border-left: 6px solid {SERIES[colour % len(SERIES)]}"
        with ui.card().classes("gap-1").style(style):
            with ui.row().classes("items-baseline gap-3"):
                ui.label(name).classes("font-semibold")
                self._state = ui.label().classes("text-sm")
            self._numbers = ui.label().classes("text-sm text-slate-600")
            self._share = ui.linear_progress(0, show_value=False).props("instant-feedback")
            self._error = ui.label().classes("text-sm text-amber-800")
            with ui.row().classes("gap-2"):
                self._buttons = TrainingButtons(name, on_stop, on_resume)
                self._play = row_button("Play it", lambda: ui.navigate.to(play_link(name)))
                self._evolution = row_button(
                    "Evolution", lambda: ui.navigate.to(evolution_link(name))
                )
            self._log = ui.label().classes("text-xs font-mono whitespace-pre-wrap break-all")

    def show(self, run: WatchedRun, log: Sequence[str]) -> None:
        """Shows the run as it is now, and the last lines of its log."""
        self._state.set_text(describe_state(run.state, run.owner))
        self._numbers.set_text(describe_run(run))
        self._share.set_value(share_done(run))
        self._error.set_text(run.error)
        self._error.set_visibility(bool(run.error) and run.error not in log)
        self._buttons.show([run])
        self._play.set_visibility(run.has_network)
        self._evolution.set_visibility(run.has_network)
        self._log.set_text("\n".join(log))
        self._log.set_visibility(bool(log))
