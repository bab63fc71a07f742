"""What a network looks like: the part of the configuration that fixes its shapes."""

import dataclasses
from typing import Literal, get_args

from azjax.networks.precision import Precision

Architecture = Literal["mlp", "convnet", "resnet"]
Norm = Literal["none", "layer", "batch"]


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """Describes a network; static under `jit`.

    Raises:
      ValueError: if a field is out of its range; the message says what would be right.
    """

    architecture: Architecture = "resnet"
    """Kind of network: dense layers, two convolutions, or a tower of residual blocks."""

    channels: int = 64
    """Width of the hidden layers: units of the mlp, channels of the convolutions."""

    blocks: int = 5
    """Residual blocks of the mlp and the resnet; the convnet is always two convolutions."""

    policy_planes: int = 2
    """Planes that the policy head reads from the trunk of convolutions."""

    value_planes: int = 4
    """Planes that the value head reads from the trunk of convolutions."""

    value_features: int | None = None
    """Width of the value head's hidden layer above a trunk of convolutions; as many as channels if
    not given."""

    norm: Norm = "none"
    """Normalisation after each hidden layer; none is the fastest and is safe in self-play."""

    equivariant: bool = False
    """Treat a position and its images by the board's symmetries alike, to rounding, at no cost in
    play; channels, planes and value features are then multiples of the number of symmetries."""

    precision: Precision = "auto"
    """Of the products: float32, or bfloat16 summed in float32; auto takes the latter where the
    hardware is built for it."""

    def __post_init__(self) -> None:
        _require_choice("architecture", self.architecture, get_args(Architecture))
        _require_choice("norm", self.norm, get_args(Norm))
        _require_choice("precision", self.precision, get_args(Precision))
        _require_at_least("channels", self.channels, 1)
        _require_at_least("blocks", self.blocks, 0)
        _require_at_least("policy_planes", self.policy_planes, 1)
        _require_at_least("value_planes", self.value_planes, 1)
        if self.value_features is not None:
            _require_at_least("value_features", self.value_features, 1)
        if self.equivariant and self.norm == "batch":
            raise ValueError(
                "norm is batch, whose statistics are those of the positions as they lie; it must "
                "be none or layer where equivariant is set"
            )


def _require_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(choices)}")


def _require_at_least(name: str, value: int, minimum: int) -> None:
    if value < minimum:
        raise ValueError(f"{name} is {value}; it must be {minimum} or more")
