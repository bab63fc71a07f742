"""The commit of the package, in a clone, without git, and in what is built from it."""

import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

from azjax.support.provenance.commit import find_commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
ROOT = pathlib.Path(__file__).parents[3]


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    command = ["git", "-C", folder, *identity, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit_all(folder):
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def package(tmp_path):
    """Returns a package of two files, at the top of no clone yet."""
    package = tmp_path / "clone" / "azjax"
    (package / "support" / "provenance").mkdir(parents=True)
    (package / "__init__.py").write_text("x = 1\n")
    (package / "table.csv").write_text("1,2\n")
    return package


def test_a_clean_clone_is_its_commit(package):
    commit = commit_all(package.parent)
    assert find_commit(package) == commit
    (package.parent / "notes.txt").write_text("not of the package")
    assert find_commit(package) == commit


@pytest.mark.parametrize("name", ["table.csv", "new.py"])
def test_a_clone_whose_package_has_changed_says_so(package, name):
    commit = commit_all(package.parent)
    (package / name).write_text("x = 2\n")
    assert find_commit(package) == f"{commit}-dirty"


def test_without_a_clone_it_is_a_hash_of_the_files(package):
    before = find_commit(package)
    assert before.startswith("sha256:")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").touch()
    assert find_commit(package) == before
    (package / "table.csv").write_text("1,3\n")
    assert find_commit(package) != before


def test_a_package_installed_below_another_repository_is_not_taken_for_it(package):
    below = package.parent / "site-packages" / "azjax"
    shutil.copytree(package, below)
    commit_all(package.parent)
    assert find_commit(below).startswith("sha256:")


@pytest.mark.slow
def test_a_wheel_knows_its_commit_and_whether_it_was_changed(tmp_path):
    pytest.importorskip("setuptools", minversion="77")
    clone, built = tmp_path / "clone", tmp_path / "built"
    shutil.copytree(ROOT / "azjax", clone / "azjax", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    (clone / ".gitignore").write_text("*.egg-info/\nbuild/\n")
    commit = commit_all(clone)
    built.mkdir()
    code = f"from setuptools import build_meta; build_meta.build_wheel({str(built)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=clone, check=True, capture_output=True)
    [archive] = built.iterdir()
    zipfile.ZipFile(archive).extractall(built)
    assert find_commit(built / "azjax") == commit
    (built / "azjax" / "games" / "coins.py").write_text("")
    assert find_commit(built / "azjax") == f"{commit}-dirty"
    assert git(clone, "status", "--porcelain") == ""  # the build leaves the clone as it is
