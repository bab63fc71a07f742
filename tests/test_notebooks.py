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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_saved_with_its_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell.outputs]
    assert outputs
    assert all(output.output_type != "error" for output in outputs)
    assert all(output.get("name") != "stderr" for output in outputs)
    texts = [output.get("text", "") for output in outputs]
    assert not any(ABSOLUTE_PATH.search(text) or "\x1b" in text for text in texts)
    assert notebook.metadata.kernelspec.name == "python3"
