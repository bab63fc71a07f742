"""What all components share: the ranges of their numbers, and the tree that they are."""

import dataclasses
import math

import pytest

from azjax.support.component import component_names, get_component, marks, number_fields, register
from azjax.support.ranges import Range
from azjax.training import (  # the package registers the components of all kinds
    AdamW,
    Part,
    RandomStarts,
)

KINDS = ("network", "search", "algorithm", "optimizer", "part")
COMPONENTS = [get_component(kind, name) for kind in KINDS for name in component_names(kind)]
IN_ANOTHER_FIELD = ("min_moves",)  # whose range depends on the rest, as `check_fit` knows


@pytest.mark.parametrize("kind", COMPONENTS)
def test_every_number_is_non_negative_and_finite_and_its_default_in_its_range(kind):
    for field in set(number_fields(kind)) - {*IN_ANOTHER_FIELD}:
        for value in (-1.0, math.nan, math.inf):
            with pytest.raises(ValueError, match=f"^{field}="):
                kind(**{field: value})
    for name, range_ in marks(kind, Range).items():
        assert getattr(kind(), name) in range_, name


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (lambda: AdamW(learning_rate=0.0), "learning_rate=0.0: must be above 0"),
        (lambda: RandomStarts(fraction=1.01), "fraction=1.01: must be from 0 to 1"),
    ],
)
def test_divisors_are_above_zero_and_shares_at_most_one(kind, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        kind()


def part_with(method):
    members = {"name": "mine", method: lambda self: None}
    return dataclasses.dataclass(frozen=True)(type("Mine", (Part,), members))


@pytest.mark.usefixtures("registrations")
def test_a_method_whose_name_is_like_a_hook_is_refused():
    message = "^part mine: no hook 'weigths', did you mean 'weights'"
    with pytest.raises(ValueError, match=message):
        register(part_with("weigths"))
    for helper in ("_weigths", "schedule"):
        register(part_with(helper))
