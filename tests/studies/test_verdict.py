"""The verdict of a study, from made-up results of its agents."""

import dataclasses

import pytest

from azjax.studies.options import with_search
from azjax.studies.reporting.verdict import describe_verdict, find_leads
from azjax.studies.study import Panel

PANELS = (
    Panel("8 simulations", {"Gumbel": "slow", "PUCT": "fast"}),
    Panel("2 simulations", {"Gumbel": "fast", "PUCT": "slow"}),
)


def results(cell, accuracies, own=None):
    """Returns the rows of a cell's agents, a seed for each accuracy in percent."""
    return [
        {
            "cell": cell,
            "seed": seed,
            "accuracy_search": common / 100,
            "accuracy_own_search": alone / 100,
        }
        for seed, (common, alone) in enumerate(zip(accuracies, own or accuracies, strict=True))
    ]


@pytest.fixture
def verdict(study):
    """Returns `verdict(panels, *finals)`: its paragraphs, where one search is common and own."""

    def describe(panels, *finals):
        cells = tuple(
            dataclasses.replace(cell, config=with_search(cell.config, algorithm="puct"))
            for cell in study.cells
        )
        changed = dataclasses.replace(study, cells=cells, panels=panels)
        return describe_verdict(find_leads(changed, [row for rows in finals for row in rows], {}))

    return describe


def test_a_lead_is_told_with_its_interval(verdict):
    # Differences 1, 2 and 3: the mean 2, its standard error 1 / sqrt(3), the quantile 4.303.
    assert verdict(PANELS[:1], results("slow", [80, 82, 84]), results("fast", [79, 80, 81])) == [
        "**Overall:** With search, no difference was found between Gumbel and PUCT: 82.0% against "
        "80.0%, difference 2.0 points, interval -0.5 to 4.5 over 3 seeds."
    ]
    slow, fast = results("slow", [80, 82, 84]), results("fast", [78, 80.2, 81.8])
    assert verdict(PANELS[:1], slow, fast) == [
        "**Overall:** With search, Gumbel is more accurate than PUCT: 82.0% against 80.0%, "
        "difference 2.0 points, interval 1.5 to 2.5 over 3 seeds."
    ]


def test_seeds_are_paired(verdict):
    # The accuracies vary by 20 points between seeds, and their differences by 0.2.
    slow, fast = results("slow", [60, 70, 80]), results("fast", [58.9, 69, 79.1])
    assert "Gumbel is more accurate than PUCT" in verdict(PANELS[:1], slow, fast)[0]


def test_the_overall_verdict_is_first_and_averages_over_panels(verdict):
    slow, fast = results("slow", [90, 91, 92]), results("fast", [80, 81.1, 81.9])
    overall, *panels = verdict(PANELS, slow, fast)
    assert overall.startswith("**Overall:** With search, no difference was found")
    assert "difference 0.0 points" in overall
    assert [text.split(" With search, ")[0] for text in panels] == [
        "**8 simulations:**",
        "**2 simulations:**",
    ]
    assert "Gumbel is more accurate than PUCT" in panels[0]
    assert "Gumbel is less accurate than PUCT: 81.0% against 91.0%" in panels[1]
    assert "difference -10.0 points, interval -10.2 to -9.8" in panels[1]


def test_the_same_line_is_first_where_no_difference_was_found(verdict):
    [text] = verdict(PANELS[:1], results("slow", [79, 80, 81]), results("fast", [80, 82, 84]))
    assert "between Gumbel and PUCT: 80.0% against 82.0%, difference -2.0 points" in text


def test_a_panel_in_which_the_first_line_is_behind_is_counted(verdict):
    panels = (PANELS[1], Panel("games", {"64": "slow", "128": "fast"}))
    slow, fast = results("slow", [90, 91, 92]), results("fast", [80, 81.1, 81.9])
    overall, *_ = verdict(panels, slow, fast)
    assert overall.endswith("found in 2 of 2 panels, each by itself: 2 simulations, games.")


def test_panels_of_different_lines_are_counted(verdict):
    panels = (PANELS[0], Panel("games", {"64": "slow", "128": "equal"}))
    slow, fast = results("slow", [90, 91, 92]), results("fast", [80, 81.1, 81.9])
    equal = results("equal", [89, 92, 92])
    overall, _, last = verdict(panels, slow, fast, equal)
    assert (
        overall
        == "**Overall:** A difference was found in 1 of 2 panels, each by itself: 8 simulations."
    )
    assert last.startswith("**games:** With search, no difference was found between 64 and 128")
    overall, *_ = verdict((panels[1], panels[1]._replace(title="b")), slow, equal)
    assert "no difference" in overall
    other = Panel("b", {"1": "slow", "2": "equal"})
    overall, *_ = verdict((panels[1], other), slow, equal)
    assert overall == "**Overall:** No difference was found in any panel."
    overall, *_ = verdict((panels[1], other), results("slow", [90]), results("equal", [89]))
    assert overall.startswith("**Overall:** It is open in which panels there is a difference")


def test_the_best_of_several_lines_is_compared_with_each_other_one(verdict):
    # The intervals of the three pairs hold together: the quantile is 7.649 at two degrees.
    panel = Panel("network", {"a": "slow", "b": "fast", "c": "third"})
    finals = [
        results("slow", [80, 82, 84]),
        results("fast", [90, 91.1, 92]),
        results("third", [90, 91, 90]),
    ]
    assert verdict((panel,), *finals) == [
        "**Overall:** With search, b has the highest accuracy, 91.0% over 3 seeds: more accurate "
        "than a (82.0%, difference 9.0 points, interval 4.6 to 13.5); no difference was found "
        "from c (90.3%, difference 0.7 points, interval -4.3 to 5.7)."
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
    assert "difference 10.0 points, interval 9.8 to 10.2 over 3 seeds" in text
    assert "difference -10.0 points, interval -10.2 to -9.8 over 3 seeds" in text


@pytest.mark.parametrize(
    ("gains", "words"),
    [([1], "no interval (too few seeds)"), ([1, 1, 1], "no interval (all seeds have the same")],
)
def test_without_an_interval_the_question_stays_open(verdict, gains, words):
    fast = results("fast", [80 + number for number in range(len(gains))])
    slow = results("slow", [80 + number + gain for number, gain in enumerate(gains)])
    [text] = verdict(PANELS[:1], slow, fast)
    assert "it is open which of Gumbel and PUCT is more accurate" in text
    assert words in text


def test_one_line_has_nothing_to_be_compared_with(verdict):
    [text] = verdict((Panel("games", {"64": "slow"}),), results("slow", [90, 91]))
    assert text == "There is nothing to compare: every panel has one configuration."
