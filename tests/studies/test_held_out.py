"""Which networks answer in held-out positions, and how the report compares their cells."""

import dataclasses
import shutil

import numpy as np
import pytest

import azjax.studies.held_out as held_out_module
from azjax.evaluation import Answers, estimate_mean, estimate_share
from azjax.studies.held_out import check_held_out, measure_held_out
from azjax.studies.report import describe_held_out
from azjax.studies.run_study import run_study
from azjax.support.errors import InputError
from azjax.support.files.tables import read_table

SEEDS = range(3)
RIGHT = {  # by cell and seed, of four positions
    (cell, seed): Answers(
        network=np.array([cell == "fast", True, seed == 0, False]),
        search=np.array([True, cell == "fast", seed != 1, False]),
    )
    for cell in ("slow", "fast")
    for seed in SEEDS
}
FINALS = [
    {"cell": cell, "seed": seed, "iteration": 4, "accuracy_search": 0.7, "accuracy_network": 0.6}
    for cell, seed in RIGHT
]


@pytest.fixture
def begun(study):
    """Returns a study with four held-out positions, which are a sample."""
    study.path.mkdir()
    held_out = study.positions.take(np.arange(4))._replace(description="four positions")
    return dataclasses.replace(study, num_seeds=3, held_out=held_out)


@pytest.fixture
def measured(begun, monkeypatch):
    """Returns the list of agents that are measured; no network is real."""
    by_agent = {begun.agent_name(row): RIGHT[row["cell"], row["seed"]] for row in FINALS}
    calls = []

    def measure(agent, positions):
        calls.append(agent)
        return by_agent[agent]._asdict()

    monkeypatch.setattr(held_out_module, "answer_positions", measure)
    return calls


def in_percent(estimate):
    return f"{estimate.mean:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def test_networks_that_were_measured_are_read(begun, console, measured):
    first = measure_held_out(begun, FINALS[:4], console)
    assert [row["accuracy_search"] for row in first.finals] == [0.5, 0.25, 0.5, 0.75]
    again = measure_held_out(begun, FINALS, console)
    assert measured == [begun.agent_name(row) for row in FINALS]
    np.testing.assert_equal(again.answers["accuracy_search"]["slow", 1, 4], [1, 0, 0, 0])
    # Another network of the same iteration, of a run that failed and began again.
    measure_held_out(begun, [FINALS[0] | {"accuracy_network": 0.5}], console)
    assert len(measured) == len(FINALS) + 1
    others = begun.held_out._replace(description="four others")
    measure_held_out(dataclasses.replace(begun, held_out=others), FINALS, console)
    assert len(measured) == 2 * len(FINALS) + 1


def test_answers_in_other_positions_are_not_dropped(begun, console, measured):
    check_held_out(begun)
    measure_held_out(begun, FINALS, console)
    check_held_out(begun)
    others = begun.held_out._replace(description="four others")
    for held_out, fault in ((None, "is missing"), (others, r"gives others \(four others\)")):
        other, words = dataclasses.replace(begun, held_out=held_out), "positions of four positions"
        with pytest.raises(InputError, match=f"{words}, but --held-out {fault}: give it as before"):
            run_study(other, console)
        assert [path.name for path in begun.path.iterdir()] == ["held_out_answers.jsonl"]


def test_the_report_has_intervals_over_seeds_and_positions(begun, console, measured):
    text = describe_held_out(begun, measure_held_out(begun, FINALS, console))
    slow, fast = (
        np.array([RIGHT[cell, seed].search for seed in SEEDS], float) for cell in ("slow", "fast")
    )
    assert f"| slow | {in_percent(estimate_share(slow))} |" in text
    assert f"| fast | {in_percent(estimate_share(fast))} |" in text
    lead = estimate_mean(slow - fast)
    ends = f"{100 * lead.low:.1f} to {100 * lead.high:.1f}"
    assert f"| rate | low | high | {100 * lead.mean:.1f} ({ends}); " in text


@pytest.mark.slow
def test_a_finished_study_takes_held_out_positions_too(done, moved, console, tmp_path):
    path = tmp_path / "study"
    shutil.copytree(done.path, path)
    # All positions again, as held-out ones: the same search gives the same answers.
    run_study(dataclasses.replace(moved(path), held_out=done.positions), console)
    finals = read_table(path / "final.csv")
    for row, final in zip(read_table(path / "held_out.csv"), finals, strict=True):
        assert (row["cell"], row["seed"]) == (final["cell"], final["seed"])
        for metric in ("accuracy_search", "accuracy_network"):
            assert row[metric] == pytest.approx(final[metric])
    assert "## Held-out positions" in (path / "report.md").read_text()
