"""JAX's persistent cache of compiled programs: a folder for each kind of processor, kept small.

JAX's key of a program says nothing of the processor's instruction sets. On a shared disk, a program
that one machine has compiled may stop another one with an illegal instruction.
"""

import contextlib
import os
import pathlib
import time

import jax

from azjax.support.machine.processor import processor_digest

_USUAL_FOLDER = pathlib.Path(".cache", "azjax", "compiled")  # below the user's home
_MAX_AGE = 30 * 24 * 3600  # seconds since the last use
_MAX_BYTES = 2 * 2**30


def use_compilation_cache() -> None:
    """Lets JAX keep its programs in this processor's part of the cache, and prunes the cache.

    The part lies in the folder that `JAX_COMPILATION_CACHE_DIR` names, if any; an empty name means
    no cache. Other programs may use a named folder too, so that only the part is pruned there.
    """
    named = jax.config.values["jax_compilation_cache_dir"]
    if named == "" or (named and named.endswith(processor_digest())):  # or it is the part already
        return
    folder = named or str(pathlib.Path.home() / _USUAL_FOLDER)
    part = os.path.join(folder, processor_digest())
    jax.config.update("jax_compilation_cache_dir", part)
    if "://" not in folder:  # a bucket has rules of its own
        prune(pathlib.Path(part if named else folder))


def prune(folder: pathlib.Path, max_age: float = _MAX_AGE, max_bytes: int = _MAX_BYTES) -> None:
    """Deletes the files below a folder that were not used for long, and the oldest of too many.

    Other processes may read, write and prune the same folder, which may be missing; a program that
    is missing is compiled again.
    """
    found = []
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file():
                status = path.stat()
                # Some disks record no reads; there a program is as old as its file.
                found.append((max(status.st_atime, status.st_mtime), status.st_size, path))
    kept = 0
    for used, size, path in sorted(found, reverse=True):
        kept += size
        if kept > max_bytes or time.time() - used > max_age:
            with contextlib.suppress(OSError):
                path.unlink()
