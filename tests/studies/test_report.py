"""Sentences of a study's report, and the lines before and after its run."""

import dataclasses

import pytest

import azjax.studies.report as report_module
from azjax.config.limits import Limits
from azjax.studies.play_time_section import play_time_section
from azjax.studies.run_study import describe_plan


def test_seconds_of_training_are_not_parts_of_a_minute(study):
    short = dataclasses.replace(study, limits=Limits(minutes=0.04))
    assert "Every run has 2.4 seconds of training," in report_module._compared(short)
    assert describe_plan(short) == (
        "compare_rates of tic_tac_toe: 2 cells x 2 seeds x 2.4 seconds of training, then a "
        "tournament of the 4 agents and a comparison at play time"
    )
    long = dataclasses.replace(study, limits=Limits(minutes=20.0))
    assert "Every run has 20 minutes of training," in report_module._compared(long)


def test_values_of_a_preset_that_is_not_tuned_are_called_so(study):
    assert "tic_tac_toe, which were tuned for the preset" in report_module._compared(study)
    other = dataclasses.replace(study, preset="pgx:chess")
    assert "the preset pgx:chess, which are not tuned." in report_module._compared(other)


@pytest.mark.parametrize(
    ("accuracies", "text"),
    [
        ([0.9, 1.0, 0.8], "which has the highest accuracy"),
        ([1.0, 1.0, 0.8], "one of 2 with the highest accuracy"),
    ],
)
def test_networks_that_share_the_highest_accuracy_are_counted(accuracies, text):
    measured = {"cell": "slow", "seed": 0, "search": "puct", "num_simulations": 2, "batch": 9}
    times = {"accuracy": 1.0, "ms_per_position_in_batch": 1.0, "ms_per_position_alone": 2.0}
    finals = [{"accuracy_search": share} for share in accuracies]
    _, paragraph, *_ = play_time_section([measured | times], finals)
    assert f"that of slow, seed 0, {text} with the common search." in paragraph
