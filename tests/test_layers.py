"""The layers of azjax: which modules import which; and importing does no work."""

import ast
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import azjax

ROOT = pathlib.Path(azjax.__file__).parent

# The parts that each part of azjax may import, besides itself. A new part needs a line here.
BOTTOM = {"games", "networks", "support"}
LEARNING = BOTTOM | {"search", "training", "evaluation", "engines"}
RUNS = LEARNING | {"config", "distributed", "runs"}
AGENTS = RUNS | {"agents"}
MAY_IMPORT = {
    "games": {"support"},
    "networks": {"support"},
    "support": set(),
    "search": BOTTOM,
    "training": BOTTOM | {"search"},
    "evaluation": BOTTOM | {"search"},
    "engines": BOTTOM | {"search", "evaluation"},
    "config": LEARNING,
    "distributed": {"support"},
    "runs": LEARNING | {"config", "distributed"},
    "agents": RUNS,
    "sweeps": AGENTS,
    "studies": AGENTS,
    "benchmarks": AGENTS,
    "page": AGENTS,
    "cli": AGENTS | {"page", "studies"},
    "__init__": AGENTS,
    "__main__": {"cli"},
}
VIEWS = ("play", "training", "evolution", "studies")  # of the page; none knows another
# Other packages that one part alone may import.
ONLY_IMPORTER = {"mctx": "search"}


def part_of(module):
    """Returns which part a dotted module name such as `azjax.games.grid` belongs to."""
    return (*module.split("."), "__init__")[1]


def view_of(module):
    """Returns which view of the page a dotted module name belongs to, or None."""
    names = (*module.split("."), "", "")
    return names[2] if names[:2] == ("azjax", "page") and names[2] in VIEWS else None


def imported_modules(source, package):
    """Yields each module that the source imports, anywhere in it, relative ones resolved."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(parents if node.level else []), *filter(None, [node.module])])
            # `from azjax import games` imports a part, `from azjax import make` the top.
            yield from (
                f"{base}.{alias.name}" if base == "azjax" and alias.name in MAY_IMPORT else base
                for alias in node.names
            )


def violations(source, module, *, is_package=False):
    """Returns what is wrong with the imports of one module, a line each."""
    part = part_of(module)
    if part not in MAY_IMPORT:
        return [f"{module}: give azjax.{part} a line in MAY_IMPORT"]
    package = module if is_package else module.rpartition(".")[0]
    wrong = []
    for imported in imported_modules(source, package):
        top = imported.split(".")[0]
        if top == "azjax" and part_of(imported) not in MAY_IMPORT[part] | {part}:
            wrong.append(f"{module} imports {imported}")
        elif part_of(imported) == "page" and part == "cli" and module != "azjax.cli.serve":
            wrong.append(f"{module} imports {imported}: only azjax.cli.serve may")
        elif view_of(module) and view_of(imported) not in (None, view_of(module)):
            wrong.append(f"{module} imports {imported}: no view may import another")
        elif ONLY_IMPORTER.get(top, part) != part:
            wrong.append(f"{module} imports {imported}: only azjax.{ONLY_IMPORTER[top]} may")
    return wrong


def modules():
    """Returns (path, dotted name, whether it is a package) for each file of azjax."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        names = ["azjax", *path.relative_to(ROOT).with_suffix("").parts]
        is_package = names[-1] == "__init__"
        found.append((path, ".".join(names[:-1] if is_package else names), is_package))
    return found


def test_every_module_imports_only_what_lies_below_it():
    found = modules()
    assert {part_of(module) for _, module, _ in found} >= {"__init__", "games"}
    wrong = [
        line
        for path, module, is_package in found
        for line in violations(path.read_text(), module, is_package=is_package)
    ]
    assert not wrong, "\n".join(wrong)


# On a platform that does not exist, starting a backend or building an array raises.
NO_BACKEND = {**os.environ, "JAX_PLATFORMS": "no_such_platform"}

IMPORT_EACH_ON_ITS_OWN = """
import importlib, sys
sys.argv = ["python", "--no-such-argument"]
for module in sys.stdin.read().split():
    for name in [name for name in sys.modules if name.split(".")[0] == "azjax"]:
        del sys.modules[name]
    importlib.import_module(module)
"""


def run_without_backend(script, text=""):
    return subprocess.run(
        [sys.executable, "-c", script], input=text, env=NO_BACKEND, capture_output=True, text=True
    )


@pytest.mark.slow
def test_each_module_is_imported_on_its_own_without_starting_a_backend_or_reading_arguments():
    names = [module for _, module, _ in modules()]
    assert set(names) >= {f"azjax.{part.name}" for part in pkgutil.iter_modules([str(ROOT)])}
    done = run_without_backend(IMPORT_EACH_ON_ITS_OWN, "\n".join(names))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
