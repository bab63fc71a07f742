"""A worker of the tiny study of the tests, in FOLDER."""

import pathlib
import sys

import pytest
from rich.console import Console

from azjax.studies.run_study import run_study

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from conftest import make_study, quicken

quicken(pytest.MonkeyPatch())
run_study(make_study(pathlib.Path(sys.argv[1])), Console(force_terminal=False, width=200))
