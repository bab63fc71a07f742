import math
import re

import pytest

from azjax.config.limits import Limits


@pytest.mark.parametrize(
    ("minutes", "iterations", "done"), [(None, 10, 0.3), (0.25, 10, 1.0), (1.0, 4, 0.75)]
)
def test_a_run_ends_at_the_first_limit_that_it_reaches(minutes, iterations, done):
    assert Limits(minutes, iterations).share_done(iteration=3, seconds=30.0) == done


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"minutes": 0.0}, "minutes=0.0: must be above 0"),
        ({"minutes": math.nan}, "minutes=nan: must be above 0, and finite"),
        ({"minutes": 1e30}, "minutes=1e+30: must be from 0 to 5270400"),
    ],
)
def test_a_limit_out_of_range_is_refused(limits, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        Limits(**limits)
