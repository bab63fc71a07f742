"""The commit of the package: embedded when it was built, or read from the clone by git.

It imports the standard library only: the build runs this file before anything is installed.
"""

import functools
import hashlib
import importlib.metadata
import os
import pathlib
import re
import subprocess

_PACKAGE = pathlib.Path(__file__).resolve().parents[2]
_EMBEDDED = pathlib.PurePath("support", "provenance", "commit.txt")
_HASH = "sha256:"
_DIRTY = "-dirty"
_GIT_SECONDS = 20  # on a slow disk


@functools.cache
def package_commit() -> str:
    """Returns the commit of this package, with `-dirty` if files differ from it.

    Without git and outside a clone it is `sha256:` and a hash of all files of the package.
    """
    return find_commit(_PACKAGE)


def describe_package() -> str:
    """Returns the version, the commit and the folder of the package that runs, in one line."""
    version = importlib.metadata.version("azjax")
    return f"azjax {version}, commit {package_commit()}, in {_PACKAGE}"


@functools.cache
def package_hash() -> str:
    """Returns the SHA-256 of all files of this package."""
    return _hash_files(_PACKAGE)


def short_commit(commit: str) -> str:
    """Returns the first 12 digits of a commit or a hash, with what stands around them."""
    return re.sub(r"([0-9a-f]{12})[0-9a-f]+", r"\1", commit)


def find_commit(package: pathlib.Path) -> str:
    """Returns the commit of the package in a folder; see `package_commit`."""
    embedded = package / _EMBEDDED
    if not embedded.is_file():
        return _read_git(package) or _HASH + _hash_files(package)
    commit, built = embedded.read_text(encoding="ascii").split()
    is_changed = built != _hash_files(package)
    return commit + _DIRTY * (is_changed and not commit.endswith(_DIRTY))


def embed_commit(source: pathlib.Path, built: pathlib.Path) -> None:
    """Writes the commit of a source package into a built one, if it is known."""
    commit, embedded = find_commit(source), built / _EMBEDDED
    embedded.unlink(missing_ok=True)  # of an earlier build, or a hard link to the source's own
    if not commit.startswith(_HASH):
        embedded.write_text(f"{commit} {_hash_files(built)}\n", encoding="ascii")


def _read_git(package: pathlib.Path) -> str | None:
    """Returns the commit of a clone, or None where the package is not at the top of one."""
    if not (package.parent / ".git").exists():
        return None
    try:
        commit = _git(package.parent, "rev-parse", "HEAD")
        changes = _git(package.parent, "status", "--porcelain", "--", package.name)
    except (OSError, subprocess.SubprocessError):  # no git, or a repository that it refuses
        return None
    return commit + _DIRTY * bool(changes)


def _git(clone: pathlib.Path, *arguments: str) -> str:
    # A hook of another repository sets GIT_DIR and others, which would lead there.
    environment = {name: x for name, x in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "--no-optional-locks", "-C", str(clone), *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, timeout=_GIT_SECONDS
    )
    return done.stdout.strip()


def _hash_files(package: pathlib.Path) -> str:
    """Returns the SHA-256 of the names and contents of a package's files."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*")):
        name = path.relative_to(package)
        if path.is_file() and name != _EMBEDDED and "__pycache__" not in name.parts:
            content = path.read_bytes()
            digest.update(f"{name.as_posix()} {len(content)};".encode())
            digest.update(content)
    return digest.hexdigest()
