"""Pytrees in NumPy archives: each array has the name of its path, such as `params/stem/bias`."""

import pathlib
from typing import Any, TypeVar

import jax
import numpy as np

from azjax.support.errors import InputError, writing_errors
from azjax.support.files.atomic_files import atomic_write

Tree = TypeVar("Tree")


def by_name(tree: Any) -> dict[str, Any]:
    """Returns the arrays of a pytree by their names."""
    return {_name(path): x for path, x in jax.tree.leaves_with_path(tree)}


def from_names(like: Tree, arrays: dict[str, Any]) -> Tree:
    """Returns the pytree of the arrays of these names that is structured like another one."""
    return jax.tree.map_with_path(lambda path, _: arrays[_name(path)], like)


def write_arrays(path: pathlib.Path, arrays: dict[str, Any]) -> None:
    """Writes a compressed archive in one step; raises InputError if it cannot be written."""
    with writing_errors(path), atomic_write(path) as unfinished, unfinished.open("wb") as file:
        np.savez_compressed(file, **arrays)


def check_is_new(path: pathlib.Path, flag: str) -> None:
    """Raises InputError if a file exists, which the user has named by a flag."""
    if path.exists():
        raise InputError(f"{path} exists: choose another file with {flag}")


def _name(path: jax.tree_util.KeyPath) -> str:
    return jax.tree_util.keystr(path, simple=True, separator="/")
