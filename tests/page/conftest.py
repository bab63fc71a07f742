"""Shared by the tests of the page."""

import gc

import pytest
from nicegui import Client, app
from nicegui.testing.user_simulation import user_simulation

from azjax.page import studies
from azjax.page.analysis.programs import SearchPrograms
from azjax.page.analysis.rules import make_rules
from azjax.page.evolution import view as evolution
from azjax.page.play import view as play
from azjax.page.site import Site
from azjax.page.training import view as training


@pytest.fixture
def anyio_backend():
    """Runs the tests that are coroutines, each in an event loop of its own."""
    return "asyncio"


@pytest.fixture(scope="session")
def rules():
    """Returns the rules of tic-tac-toe."""
    return make_rules("tic_tac_toe")


@pytest.fixture
def nothing_ahead(monkeypatch):
    """Compiles no programs but those that are waited for: the test needs no larger batches."""
    monkeypatch.setattr(SearchPrograms, "next_size", lambda programs, size: None)


@pytest.fixture
def runs(tmp_path):
    """Returns the folder of runs."""
    return tmp_path / "runs"


@pytest.fixture
async def site(runs):
    """Returns the site of the folder of runs."""
    site = Site(runs)
    yield site
    site.worker.close()


@pytest.fixture
async def user(site):
    """Returns a visitor of the views, without a browser and without a server."""
    errors = []  # of timers and events, which NiceGUI only logs
    gc.freeze()  # NiceGUI collects garbage twice, and need not go through all of JAX
    async with user_simulation() as user:
        app.on_exception(errors.append)
        for view in (play, training, evolution, studies):
            view.add_pages(site)
        yield user
        site.worker.close()
        # Else NiceGUI takes the modules of the pages, and all of azjax, out of sys.modules.
        Client.page_routes.clear()
    gc.unfreeze()
    if errors:
        raise errors[0]
