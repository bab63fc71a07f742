"""Sentences of a study's report, and the lines before and after its run."""

import dataclasses
import json

import pytest

import azjax.studies.reporting.report as report_module
from azjax.config.limits import Limits
from azjax.evaluation import INTERVAL, Estimate
from azjax.runs.storage.run_description import write_description
from azjax.studies.answers import network_name
from azjax.studies.options import with_search
from azjax.studies.ratings import all_matches_are_level
from azjax.studies.reporting.play_time_section import play_time_section
from azjax.studies.reporting.population_lines import population_lines
from azjax.studies.run_study import describe_plan
from azjax.studies.statistics import columns_of
from azjax.studies.study import Panel
from azjax.studies.summary import without_ratings


def test_seconds_of_training_are_not_parts_of_a_minute(study):
    short = dataclasses.replace(study, limits=Limits(minutes=0.04))
    assert "Every run has 2.4 seconds of training," in report_module._compared(short)
    assert describe_plan(short) == (
        "compare_rates of tic_tac_toe: 2 cells x 2 seeds x 2.4 seconds of training, "
        "evaluated by puct with 2 simulations, then a tournament of the 4 agents and a comparison "
        "at play time"
    )
    long = dataclasses.replace(study, limits=Limits(minutes=20.0))
    assert "Every run has 20 minutes of training," in report_module._compared(long)


def test_the_verdict_over_several_panels_is_told_from_theirs(study):
    assert len(study.panels) == 1
    assert report_module._explain_overall(study) == ""
    lines = study.panels[0].lines
    several = dataclasses.replace(study, panels=(*study.panels, Panel("again", lines)))
    text = report_module._explain_overall(several)
    assert "compares each seed's mean over the panels" in text
    other = Panel("other", {f"other {label}": cell for label, cell in lines.items()})
    apart = dataclasses.replace(study, panels=(*study.panels, other))
    assert report_module._explain_overall(apart) == ""


def test_values_of_a_preset_that_is_not_tuned_are_called_so(study):
    assert "tic_tac_toe, which were tuned for the preset" in report_module._compared(study)
    other = dataclasses.replace(study, preset="pgx:chess")
    assert "the preset pgx:chess, which are not tuned." in report_module._compared(other)


def test_where_searches_have_their_own_hyperparameters_the_report_says_so(study):
    assert "Where its cell's name says nothing else, it has" in report_module._compared(study)
    slow, fast = study.cells
    fast = dataclasses.replace(fast, config=with_search(fast.config, algorithm="puct"))
    tuned = dataclasses.replace(study, cells=(slow, fast))
    words = "Where neither its cell's name nor the table of hyperparameters below says anything"
    assert words in report_module._compared(tuned)


def test_a_cell_that_is_evaluated_with_other_choices_is_named(study):
    assert "common search has" not in report_module._explain_searches(study)
    first, second = study.cells
    proving = with_search(second.config, proven_values=True)
    cells = (first, dataclasses.replace(second, config=proving))
    text = report_module._explain_searches(dataclasses.replace(study, cells=cells))
    assert text.endswith("without noise. In fast the common search has proven_values=True.")


def test_populations_of_several_sizes_are_a_condition(study):
    for cell in study.cells:
        for seed in study.seeds:
            sessions = [{"vmapped_runs": 3 if (cell.name, seed) == ("fast", 1) else 2}, {}]
            write_description(study.run_path(cell.name, seed), {"sessions": sessions})
    [line] = population_lines(study)
    assert "computes at once: slow 2, fast 2 and 3; in a minute" in line
    same = dataclasses.replace(study, num_seeds=1)
    assert list(population_lines(same)) == []


def test_play_time_shows_each_mean_with_its_interval():
    times = {"batch": 9, "ms_per_position_in_batch": 1.0, "ms_per_position_alone": 2.0}
    mean = columns_of("accuracy", Estimate(0.91, 0.9, 0.92, INTERVAL), "accuracy_")
    lead = columns_of("lead", Estimate(-0.012, -0.02, 0.001, INTERVAL), "lead_")
    networks = "a/seed=0@4 50.00% 40.00%, b/seed=0@4 60.00% 50.00%"
    row = {"networks": networks, "num_simulations": 2} | times | mean | lead
    rows = [row | {"search": name} for name in ("gumbel", "puct")]
    text = "\n".join(play_time_section(rows, "random play has 38%"))
    assert "For comparison: random play has 38%. Times are" in text
    assert "the last ones of 2 runs" in text
    assert "| gumbel | 2 | 91.0% (90.0% to 92.0%) |  | 1.00 | 2.00 |" in text
    assert "| puct | 2 | 91.0% (90.0% to 92.0%) | -1.2 (-2.0 to 0.1) | 1.00 | 2.00 |" in text
    alone = Estimate(0.91, 0.91, 0.91, "range of 1 seed")
    row |= columns_of("accuracy", alone, "accuracy_") | {"search": "gumbel"}
    assert "| gumbel | 2 | 91.0% |" in "\n".join(play_time_section([row], ""))


def test_intervals_are_explained_where_there_are_any(study):
    few = report_module._explain_verdict(study, {})
    assert "Fewer than three seeds give no intervals" in few
    assert "95%" not in few
    enough = report_module._explain_verdict(dataclasses.replace(study, num_seeds=3), {})
    assert "the intervals are 95% intervals" in enough


def test_ratings_are_not_shown_where_all_matches_were_level(study):
    accuracies = {name: (0.9, 0.8, 1.0, INTERVAL) for name in study.accuracies}
    summary = [
        {"cell": cell.name, "result": result, **columns_of("mean", Estimate(*estimate))}
        for cell in study.cells
        for result, estimate in (accuracies | {"elo": (0, -1, 1, INTERVAL)}).items()
    ]
    assert "| Elo |" in report_module._end_table(study, summary)
    random = " | ".join(["58.0%"] * len(study.accuracies))
    assert f"| uniform random play | {random} |  |" in report_module._end_table(study, summary)
    assert "Elo" not in report_module._end_table(study, without_ratings(summary))
    level, rated = (report_module._explain_end_table(4, has) for has in (False, True))
    assert level.endswith("All matches of the tournament were level, so no ratings are shown.")
    assert "Elo is relative" not in level
    assert "Elo is relative" in rated
    assert "were level" not in rated
    assert "Elo" not in report_module._explain_comparisons(False)
    assert "Elo" in report_module._explain_comparisons(True)


@pytest.mark.parametrize(("rewards", "is_level"), [([[1, -1]], True), ([[1, 0]], False)])
def test_level_matches_are_found(study, rewards, is_level):
    accuracies = {"accuracy_search": 0.5, "accuracy_network": 0.25}
    finals = [{"cell": name, "seed": 0, "iteration": 4, **accuracies} for name in ("slow", "fast")]
    assert not all_matches_are_level(study, finals)  # none was played
    first, second = map(network_name, finals)
    match = {"first": first, "second": second, "rewards": rewards}
    study.path.mkdir()
    (study.path / "matches.jsonl").write_text(json.dumps(match) + "\n")
    assert all_matches_are_level(study, finals) == is_level
