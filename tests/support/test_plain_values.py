"""Values of any type as those of Python."""

import math

import numpy as np
import pytest

from azjax.support.front_door import plain


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (int, 1e1, 10),
        (int, np.float32(3), 3),
        (int, 10**400, 10**400),
        (float, np.uint8(3), 3.0),
        (bool, np.True_, True),
        (str, np.str_("hex"), "hex"),
    ],
)
def test_what_means_the_same_is_a_value_of_python(kind, given, expected):
    value = plain(kind, given, "x")
    assert type(value) is kind
    assert value == expected


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        *((int, x) for x in (True, np.True_, 2.5, math.inf, math.nan, "3", None)),
        *((float, x) for x in (True, "1", 10**400, np.ones((30, 30)))),
        *((bool, x) for x in (1, "yes")),
    ],
)
def test_anything_else_is_refused_in_one_line(kind, given):
    with pytest.raises(ValueError, match=rf"^x=[^\n]*: must be of type {kind.__name__}$"):
        plain(kind, given, "x")
