"""Every notebook is saved executed from its start, with outputs and without warnings.

pytest executes them too, by nbmake: `notebooks` is among the `testpaths`.
"""

import copy
import pathlib
import re
import tomllib

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


def test_the_notebooks_are_there():
    names = {path.stem for path in NOTEBOOKS}
    assert names == {
        "quickstart",
        "your_own_game",
        "extend",
        "inspect_search",
        "compare",
        "algorithms",
    }


def test_the_extra_opens_and_runs_them_and_tests_install_the_kernel_alone():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    [kernel] = [entry for entry in extras["notebooks"] if entry.startswith("ipykernel")]
    assert any(entry.startswith("jupyterlab") for entry in extras["notebooks"])
    assert kernel in extras["test"]
    assert not any("jupyterlab" in entry or "notebooks" in entry for entry in extras["test"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_saved_with_its_outputs(path):
    assert not faults(nbformat.read(path, as_version=4))


def count_twice(notebook, cell):
    cell.execution_count += 1


def remove_outputs(notebook, cell):
    for each in notebook.cells:
        each.outputs = []


def fail(notebook, cell):
    cell.outputs.append(nbformat.v4.new_output("error", ename="E", evalue="", traceback=[]))


def warn(notebook, cell):
    cell.outputs.append(nbformat.v4.new_output("stream", name="stderr", text="look out"))


def print_path(notebook, cell):
    cell.outputs.append(nbformat.v4.new_output("stream", text="saved in /home/somebody/runs"))


def show_path(notebook, cell):
    data = {"text/plain": "PosixPath('/var/tmp')"}
    cell.outputs.append(nbformat.v4.new_output("display_data", data=data))


def redraw(notebook, cell):
    cell.outputs.append(nbformat.v4.new_output("stream", text="\x1b[2K 50%"))


def name_kernel(notebook, cell):
    notebook.metadata.kernelspec.name = "my-environment"


@pytest.fixture(scope="module")
def faultless():
    cell = nbformat.v4.new_code_cell("1 + 1", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("stream", text="runs/one/curves.png ...X/.O. 3/4\n")]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata=metadata)
    assert not faults(notebook)
    return notebook


@pytest.mark.parametrize(
    "spoil",
    [count_twice, remove_outputs, fail, warn, print_path, show_path, redraw, name_kernel],
)
def test_a_fault_is_found(faultless, spoil):
    notebook = copy.deepcopy(faultless)
    spoil(notebook, notebook.cells[0])
    assert len(faults(notebook)) == 1
