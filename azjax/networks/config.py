"""The base of the configurations of networks: what every network with azjax's heads has."""

import dataclasses
from collections.abc import Mapping
from typing import ClassVar, Literal, NamedTuple, get_args

from flax import nnx

from azjax.networks.layers import KernelInitializer, Norm
from azjax.networks.precision import Precision
from azjax.support.component import Component, number_fields
from azjax.support.validation import check_choice, check_size

ValueHead = Literal["scalar", "wdl", "none"]

# What a symmetry of the board does to the entries of an array's axis: nothing, or it permutes the
# units of each group of hidden units, the actions, the cells of a window, or the cells of the board
# and with them, in each cell, nothing or its units. Planes may follow units, in the input alone.
AxisKind = Literal[
    "fixed", "units", "actions", "window", "cells of planes", "cells of units", "units and planes"
]

BoardShape = tuple[int, int, int]  # of an observation: height, width, planes

_MAX_BLOCKS = 256
_MAX_WIDTH = 2**14


class TorsoAxes(NamedTuple):
    """What the axes of a torso's arrays are, so that its weights can be tied.

    The default is right for layers of azjax from hidden units to hidden units, which become
    equivariant by tied weights. `TorsoAxes(hidden="fixed")` says that a torso is equivariant by
    construction, as a transformer over cells without positions is: features of cells move with the
    cells, and no weight is tied. Only the weights of the heads are then.

    Attributes:
      hidden: The kind of the axes of features and of all layers that are not listed.
      features: Whether the features are of cells or of the board, whose heads have no planes.
      layers: By the path of a layer, such as "stem", the kinds of its input and output axes; by the
        path of an array, such as "positions", the kinds of all its axes.
    """

    hidden: Literal["units", "fixed"] = "units"
    features: Literal["cells", "board"] = "cells"
    layers: Mapping[str, tuple[AxisKind, ...]] = {}


@dataclasses.dataclass(frozen=True)
class NetworkConfig(Component):
    """A network: a torso, which a subclass makes, and azjax's heads; static under `jit`.

    Subclasses have options of their own, such as `depth: int = 2`, but no numbers: a network's
    numbers are its parameters.
    """

    kind: ClassVar[str] = "network"
    is_convolutional: ClassVar[bool] = False  # whether azjax's convolutions take most of its time

    channels: int = 64
    """Width of the torso's features and hidden layers: units, or channels of each cell."""

    policy_planes: int = 2
    """Planes that the policy head reads from features of cells."""

    value_planes: int = 4
    """Planes that the value head reads from features of cells."""

    value_features: int | None = None
    """Width of the value head's hidden layer above features of cells; equal to channels if not
    given."""

    value_head: ValueHead = "scalar"
    """What the value head predicts: the expected result as one number, or wdl, the probabilities of
    win, draw and loss. The value that plays is then the chance of a win less the chance of a loss.
    With none there is no value head: searches take the results of random rollouts."""

    equivariant: bool = False
    """Tie weights so that the network is equivariant under the board's symmetries, to rounding, at
    no cost in play; channels, planes and value features must then be multiples of the number of
    symmetries, unless the torso is equivariant by construction."""

    precision: Precision = "auto"
    """Precision of the matrix products: float32, or bfloat16 summed in float32; auto selects the
    latter where the hardware supports it natively."""

    def make_torso(
        self, observation_shape: BoardShape, *, kernel_init: KernelInitializer, rngs: nnx.Rngs
    ) -> nnx.Module:
        """Makes the module that maps observations to features.

        Args:
          observation_shape: (H, W, C).
          kernel_init: What azjax's own layers take.
          rngs: What other layers of Flax take.

        Returns:
          A module from observations [B, H, W, C] to features [B, H, W, channels] of cells or
          [B, channels] of the board. Its arrays are of the types `nnx.Param` and `nnx.BatchStat`.
        """
        raise NotImplementedError

    def torso_axes(self) -> TorsoAxes | None:
        """Returns what the axes of the torso's arrays are; None if it cannot be equivariant."""
        return None

    @property
    def pools_value(self) -> bool:
        """Whether the value head sees the mean and the maximum of each channel over the board."""
        return False

    def check(self) -> None:
        """Raises ValueError if a field is out of range or two fields do not fit together."""
        for name in number_fields(type(self)):
            raise ValueError(f"{name}: must not be of type float, as a network has no numbers")
        check_choice("value_head", self.value_head, get_args(ValueHead))
        check_choice("precision", self.precision, get_args(Precision))
        for field in ("channels", "policy_planes", "value_planes"):
            check_size(field, getattr(self, field), 1, _MAX_WIDTH)
        if self.value_features is not None:
            check_size("value_features", self.value_features, 1, _MAX_WIDTH)


@dataclasses.dataclass(frozen=True)
class NormalizedConfig(NetworkConfig):
    """A network of azjax's layers, each with a normalization."""

    norm: Norm = "none"
    """Normalization after each hidden layer; none is the fastest and is safe in self-play."""

    def check(self) -> None:
        super().check()
        check_choice("norm", self.norm, get_args(Norm))
        if self.equivariant and self.norm == "batch":
            # Its statistics are of the sampled positions, not of their symmetric images.
            raise ValueError("norm='batch': must be none or layer in an equivariant network")


@dataclasses.dataclass(frozen=True)
class TowerConfig(NormalizedConfig):
    """A network with a tower of residual blocks."""

    blocks: int = 5
    """Residual blocks of two layers."""

    def check(self) -> None:
        super().check()
        check_size("blocks", self.blocks, 0, _MAX_BLOCKS)
