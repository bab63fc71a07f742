"""Scripts of `experiments` as modules."""

import functools
import importlib.util
import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).parents[1] / "experiments"


@functools.cache
def load(name):
    """Returns the script of that name as a module, the same one at each call."""
    if str(SCRIPTS) not in sys.path:  # as where it runs as a script
        sys.path.insert(0, str(SCRIPTS))
    spec = importlib.util.spec_from_file_location(f"experiments.{name}", SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where the texts of --help are read from
    spec.loader.exec_module(module)
    return module
