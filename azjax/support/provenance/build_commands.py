"""Build commands that embed the commit; `tool.setuptools.cmdclass` in pyproject.toml names them.

setuptools runs this file by its path, where the package itself cannot be imported.
"""

import pathlib
import runpy

from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

_HERE = pathlib.Path(__file__).resolve().parent
_PACKAGE = _HERE.parents[1]
_embed_commit = runpy.run_path(str(_HERE / "commit.py"))["embed_commit"]


class BuildWithCommit(build_py):
    """Builds a package that knows its commit; an editable one reads it from its clone."""

    def run(self) -> None:
        """Builds the package."""
        super().run()
        if not self.editable_mode:
            _embed_commit(_PACKAGE, pathlib.Path(self.build_lib, _PACKAGE.name))


class SdistWithCommit(sdist):
    """Makes a source distribution that knows its commit."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Makes the folder that is archived."""
        super().make_release_tree(base_dir, files)
        _embed_commit(_PACKAGE, pathlib.Path(base_dir, _PACKAGE.name))
