"""Makes every notebook a slow test."""

import pytest


def pytest_collection_modifyitems(items):
    """Adds the marker to the items of nbmake."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.slow)
