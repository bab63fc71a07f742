"""A visitor of one view, without a browser and without a server."""

import asyncio
import gc

from nicegui import Client, app, ui
from nicegui.testing.user_simulation import user_simulation

from azjax.page.site import make_site


def visit(add_pages, runs, script):
    """Runs `await script(user)` with a visitor of the view's pages over a folder of runs."""

    errors = []
    gc.freeze()  # else NiceGUI, which collects garbage twice a visit, goes through all of JAX

    async def simulate():
        async with user_simulation() as user:
            app.on_exception(errors.append)
            site = make_site(runs)
            add_pages(site)
            try:
                await script(user)
            finally:
                site.worker.close()
                # Else NiceGUI takes the modules of the pages, and all of azjax, out of sys.modules.
                Client.page_routes.clear()

    try:
        asyncio.run(simulate())
    finally:
        gc.unfreeze()
    if errors:  # of timers and events, which NiceGUI only logs
        raise errors[0]


def element(user, marker):
    """Returns the one element of that marker which the visitor sees."""
    (found,) = user.find(marker=marker).elements
    return found


async def wait_until(condition, seconds=20.0):
    """Waits until a condition holds, as after a timer of the page."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.05)


def press(user, key, **held):
    """Presses a key while others are held."""
    modifiers = dict.fromkeys(("altKey", "ctrlKey", "metaKey", "shiftKey"), False) | held
    event = {"action": "keydown", "repeat": False, "key": key, "code": key, "location": 0}
    user.find(kind=ui.keyboard).trigger("key", event | modifiers)
