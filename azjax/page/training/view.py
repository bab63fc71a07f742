"""The pages at `/training` and `/training/run`: all runs, and the curves of some of them."""

from fastapi import Request
from nicegui import ui

from azjax.page.frame import frame, run_link
from azjax.page.site import Site
from azjax.page.training.controls import Controls
from azjax.page.training.run_table import RunTable
from azjax.page.training.run_view import RunView
from azjax.page.training.start_form import StartForm

_SECONDS_BETWEEN_UPDATES = 1.0  # while somebody looks


def add_pages(site: Site) -> None:
    """Adds the view."""
    controls = Controls(site.runs)

    @ui.page("/training")
    def training() -> None:
        with frame("Training"):
            form = StartForm(site, controls, lambda name: ui.navigate.to(run_link(name)))
            table = RunTable(site, controls)
        ui.timer(0, form.load, once=True)
        ui.timer(_SECONDS_BETWEEN_UPDATES, table.refresh)

    @ui.page("/training/run")
    def runs(request: Request) -> None:
        with frame("Training"):
            view = RunView(site, controls, request.query_params.getlist("name"))
        ui.timer(_SECONDS_BETWEEN_UPDATES, view.refresh)
