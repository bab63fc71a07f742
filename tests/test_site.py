"""The manual and the reference of the API are built as a site without a warning."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]


@pytest.mark.slow
def test_the_site_has_all_chapters_and_the_docstrings_of_the_api(tmp_path):
    pytest.importorskip("sphinx", reason="needs the extra docs")
    flags = ["-q", "-W", "--keep-going", "-c", "experiments/manual"]
    command = [sys.executable, "-m", "sphinx", *flags, "experiments", tmp_path]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (built.returncode, built.stderr) == (0, "")
    for chapter in (ROOT / "experiments" / "manual").glob("*.md"):
        assert (tmp_path / "manual" / f"{chapter.stem}.html").is_file()
    reference = (tmp_path / "manual" / "reference.html").read_text()
    assert {"azjax.train", "azjax.search.TreeSearch.back_up"} <= set(
        re.findall(r'id="([\w.]+)"', reference)
    )
