"""Makes every notebook a slow test."""

import os

import pytest

# A notebook compiles for longer than its programs run.
_COMPILE_FASTER = " --xla_backend_optimization_level=1 --xla_llvm_disable_expensive_passes=true"


def pytest_collection_modifyitems(items):
    """Adds the marker to the items of nbmake."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call():
    """Runs a notebook, whose kernel inherits XLA's flags."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XLA_FLAGS", os.environ.get("XLA_FLAGS", "") + _COMPILE_FASTER)
        return (yield)
