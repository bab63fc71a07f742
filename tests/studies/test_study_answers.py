"""Answers of a study's evaluations, and the intervals over seeds and positions that need them."""

import dataclasses
import json

import numpy as np
import pytest

import azjax.studies.answers as answers_module
from azjax.evaluation import Answers, estimate_mean, estimate_share
from azjax.runs.storage.answers import append_answers
from azjax.studies.answers import measure_missing, network_of, read_study_answers, scores_of
from azjax.studies.report import explain_intervals
from azjax.studies.summary import compare, results_of, summarize
from azjax.studies.verdict import find_leads
from azjax.support.errors import InputError

NUM_POSITIONS = 40
ITERATIONS = (2, 4)


class FakeRun:
    """A run with a file of answers, and nothing else."""

    def __init__(self, path):
        self.answers = path / "answers.jsonl"


@pytest.fixture
def sampled(with_common_search, monkeypatch):
    """Returns the study, with sampled positions."""
    monkeypatch.setattr(answers_module, "open_run", FakeRun)
    study = with_common_search
    positions = study.positions._replace(is_complete=False)
    return dataclasses.replace(study, positions=positions, num_seeds=3)


def share_right(cell, seed, iteration):
    generator = np.random.default_rng([cell == "slow", seed, iteration])
    return generator.random((3, NUM_POSITIONS)) < (0.6, 0.7, 0.8)[seed]


@pytest.fixture
def evaluations(sampled, console):
    """Writes made-up answers of all evaluations; returns their rows."""
    rows, by_own_search = [], {}
    for cell in ("slow", "fast"):
        for seed in sampled.seeds:
            sampled.run_path(cell, seed).mkdir(parents=True)
            for iteration in ITERATIONS:
                network, common, own = share_right(cell, seed, iteration)
                file = FakeRun(sampled.run_path(cell, seed)).answers
                append_answers(file, iteration, Answers(network, common))
                place = {"cell": cell, "seed": seed, "iteration": iteration, "elo": 0.0}
                axes = dict.fromkeys(("positions", "evaluations", "seconds"), iteration)
                row = place | axes
                row |= {"accuracy_network": network.mean(), "accuracy_search": common.mean()}
                if cell == "slow":
                    by_own_search[network_of(row)] = own
                else:
                    own = common
                rows.append(row | {"accuracy_own_search": own.mean()})
    slow = [row for row in rows if row["cell"] == "slow"]

    def measure(row):
        return {"search": by_own_search[network_of(row)]}

    measure_missing(sampled, "own_search.jsonl", sampled.positions, slow, measure, console)
    return rows


@pytest.fixture
def answers(sampled, evaluations):
    return read_study_answers(sampled, evaluations)


@pytest.mark.parametrize("metric", ["accuracy_search", "accuracy_network", "accuracy_own_search"])
def test_answers_have_the_accuracies_of_their_evaluations(evaluations, answers, metric):
    scores = scores_of(evaluations, metric, answers)
    assert scores.shape == (len(evaluations), NUM_POSITIONS)
    np.testing.assert_allclose(scores.mean(axis=1), [row[metric] for row in evaluations])


def test_results_and_leads_have_intervals_over_both(sampled, evaluations, answers):
    finals = [row for row in evaluations if row["iteration"] == ITERATIONS[-1]]
    slow, fast = (
        np.array([share_right(cell, seed, ITERATIONS[-1])[1] for seed in range(3)], float)
        for cell in ("slow", "fast")
    )
    [row] = [
        row
        for row in summarize(sampled, finals, answers, results_of(sampled, finals))
        if (row["cell"], row["result"]) == ("slow", "accuracy_search")
    ]
    assert (row["low"], row["high"]) == pytest.approx(estimate_share(slow)[1:3], abs=1e-6)
    assert (row["low"], row["high"]) != pytest.approx(estimate_share(slow.mean(axis=1))[1:3])
    difference = estimate_mean(slow - fast)
    lead = find_leads(sampled, finals, answers)[0]
    assert (lead.low, lead.high) == pytest.approx(difference[1:3], abs=1e-6)
    row = compare(sampled, evaluations, finals, answers)[0]
    assert (row["difference"], row["low"]) == pytest.approx(difference[:2], abs=1e-6)


def test_without_all_answers_an_accuracy_is_known_by_its_seeds_only(sampled, evaluations, answers):
    """An older version did not record them."""
    assert "which are a sample" in explain_intervals(sampled, answers)
    FakeRun(sampled.run_path("slow", 1)).answers.unlink()
    found = read_study_answers(sampled, evaluations)
    assert list(found) == ["accuracy_own_search"]
    assert scores_of(evaluations, "accuracy_search", found).shape == (len(evaluations),)
    text = explain_intervals(sampled, found)
    assert "(common search, network alone) are Student's t over seeds only" in text


def test_an_evaluation_by_own_search_is_that_of_its_network(sampled, evaluations, answers):
    """A run that failed and began again has another network at the same iteration."""
    file = sampled.path / "own_search.jsonl"
    assert json.loads(file.read_text().splitlines()[0])["agent"] == list(network_of(evaluations[0]))
    again = [dict(row) for row in evaluations]
    again[0]["accuracy_network"] += 0.1
    assert "accuracy_own_search" not in read_study_answers(sampled, again)
    text = file.read_text()
    file.write_text(text[:-9])
    assert "accuracy_own_search" not in read_study_answers(sampled, evaluations)
    file.write_text(text.replace(f'"{NUM_POSITIONS}:', '"9:'))
    with pytest.raises(InputError, match=r"own_search.jsonl cannot be read: answers in 9"):
        read_study_answers(sampled, evaluations)
