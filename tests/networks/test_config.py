"""A wrong configuration is refused in one line that says what is right."""

import re

import pytest

from azjax.networks import NetworkConfig


@pytest.mark.parametrize(
    ("field", "value", "advice"),
    [
        ("channels", 0, "network.channels=0: must be at least 1"),
        ("blocks", -1, "network.blocks=-1: must be at least 0"),
        ("blocks", 10**6, "network.blocks=1000000: must be at most 256"),
        ("value_features", 16385, "network.value_features=16385: must be at most 16384"),
        ("value_head", "tanh", "network.value_head='tanh': must be scalar, wdl or none"),
        (
            "auxiliary_heads",
            ("reply", "score"),
            "network.auxiliary_heads='score': must be reply, action_values, ownership or "
            "consistency",
        ),
        (
            "auxiliary_heads",
            ("reply", "reply"),
            "network.auxiliary_heads: 'reply' is there twice",
        ),
        (
            "architecture",
            "vit",
            "network.architecture='vit': must be mlp, convnet, resnet, or one of --plugin MODULE",
        ),
    ],
)
def test_bad_field_is_refused(field, value, advice):
    with pytest.raises(ValueError, match=f"^{re.escape(advice)}$"):
        NetworkConfig(**{field: value})
