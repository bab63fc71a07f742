"""The pages at `/studies` and `/studies/one`: all studies and sweeps, and one of them."""

from fastapi import HTTPException
from fastapi.responses import FileResponse
from nicegui import app, ui

from azjax.page.frame import frame
from azjax.page.owners import OwnerWatch
from azjax.page.site import Site
from azjax.page.studies.figures import figure_path
from azjax.page.studies.list_panel import ListPanel
from azjax.page.studies.progress import ProgressReader
from azjax.page.studies.study_panel import StudyPanel
from azjax.support.errors import InputError

_SECONDS_BETWEEN_UPDATES = 3.0  # while somebody looks


def add_pages(site: Site) -> None:
    """Adds the view."""
    owners = OwnerWatch()
    progress = ProgressReader(owners)

    @ui.page("/studies")
    def studies() -> None:
        with frame("Studies"):
            panel = ListPanel(site, owners)
        ui.timer(_SECONDS_BETWEEN_UPDATES, panel.refresh)

    @ui.page("/studies/one")
    def study(name: str = "") -> None:
        with frame("Studies"):
            panel = StudyPanel(site, name, progress)
        ui.timer(_SECONDS_BETWEEN_UPDATES, panel.refresh)

    @app.get("/studies/figure")
    async def figure(name: str, figure: str) -> FileResponse:
        try:
            path = await site.worker.access_files(figure_path, site.runs, name, figure)
        except InputError as error:
            raise HTTPException(404, str(error)) from error
        headers = {"X-Content-Type-Options": "nosniff"}
        return FileResponse(path, media_type="image/png", headers=headers)
