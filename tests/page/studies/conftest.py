"""A study in its second cell, and a sweep that has ended, in the folder of runs."""

import json
import shutil

import pytest

from azjax.config.limits import Limits
from azjax.support.files.tables import write_table

from ..made_runs import make_evaluation, make_row, make_run

LIMITS = Limits(iterations=10)


@pytest.fixture(scope="package")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    make_study(folder / "compare")
    make_sweep(folder / "tune")
    return folder


@pytest.fixture
def runs(tmp_path, made):
    return shutil.copytree(made, tmp_path / "project" / "runs")


def make_study(path):
    seeds = range(2)
    for seed in seeds:
        done = [*(make_row(i) for i in range(1, 10)), make_evaluation(10, 0.9, 0.98 + seed / 100)]
        make_run(path / "runs" / "gumbel_2" / f"seed={seed}", done, LIMITS, seed)
    make_run(path / "runs" / "puct_2" / "seed=0", [make_evaluation(5, 0.8, 0.9)], LIMITS)
    described = {
        "study": "compare search",
        "preset": "tic_tac_toe",
        "seeds": len(seeds),
        "limits": {"minutes": None, "iterations": 10},
        "cells": {name: {"factors": {}, "config": {}} for name in ("gumbel_2", "puct_2", "uct_2")},
    }
    (path / "study.json").write_text(json.dumps(described))
    rows = [{"cell": "gumbel_2", "result": "accuracy_search", "mean": 0.987654321, "seeds": 2}]
    write_table(path / "summary.csv", rows)
    finals = [{"cell": "gumbel_2", "seed": seed, "elo": 12.5} for seed in seeds]
    write_table(path / "final.csv", finals)
    (path / "figures").mkdir()
    (path / "figures" / "end_of_training.png").write_bytes(b"\x89PNG end")
    (path / "figures" / "end_of_training.pdf").write_bytes(b"%PDF")
    (path / "report.md").write_text(
        "# Report\n\n**Overall:** no difference.\n\n![x](figures/x.png)\n"
    )


def make_sweep(path):
    for trial in (0, 1):
        make_run(path / "trials" / str(trial), [make_evaluation(4, 0.7, 0.75)], LIMITS)
    described = {
        "preset": "tic_tac_toe",
        "objective": "accuracy",
        "trial_minutes": 0.5,
        "trial_iterations": None,
    }
    (path / "sweep.json").write_text(json.dumps(described))
    rows = [
        {"trial": 0, "state": "finished", "score": 1.5, "run": "trials/0"},
        {"trial": 1, "state": "stopped early", "score": None, "run": "trials/1"},
    ]
    write_table(path / "trials.csv", rows)
    (path / "importance.png").write_bytes(b"\x89PNG importance")
