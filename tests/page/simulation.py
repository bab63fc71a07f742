"""What a visitor of the views sees and does, see the fixture `user`."""

import asyncio

from nicegui import ui


def element(user, marker):
    """Returns the one element of that marker which the visitor sees."""
    (found,) = user.find(marker=marker).elements
    return found


def text_of(user, marker):
    """Returns the text of an element."""
    return getattr(element(user, marker), "content", None) or element(user, marker).text


async def wait_until(condition, seconds=60.0):
    """Waits until a condition holds, as after a timer of the page."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


async def see(user, *texts):
    """Waits until the visitor sees texts."""
    for text in texts:
        await user.should_see(text, retries=400)


def press(user, key, **held):
    """Presses a key while others are held."""
    modifiers = dict.fromkeys(("altKey", "ctrlKey", "metaKey", "shiftKey"), False) | held
    event = {"action": "keydown", "repeat": False, "key": key, "code": key, "location": 0}
    user.find(kind=ui.keyboard).trigger("key", event | modifiers)
