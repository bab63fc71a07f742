"""The one line in which a mistake in flags is reported."""

import pytest

from azjax.config.flags import parse_flags
from azjax.config.run_config import RunConfig
from azjax.support.errors import InputError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--search.num-simulations", "0"], "search.num_simulations=0: must be at least 1"),
        (["--network.channels", "0"], "network.channels=0: must be at least 1"),
        (["--num-games", "0"], "num_games=0: must be at least 1"),
        (["--evaluate-every", "0"], "evaluate_every=0: must be at least 1"),
    ],
)
def test_an_error_of_a_field_at_any_depth_is_its_message_alone(arguments, message):
    with pytest.raises(InputError) as error:
        parse_flags(RunConfig, arguments, "azjax train")
    assert str(error.value).removesuffix("; see azjax train --help") == message


def test_an_error_of_a_malformed_number_names_its_flag():
    with pytest.raises(InputError, match=r"--num-games: .*'many'"):
        parse_flags(RunConfig, ["--num-games", "many"], "azjax train")
