"""The layers of azjax: which modules import which; and importing does no work."""

import ast
import functools
import graphlib
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
    "page": AGENTS | {"sweeps"},
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


def imported_modules(nodes, package):
    """Yields each module that nodes of a file in a package import, relative ones resolved."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(parents if node.level else []), *filter(None, [node.module])])
            names = (f"{base}.{alias.name}" for alias in node.names)
            # `from azjax import games` imports a module, `from azjax import make` a name of one.
            yield from (name if name in modules() else base for name in names)


def violations(module):
    """Returns what is wrong with the imports of one module, a line each."""
    part, (package, tree) = part_of(module), modules()[module]
    if part not in MAY_IMPORT:
        return [f"{module}: give azjax.{part} a line in MAY_IMPORT"]
    wrong = []
    for imported in imported_modules(ast.walk(tree), package):
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


@functools.cache
def modules():
    """Returns the package and the syntax tree of each file of azjax, by dotted name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        *parents, name = "azjax", *path.relative_to(ROOT).with_suffix("").parts
        module = ".".join(parents if name == "__init__" else [*parents, name])
        found[module] = (".".join(parents), ast.parse(path.read_text()))
    return found


def test_every_module_imports_only_what_lies_below_it():
    assert {part_of(module) for module in modules()} >= {"__init__", "games"}
    wrong = [line for module in modules() for line in violations(module)]
    assert not wrong, "\n".join(wrong)


def test_no_import_leads_back_to_its_module():
    imports = {
        module: {*imported_modules(ast.walk(tree), package)} & modules().keys() - {module}
        for module, (package, tree) in modules().items()
    }
    assert sum(map(len, imports.values())) > len(modules())
    graphlib.TopologicalSorter(imports).prepare()


# On a platform that does not exist, starting a backend or building an array raises.
NO_BACKEND = {**os.environ, "JAX_PLATFORMS": "no_such_platform"}

IMPORT_ALL = """
import importlib, sys
sys.argv = ["python", "--no-such-argument"]
for module in sys.stdin.read().split():
    importlib.import_module(module)
"""


@pytest.mark.slow
def test_importing_starts_no_backend_and_reads_no_arguments():
    assert modules().keys() >= {f"azjax.{part.name}" for part in pkgutil.iter_modules([str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        input="\n".join(modules()),
        env=NO_BACKEND,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
