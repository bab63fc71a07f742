"""What all components share: the ranges of their numbers, and the tree that they are."""

import dataclasses
import math

import pytest

from azjax.support.component import component_names, get_component, marks, number_fields, register
from azjax.support.ranges import Range
from azjax.training import Part  # the package registers the components of all kinds

KINDS = ("network", "search", "algorithm", "optimizer", "part")
COMPONENTS = [get_component(kind, name) for kind in KINDS for name in component_names(kind)]
NUMBERS = [(kind, name) for kind in COMPONENTS for name in number_fields(kind)]
IN_ANOTHER_FIELD = ("min_moves",)  # whose range depends on the rest, as `check_fit` knows
NUMBERS = [number for number in NUMBERS if number[1] not in IN_ANOTHER_FIELD]


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
@pytest.mark.parametrize(("kind", "field"), NUMBERS)
def test_every_number_is_non_negative_and_finite(kind, field, value):
    with pytest.raises(ValueError, match=f"^{field}="):
        kind(**{field: value})


DIVISORS = {"temperature", "exponent", "learning_rate", "max_gradient_norm", "full_share"}
DIVISORS |= {"c_puct_base", "dirichlet_alpha"}
UPPER_BOUNDS = {("random_starts", "moves")}


def is_above_0(kind, field):
    return field in DIVISORS or (kind.name, field) in UPPER_BOUNDS


@pytest.mark.parametrize(("kind", "field"), [n for n in NUMBERS if is_above_0(*n)])
def test_divisors_and_upper_bounds_are_above_zero(kind, field):
    with pytest.raises(ValueError, match=f"^{field}=0.0: must be above 0"):
        kind(**{field: 0.0})


SHARES = {"fraction", "td_lambda", "final_learning_rate", "dirichlet_fraction", "prior_weight"}
SHARES |= {"first_prior_weight", "result_discount", "full_share"}


def is_share(kind, field):
    return field in SHARES or (kind.name, field) == ("surprise_sampling", "weight")


@pytest.mark.parametrize(("kind", "field"), [n for n in NUMBERS if is_share(*n)])
def test_a_share_is_from_0_to_1(kind, field):
    for share in (0.0, 1.0)[is_above_0(kind, field) :]:
        kind(**{field: share})
    with pytest.raises(ValueError, match=f"^{field}=1.01: must be from 0 to 1"):
        kind(**{field: 1.01})


@pytest.mark.parametrize("kind", COMPONENTS)
def test_a_declared_range_contains_the_default(kind):
    for name, range_ in marks(kind, Range).items():
        assert getattr(kind(), name) in range_, name


def part_with(method):
    members = {"name": "mine", method: lambda self: None}
    return dataclasses.dataclass(frozen=True)(type("Mine", (Part,), members))


@pytest.mark.usefixtures("registrations")
@pytest.mark.parametrize(
    ("method", "hook"), [("weigths", "weights"), ("sample_weigths", "bootstrap_weights")]
)
def test_a_method_whose_name_is_like_a_hook_is_refused(method, hook):
    message = f"^part mine: no hook is named '{method}', did you mean '{hook}'"
    with pytest.raises(ValueError, match=message):
        register(part_with(method))
    for helper in (f"_{method}", "schedule"):
        register(part_with(helper))
