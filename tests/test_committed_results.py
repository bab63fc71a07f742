"""The results name commits that the repository has."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[1]
PAGES = sorted((ROOT / "experiments" / "results").glob("*.md"))


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)


@pytest.fixture(scope="module")
def history():
    """Returns the hashes of all commits, in a line each."""
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("needs a clone with its history")
    return "\n" + git("log", "--format=%H").stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_commit_of_a_page_is_in_the_history(page, history):
    commits = set(re.findall(r"\b[0-9a-f]{7}\b", page.read_text()))
    missing = {commit for commit in commits if f"\n{commit}" not in history}
    assert not missing
