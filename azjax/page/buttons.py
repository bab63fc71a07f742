"""The buttons that stand in rows, alike in all views."""

from collections.abc import Callable

from nicegui import ui


def row_button(name: str, on_click: Callable[[], object]) -> ui.button:
    """Adds a button that stands beside others."""
    return ui.button(name, on_click=on_click).props("dense no-caps outline")
