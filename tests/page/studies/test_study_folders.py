import json
import shutil

import pytest

from azjax.page.studies.figures import figure_links, figure_path
from azjax.page.studies.study_description import describe_study, read_study_description
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


def test_the_folder_of_runs_may_itself_be_that_of_studies(runs):
    studies = runs.parent / "studies"
    runs.rename(studies)
    assert [one.name for one in list_study_folders(studies)] == ["runs/compare", "runs/tune"]


def test_links_are_not_followed(runs, tmp_path):
    (runs / "compare").rename(tmp_path / "elsewhere")
    (runs / "link").symlink_to(tmp_path / "elsewhere")
    assert [one.name for one in list_study_folders(runs)] == ["runs/tune"]
    with pytest.raises(InputError, match="leads out"):
        find_study_folder(runs, "runs/link")


@pytest.mark.parametrize(
    "name", ["", "runs", "runs/", "runs/none", "runs/../x", "/etc", "other/x", "runs/compare/runs"]
)
def test_another_name_is_refused(runs, name):
    with pytest.raises(InputError):
        find_study_folder(runs, name)


def test_a_study_says_what_it_trains(runs):
    description = read_study_description(find_study_folder(runs, "runs/compare"))
    assert description.title == (
        "compare search of tic_tac_toe: 3 cells, 2 seeds each, 10 iterations a run"
    )
    folder = runs / "compare" / "runs"
    assert list(description.runs) == ["gumbel_2", "puct_2", "uct_2"]
    assert description.runs["puct_2"] == [folder / "puct_2" / f"seed={seed}" for seed in range(2)]


def test_a_sweep_says_what_it_trains(runs):
    description = read_study_description(find_study_folder(runs, "runs/tune"))
    assert description.title == (
        "sweep of tic_tac_toe by accuracy: 2 trials begun, 0.5 minutes a trial"
    )
    assert list(description.runs) == ["0", "1"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"seeds": "x", "cells": {}}'])
def test_a_damaged_study_is_listed_with_its_reason(runs, text):
    (runs / "compare" / "study.json").write_text(text)
    reason = describe_study(find_study_folder(runs, "runs/compare"))
    assert "cannot be read" in reason
    assert "\n" not in reason


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"seeds": 10**12}, "study.json cannot be read: seeds times cells=3000000000000: must be"),
        ({"seeds": -1}, "study.json cannot be read: seeds times cells=-3: must be at least 1"),
        ({"cells": ["x"]}, "study.json cannot be read: cells=['x']: must be of type dict"),
        ({"cells": {"..": {}}}, "'..' is no name below the folder of runs"),
        ({"cells": {"/etc": {}}}, "'/etc' is no name below the folder of runs"),
        ({"cells": {"a/../../b": {}}}, "'a/../../b' is no name below the folder of runs"),
    ],
)
def test_a_crafted_study_leads_neither_elsewhere_nor_to_endless_work(runs, fields, words):
    file = runs / "compare" / "study.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))
    assert words in describe_study(find_study_folder(runs, "runs/compare"))


def test_figures_are_pictures_in_the_folder_of_the_study(runs):
    study = find_study_folder(runs, "runs/compare")
    assert list(figure_links(study)) == ["figures/end_of_training.png"]
    assert list(figure_links(find_study_folder(runs, "runs/tune"))) == ["importance.png"]
    path = figure_path(runs, "runs/compare", "figures/end_of_training.png")
    assert path.read_bytes() == b"\x89PNG end"


@pytest.mark.parametrize(
    "figure",
    [
        "",
        "none.png",
        "study.json",
        "figures/end_of_training.pdf",
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
