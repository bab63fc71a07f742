"""A configuration that cannot be is refused in one line that says what would be right."""

import dataclasses

import pytest

from azjax.networks import NetworkConfig


@pytest.mark.parametrize(
    ("field", "value", "advice"),
    [
        ("channels", 0, "channels is 0; it must be 1 or more"),
        ("blocks", -1, "blocks is -1; it must be 0 or more"),
        ("policy_planes", 0, "policy_planes is 0; it must be 1 or more"),
        ("value_planes", 0, "value_planes is 0; it must be 1 or more"),
        ("value_features", 0, "value_features is 0; it must be 1 or more"),
        ("norm", "group", "norm is 'group'; it must be one of none, layer, batch"),
        ("architecture", "vit", "architecture is 'vit'; it must be one of mlp, convnet, resnet"),
    ],
)
def test_bad_field_is_refused(field, value, advice):
    with pytest.raises(ValueError, match=f"^{advice}$"):
        NetworkConfig(**{field: value})


def test_config_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        NetworkConfig().channels = 3
