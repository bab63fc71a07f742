"""The configuration of a network, which fixes the shapes of its arrays."""

import dataclasses
from typing import Annotated, Literal, get_args

from azjax.networks.precision import Precision
from azjax.networks.registry import check_network
from azjax.support.flag_marks import NameOf, OneOf
from azjax.support.validation import check_choice, check_distinct, check_size

Norm = Literal["none", "layer", "batch"]
ValueHead = Literal["scalar", "wdl", "none"]

AUXILIARY_HEADS = ("reply", "action_values", "ownership")
MODEL_HEADS = ("consistency",)  # of networks with a learnt model
_HEADS = (*AUXILIARY_HEADS, *MODEL_HEADS)

# The architectures whose heads the options of heads apply to.
BUILT_IN = ("mlp", "convnet", "resnet")

_MAX_BLOCKS = 256
_MAX_WIDTH = 2**14


@dataclasses.dataclass(frozen=True)
class NetworkConfig:
    """Describes a network; static under `jit`."""

    architecture: Annotated[str, NameOf("network")] = "resnet"
    """Kind of network: mlp (dense layers), convnet (two convolutions), resnet (a tower of residual
    blocks), or the name of a registered network."""

    channels: int = 64
    """Width of the hidden layers: units of the mlp, channels of the convolutions."""

    blocks: int = 5
    """Residual blocks of the mlp and the resnet; the convnet is always two convolutions."""

    policy_planes: int = 2
    """Planes that the policy head reads from the trunk of convolutions."""

    value_planes: int = 4
    """Planes that the value head reads from the trunk of convolutions."""

    value_features: int | None = None
    """Width of the value head's hidden layer above a trunk of convolutions; equal to channels if
    not given."""

    global_pooling: bool = False
    """Let every cell and the value head of a resnet see the mean and the maximum of each channel
    over the board, as in KataGo."""

    value_head: ValueHead = "scalar"
    """What the value head predicts: the expected result as one number, or wdl, the probabilities of
    win, draw and loss. The value that plays is then that of a win less that of a loss. With none
    there is no value head: searches take the results of random rollouts."""

    auxiliary_heads: Annotated[tuple[str, ...], OneOf(_HEADS)] = ()
    """Heads that train the trunk and do not play: reply, the policy at the next position;
    action_values, the Q-values of the search; ownership, the owners of the cells at the end of the
    game, and the margin; consistency, of MuZero alone, the representation of the position that a
    latent of the dynamics stands for."""

    norm: Norm = "none"
    """Normalization after each hidden layer; none is the fastest and is safe in self-play."""

    equivariant: bool = False
    """Tie weights so that the network is equivariant under the board's symmetries, to rounding, at
    no cost in play; channels, planes and value features must then be multiples of the number of
    symmetries."""

    precision: Precision = "auto"
    """Precision of the matrix products: float32, or bfloat16 summed in float32; auto selects the
    latter where the hardware supports it natively."""

    def __post_init__(self) -> None:
        """Raises ValueError if a field is out of range or two fields do not fit together."""
        check_network("network.architecture", self.architecture)
        check_choice("network.value_head", self.value_head, get_args(ValueHead))
        check_choice("network.norm", self.norm, get_args(Norm))
        check_choice("network.precision", self.precision, get_args(Precision))
        check_size("network.blocks", self.blocks, 0, _MAX_BLOCKS)
        for field in ("channels", "policy_planes", "value_planes"):
            check_size(f"network.{field}", getattr(self, field), 1, _MAX_WIDTH)
        if self.value_features is not None:
            check_size("network.value_features", self.value_features, 1, _MAX_WIDTH)
        for name in self.auxiliary_heads:
            check_choice("network.auxiliary_heads", name, _HEADS)
        check_distinct("network.auxiliary_heads", self.auxiliary_heads)
        if self.value_head == "none" and self.auxiliary_heads:
            raise ValueError(
                f"network.auxiliary_heads={self.auxiliary_heads!r}: must be () where there is no "
                "value head"
            )
        if self.architecture != "resnet":
            self._check_default("global_pooling", "resnet")
        if self.architecture not in BUILT_IN:
            for field in ("value_head", "auxiliary_heads"):
                self._check_default(field, f"{', '.join(BUILT_IN[:-1])} or {BUILT_IN[-1]}")
        if self.equivariant and self.norm == "batch":
            # Its statistics are those of the sampled positions, not of their symmetric images.
            raise ValueError("network.norm='batch': must be none or layer with network.equivariant")

    def _check_default(self, field: str, needed: str) -> None:
        """Raises ValueError if a field that some architectures alone have is not the default."""
        value, default = getattr(self, field), getattr(type(self), field)
        if value != default:
            raise ValueError(
                f"network.{field}={value!r}: must be {default!r} where network.architecture is not "
                f"{needed}"
            )
