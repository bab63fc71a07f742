"""The verdict of a study: the most accurate line of each panel, and its leads over the others."""

import itertools
import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from azjax.evaluation import INTERVAL, describe_kind, estimate_mean
from azjax.studies.answers import StudyAnswers
from azjax.studies.reporting.number_format import decimals_for, percent, points
from azjax.studies.study import ALL_PANELS, COMMON_SEARCH, OWN_SEARCH, PanelGroup, Study
from azjax.studies.summary import scores_of_cell
from azjax.support.files.tables import Row

_DECIMALS = 6


class Lead(NamedTuple):
    """The lead of one line of a group over another at the end of training.

    The first of two lines is the first of the panel. Of several, it is the most accurate one.
    """

    where: str  # the name of the group
    first: str
    second: str
    result: str  # the accuracy that is compared
    seeds: int
    first_mean: float
    second_mean: float
    difference: float
    low: float | None  # of the interval of the difference; None if there is none
    high: float | None

    @property
    def is_ahead(self) -> bool:
        """Whether the first line is more accurate."""
        return self.low is not None and self.low > 0

    @property
    def is_behind(self) -> bool:
        """Whether the second line is more accurate."""
        return self.high is not None and self.high < 0

    @property
    def decimals(self) -> int:
        """The decimals with which its numbers are printed, in percent."""
        differences = (self.difference, self.low or 0.0, self.high or 0.0)
        return decimals_for((self.first_mean, self.second_mean), differences)


def find_leads(study: Study, finals: list[Row], answers: StudyAnswers) -> list[Lead]:
    """Returns the leads of every group, that of all panels first.

    Differences are paired by seed. The intervals of a group hold together with 95% for every pair
    of its lines, because the first line is chosen by its results.
    """
    groups = sorted(study.groups, key=lambda group: len(group.panels), reverse=True)
    return [lead for group in groups for lead in _find_leads(study, group, finals, answers)]


def describe_verdict(leads: list[Lead]) -> list[str]:
    """Returns the verdict: a paragraph for each group, the overall one first."""
    groups = [list(group) for _, group in itertools.groupby(leads, key=lambda lead: lead.where)]
    if not groups:
        return ["There is nothing to compare: every panel has one configuration."]
    paragraphs = [(group[0].where, _describe_group(group)) for group in groups]
    if len(groups) == 1 or groups[0][0].where == ALL_PANELS:
        paragraphs[0] = "Overall", paragraphs[0][1]
    else:
        paragraphs.insert(0, ("Overall", _describe_found(groups)))
    return [f"**{where}:** {text}" for where, text in paragraphs]


def _find_leads(
    study: Study, group: PanelGroup, finals: list[Row], answers: StudyAnswers
) -> Iterable[Lead]:
    results = [name for name in (COMMON_SEARCH, OWN_SEARCH) if name in study.accuracies]
    first = _first_line(group, finals, answers)
    for result, other in itertools.product(results, group.labels):
        if other != first:
            sides = [_scores(group, finals, label, result, answers) for label in (first, other)]
            yield _compare(group, first, other, result, *sides)


def _first_line(group: PanelGroup, finals: list[Row], answers: StudyAnswers) -> str:
    """Returns the line that is compared with the others: two lines have one order in all panels."""
    if len(group.labels) == 2:
        return group.labels[0]
    return max(
        group.labels, key=lambda label: _scores(group, finals, label, COMMON_SEARCH, answers).mean()
    )


def _compare(
    group: PanelGroup, first: str, second: str, result: str, ours: np.ndarray, theirs: np.ndarray
) -> Lead:
    """Returns the lead of the first line over the second one, from the scores of both."""
    found = estimate_mean(ours - theirs, math.comb(len(group.labels), 2))
    low, high = found.interval or (None, None)
    return Lead(
        where=group.where,
        first=first,
        second=second,
        result=result,
        seeds=len(ours),
        first_mean=_rounded(ours.mean()),
        second_mean=_rounded(theirs.mean()),
        difference=_rounded((ours - theirs).mean()),
        low=None if low is None else _rounded(low),
        high=None if high is None else _rounded(high),
    )


