"""A wrong configuration is refused in one line that says what is right."""

import dataclasses
import re
from typing import ClassVar

import pytest
from small_networks import HEADS

from azjax.networks import NetworkConfig, ResNetConfig, make_network


@pytest.mark.parametrize(
    ("field", "value", "advice"),
    [
        ("channels", 0, "channels=0: must be at least 1"),
        ("blocks", 10**6, "blocks=1000000: must be at most 256"),
        ("value_head", "tanh", "value_head='tanh': must be scalar, wdl or none"),
    ],
)
def test_bad_field_is_refused(field, value, advice):
    with pytest.raises(ValueError, match=f"^{re.escape(advice)}$"):
        ResNetConfig(**{field: value})


def test_a_network_without_a_value_head_has_no_auxiliary_heads():
    message = "^network.value_head='none': must be scalar or wdl with auxiliary heads .reply_logits"
    with pytest.raises(ValueError, match=message):
        make_network(ResNetConfig(value_head="none"), (3, 3, 2), 9, HEADS)


def test_a_number_is_refused_as_networks_are_static():
    @dataclasses.dataclass(frozen=True)
    class Own(NetworkConfig):
        name: ClassVar[str] = "own"
        ratio: float = 4.0

    with pytest.raises(ValueError, match=r"^ratio: must not be of type float"):
        Own()
