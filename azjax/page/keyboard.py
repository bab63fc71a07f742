"""The keyboard in the page's views."""

from nicegui.events import KeyEventArguments


def is_plain_press(event: KeyEventArguments) -> bool:
    """Tells whether a key is pressed alone: with Alt, Ctrl, Meta or Shift it is the browser's."""
    held = event.modifiers
    return event.action.keydown and not (held.alt or held.ctrl or held.meta or held.shift)
