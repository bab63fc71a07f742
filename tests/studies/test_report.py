"""Numbers, sentences and tables of a study's report."""

import dataclasses

import pytest

from azjax.config.fields import with_fields
from azjax.studies.study import Panel
from azjax.studies.verdict import describe_verdict, find_leads

PANELS = (
    Panel("8 simulations", {"Gumbel": "slow", "PUCT": "fast"}),
    Panel("2 simulations", {"Gumbel": "fast", "PUCT": "slow"}),
)


def results(cell, accuracies, own=None):
    """Returns the rows of a cell's agents, a seed for each accuracy in percent."""
    names = ("cell", "seed", "accuracy_search", "accuracy_own_search")
    pairs = enumerate(zip(accuracies, own or accuracies, strict=True))
    return [
        dict(zip(names, (cell, seed, common / 100, alone / 100), strict=True))
        for seed, (common, alone) in pairs
    ]


@pytest.fixture
def verdict(study):
    """Returns `verdict(panels, *finals)`: its paragraphs, where one search is common and own."""

    def describe(panels, *finals):
        common = {"search.name": "puct", "search.c_puct": 2.0}
        cells = tuple(
            dataclasses.replace(cell, config=with_fields(cell.config, common))
            for cell in study.cells
        )
        changed = dataclasses.replace(study, cells=cells, panels=panels)
        return describe_verdict(find_leads(changed, [row for rows in finals for row in rows], {}))

    return describe


def test_a_lead_is_told_with_its_interval(verdict):
    # Differences 1, 2 and 3: the mean 2, its standard error 1 / sqrt(3), the quantile 4.303.
    assert verdict(PANELS[:1], results("slow", [80, 82, 84]), results("fast", [79, 80, 81])) == [
        "**Overall:** With the common search, no difference was found between Gumbel and PUCT: "
        "82.0% against 80.0%, difference 2.0 points, interval -0.5 to 4.5 over 3 seeds; "
        "80% of such studies find one of 3.3."
    ]
    slow, fast = results("slow", [80, 82, 84]), results("fast", [78, 80.2, 81.8])
    assert verdict(PANELS[:1], slow, fast) == [
        "**Overall:** With the common search, Gumbel is more accurate than PUCT: 82.0% against "
        "80.0%, difference 2.0 points, interval 1.5 to 2.5 over 3 seeds."
    ]


def test_seeds_are_paired(verdict):
    # The accuracies vary by 20 points between seeds, and their differences by 0.2.
    slow, fast = results("slow", [60, 70, 80]), results("fast", [58.9, 69, 79.1])
    assert "Gumbel is more accurate than PUCT" in verdict(PANELS[:1], slow, fast)[0]


def test_the_overall_verdict_is_first_and_averages_over_panels(verdict):
    slow, fast = results("slow", [90, 91, 92]), results("fast", [80, 81.1, 81.9])
    overall, *panels = verdict(PANELS, slow, fast)
    assert overall.startswith("**Overall:** With the common search, no difference was found")
    assert "difference 0.0 points" in overall
    assert (
        "**8 simulations:** With the common search, Gumbel is more accurate than PUCT" in panels[0]
    )
    assert "Gumbel is less accurate than PUCT: 81.0% against 91.0%" in panels[1]
    assert "difference -10.0 points, interval -10.2 to -9.8" in panels[1]


def test_the_best_of_several_lines_is_compared_with_each_other_one(verdict):
    # The intervals of the three pairs hold together: the quantile is 7.649 at two degrees.
    panel = Panel("network", {"a": "slow", "b": "fast", "c": "third"})
    finals = [
        results("slow", [80, 82, 84]),
        results("fast", [90, 91.1, 92]),
        results("third", [90, 91, 90]),
    ]
    assert verdict((panel,), *finals) == [
        "**Overall:** With the common search, b is more accurate than a: 91.0% against 82.0%, "
        "difference 9.0 points, interval 4.6 to 13.5 over 3 seeds. With the common search, no "
        "difference was found between b and c: 91.0% against 90.3%, difference 0.7 points, "
        "interval -4.3 to 5.7 over 3 seeds; 80% of such studies find one of 6.4."
    ]


def test_the_own_search_has_a_sentence_of_its_own(study):
    study = dataclasses.replace(study, panels=PANELS[:1])
    finals = [
        *results("slow", [90, 91, 92], own=[80, 81.1, 81.9]),
        *results("fast", [80, 81.1, 81.9], own=[90, 91, 92]),
    ]
    [text] = describe_verdict(find_leads(study, finals, {}))
    assert "With the common search, Gumbel is more accurate than PUCT: 91.0% against 81.0%" in text
    assert "Each with its own search, Gumbel is less accurate than PUCT: 81.0% against" in text


@pytest.mark.parametrize("fast", [[80], [80, 81, 82]], ids=["one seed", "the same difference"])
def test_without_an_interval_the_question_stays_open(verdict, fast):
    slow = [accuracy + 1 for accuracy in fast]
    [text] = verdict(PANELS[:1], results("slow", slow), results("fast", fast))
    assert "it is open which of Gumbel and PUCT is more accurate" in text