def _rounded(number: float) -> float:
    return round(float(number), _DECIMALS)


def _scores(
    group: PanelGroup, finals: list[Row], label: str, result: str, answers: StudyAnswers
) -> np.ndarray:
    """Returns [seeds] or [seeds, P]: a line's scores, the means over the group's panels."""
    cells = [panel.lines[label] for panel in group.panels]
    return np.mean([scores_of_cell(finals, cell, result, answers) for cell in cells], axis=0)


def _describe_found(groups: list[list[Lead]]) -> str:
    """Returns in which panels a difference was found by the common search."""
    found = [
        group[0].where
        for group in groups
        if any(lead.is_ahead or lead.is_behind for lead in group if lead.result == COMMON_SEARCH)
    ]
    if found:
        return (
            f"A difference was found in {len(found)} of {len(groups)} panels, each by itself: "
            f"{', '.join(found)}."
        )
    if all(lead.low is None for group in groups for lead in group):
        return "It is open in which panels there is a difference: there are no intervals."
    return "No difference was found in any panel."


def _describe_group(leads: list[Lead]) -> str:
    """Returns a sentence for each search."""
    has_own_search = leads[-1].result == OWN_SEARCH
    how = {
        COMMON_SEARCH: "with the common search" if has_own_search else "with search",
        OWN_SEARCH: "each with its own search",
    }
    sentences = []
    for result, found in itertools.groupby(leads, key=lambda lead: lead.result):
        of_result = list(found)
        text = _describe_pair(*of_result) if len(of_result) == 1 else _describe_several(of_result)
        sentences.append(f"{how[result].capitalize()}, {text}")
    return " ".join(sentences)


def _describe_pair(lead: Lead) -> str:
    names = f"{lead.first} and {lead.second}"
    if lead.is_ahead or lead.is_behind:
        head = f"{lead.first} is {_relation(lead)} {lead.second}"
    elif lead.low is None and lead.difference:
        head = f"it is open which of {names} is more accurate"
    else:
        head = f"no difference was found between {names}"
    first, second = (percent(mean, lead.decimals) for mean in (lead.first_mean, lead.second_mean))
    return f"{head}: {first} against {second}, {_difference(lead)}{_over_seeds(lead)}."


def _describe_several(leads: list[Lead]) -> str:
    """Returns the accuracy of the first line, then the other lines by what is known of each."""
    clauses: dict[str, list[str]] = {}
    for lead in leads:
        text = f"{lead.second} ({percent(lead.second_mean, lead.decimals)}, {_difference(lead)})"
        clauses.setdefault(_relation(lead), []).append(text)
    first = leads[0]
    parts = [f"{relation} {', '.join(others)}" for relation, others in clauses.items()]
    rank = "the highest accuracy, " if first.result == COMMON_SEARCH else ""
    accuracy = f"{rank}{percent(first.first_mean)}{_over_seeds(first)}"
    return f"{first.first} has {accuracy}: {'; '.join(parts)}."


def _relation(lead: Lead) -> str:
    if lead.is_ahead:
        return "more accurate than"
    if lead.is_behind:
        return "less accurate than"
    is_open = lead.low is None and lead.difference
    return "it is open how it compares with" if is_open else "no difference was found from"


def _difference(lead: Lead) -> str:
    difference = points(lead.difference, lead.decimals)
    if lead.low is None or lead.high is None:
        has_many = describe_kind(lead.seeds) == INTERVAL
        why = "all seeds have the same difference" if has_many else "too few seeds"
        return f"difference {difference} points, no interval ({why})"
    low, high = (points(end, lead.decimals) for end in (lead.low, lead.high))
    return f"difference {difference} points, interval {low} to {high}"


def _over_seeds(lead: Lead) -> str:
    return f" over {lead.seeds} seeds" if lead.seeds > 1 else ""
