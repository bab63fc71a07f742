import json
import shutil

import pytest

from azjax.page.studies.figures import figure_links, figure_path
from azjax.page.studies.study_description import describe_study
from azjax.page.studies.study_folders import find_study_folder, list_study_folders
from azjax.support.errors import InputError


def test_studies_and_sweeps_are_found_below_the_runs_and_beside_them(runs):
    beside = runs.parent / "studies" / "deep"
    shutil.copytree(runs / "compare", beside / "ablate")
    shutil.copytree(runs / "tune", runs.parent / "sweeps" / "hex")
    assert [(one.name, one.kind) for one in list_study_folders(runs)] == [
        ("runs/compare", "study"),
        ("runs/tune", "sweep"),
        ("studies/deep/ablate", "study"),
        ("sweeps/hex", "sweep"),
    ]
    assert find_study_folder(runs, "studies/deep/ablate").path == beside / "ablate"


def test_links_are_not_followed(runs, tmp_path):
    (runs / "compare").rename(tmp_path / "elsewhere")
    (runs / "link").symlink_to(tmp_path / "elsewhere")
    assert [one.name for one in list_study_folders(runs)] == ["runs/tune"]
    with pytest.raises(InputError, match="leads out"):
        find_study_folder(runs, "runs/link")


@pytest.mark.parametrize("name", ["", "runs", "runs/../x", "/etc", "other/x", "runs/compare/runs"])
def test_another_name_is_refused(runs, name):
    with pytest.raises(InputError):
        find_study_folder(runs, name)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"seeds": 10**12}, "study.json cannot be read: seeds times cells=3000000000000: must be"),
        ({"cells": ["x"]}, "study.json cannot be read: cells=['x']: must be of type dict"),
        ({"cells": {"..": {}}}, "'..' is no name below the folder of runs"),
        ({"cells": {"a/../../b": {}}}, "'a/../../b' is no name below the folder of runs"),
    ],
)
def test_a_crafted_study_leads_neither_elsewhere_nor_to_endless_work(runs, fields, words):
    file = runs / "compare" / "study.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))
    assert words in describe_study(find_study_folder(runs, "runs/compare"))


@pytest.mark.parametrize(
    "figure",
    [
        "none.png",
        "study.json",
        "../tune/importance.png",
        "figures/../../tune/importance.png",
        "runs/x.png",
        "figures/link.png",
    ],
)
def test_nothing_else_is_a_figure(runs, figure):
    (runs / "compare" / "runs" / "x.png").write_bytes(b"\x89PNG")
    (runs / "compare" / "figures" / "link.png").symlink_to(runs / "tune" / "importance.png")
    with pytest.raises(InputError):
        figure_path(runs, "runs/compare", figure)


def test_another_version_of_a_figure_has_another_address(runs):
    study = find_study_folder(runs, "runs/tune")
    before = figure_links(study)
    (study.path / "importance.png").write_bytes(b"\x89PNG new")
    assert figure_links(study) != before
