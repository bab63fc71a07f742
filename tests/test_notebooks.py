"""Every notebook is saved executed from its start, with outputs and without warnings.

pytest executes them too, by nbmake: `notebooks` is among the `testpaths`.
"""

import pathlib
import re

import nbformat
import pytest

ROOT = pathlib.Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
ABSOLUTE_PATH = re.compile(r"(?<![\w./])/\w[\w.-]*/\w")


def texts_of(output):
    """Returns the texts of an output."""
    data = output.get("data", {})
    return [output.get("text", ""), *(data[kind] for kind in data if kind.startswith("text/"))]


def faults(notebook):
    """Returns what is wrong with a saved notebook, a line each."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [output for cell in code for output in cell.outputs]
    texts = [text for output in outputs for text in texts_of(output)]
    checks = {
        "its cells were not executed in order, from a fresh start": (
            [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
        ),
        "it has no output": bool(outputs),
        "a cell failed": all(output.output_type != "error" for output in outputs),
        "a cell warned": all(output.get("name") != "stderr" for output in outputs),
        "an output names an absolute path": not any(map(ABSOLUTE_PATH.search, texts)),
        "an output holds a terminal's control codes": not any("\x1b" in text for text in texts),
        "its kernel is not the one that every environment has": (
            notebook.metadata.kernelspec.name == "python3"
        ),
    }
    return [fault for fault, is_right in checks.items() if not is_right]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_saved_with_its_outputs(path):
    assert not faults(nbformat.read(path, as_version=4))
