"""The verdict of a study: the most accurate line of each panel, and its leads over the others."""

import itertools
import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from azjax.evaluation import INTERVAL, describe_kind, detectable_difference, estimate_mean
from azjax.studies.answers import StudyAnswers
from azjax.studies.number_format import percent, points
from azjax.studies.study import ALL_PANELS, COMMON_SEARCH, OWN_SEARCH, Panel, Study
from azjax.studies.summary import scores_of_cell
from azjax.support.files.tables import Row
from azjax.support.plurals import count

_DECIMALS = 6
_HOW = {COMMON_SEARCH: "With the common search", OWN_SEARCH: "Each with its own search"}


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
    detectable: float | None = None  # the smallest difference that is found in 80% of such studies

    @property
    def was_found(self) -> bool:
        """Whether the interval says that one is more accurate."""
        return self.low is not None and self.high is not None and self.low * self.high > 0

    def __str__(self) -> str:
        """Returns the lead as a sentence."""
        first, second, difference = self.first, self.second, points(self.difference)
        if self.was_found:
            head = f"{first} is {'more' if self.difference > 0 else 'less'} accurate than {second}"
        elif self.low is None and self.difference:
            head = f"it is open which of {first} and {second} is more accurate"
        else:
            head = f"no difference was found between {first} and {second}"
        if self.low is not None and self.high is not None:
            interval = f"interval {points(self.low)} to {points(self.high)}"
        else:
            has_many = describe_kind(self.seeds) == INTERVAL
            why = "all seeds have the same difference" if has_many else "too few seeds"
            interval = f"no interval ({why})"
        power = ""
        if not self.was_found and self.detectable is not None:
            power = f"; 80% of such studies find one of {points(self.detectable)}"
        return (
            f"{_HOW[self.result]}, {head}: {percent(self.first_mean)} against "
            f"{percent(self.second_mean)}, difference {difference} points, {interval} over "
            f"{count(self.seeds, 'seed')}{power}."
        )


def find_leads(study: Study, finals: list[Row], answers: StudyAnswers) -> list[Lead]:
    """Returns the leads of every group, first of all panels together.

    Differences are paired by seed. The intervals of a group hold together with 95% for every pair
    of its lines, because the first line is chosen by its results.
    """
    groups = sorted(study.groups.items(), key=lambda group: len(group[1]), reverse=True)
    return [lead for group in groups for lead in _find_leads(study, *group, finals, answers)]


def describe_verdict(leads: list[Lead]) -> list[str]:
    """Returns the verdict: a paragraph for each group, the overall one first."""
    groups = {
        where: list(of_group)
        for where, of_group in itertools.groupby(leads, key=lambda lead: lead.where)
    }
    if not groups:
        return ["There is nothing to compare: every panel has one configuration."]
    paragraphs = [
        f"**{'Overall' if where == ALL_PANELS or len(groups) == 1 else where}:** "
        + " ".join(map(str, of_group))
        for where, of_group in groups.items()
    ]
    if len(groups) == 1 or ALL_PANELS in groups:
        return paragraphs
    of_common = [lead for lead in leads if lead.result == COMMON_SEARCH and lead.was_found]
    found = dict.fromkeys(lead.where for lead in of_common)
    names = f": {', '.join(found)}" if found else ""
    overall = f"A difference was found in {len(found)} of {len(groups)} panels, each by itself"
    return [f"**Overall:** {overall}{names}.", *paragraphs]


def _find_leads(
    study: Study, where: str, panels: tuple[Panel, ...], finals: list[Row], answers: StudyAnswers
) -> Iterable[Lead]:
    """Yields the leads of a group of panels, over the means over its panels by seed."""
    results = [name for name in (COMMON_SEARCH, OWN_SEARCH) if name in study.accuracies]
    labels = list(panels[0].lines)
    scores = {  # [seeds] or [seeds, P]
        (label, result): np.mean(
            [scores_of_cell(finals, x.lines[label], result, answers) for x in panels], axis=0
        )
        for label in labels
        for result in results
    }
    first = labels[0]  # two lines have one order in all panels
    if len(labels) > 2:
        first = max(labels, key=lambda label: scores[label, COMMON_SEARCH].mean())
    for result, second in itertools.product(results, labels):
        if second != first:
            ours, theirs = scores[first, result], scores[second, result]
            differences, num_pairs = ours - theirs, math.comb(len(labels), 2)
            found = estimate_mean(differences, num_pairs)
            means = (round(float(x), _DECIMALS) for x in (ours.mean(), theirs.mean(), found.mean))
            ends = (round(x, _DECIMALS) for x in found.interval) if found.interval else (None, None)
            power = detectable_difference(differences, num_pairs)
            power = None if power is None else round(power, _DECIMALS)
            lead = Lead(where, first, second, result, len(ours), *means, *ends)
            yield lead._replace(detectable=power)
