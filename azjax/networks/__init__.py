"""Networks: from an observation to policy logits and a value from the mover's view."""

from azjax.networks.architectures.convnet import ConvNet
from azjax.networks.architectures.mlp import MLP
from azjax.networks.architectures.resnet import ResNet
from azjax.networks.config import AUXILIARY_HEADS, MODEL_HEADS, NetworkConfig
from azjax.networks.equivariance import (
    BoardSymmetries,
    check_equivariance,
    parameter_permutations,
    ties_weights,
)
from azjax.networks.growth import check_growth, describe_growth, grow
from azjax.networks.model_network import ModelNetwork, Unrolled, make_model_network
from azjax.networks.network import (
    NETWORK_VERSION,
    Network,
    Variables,
    make_network,
    weight_decay_mask,
)
from azjax.networks.ops.member_by_member import member_by_member
from azjax.networks.outputs import Outputs, Ownership
from azjax.networks.precision import Precision, activation_dtype
from azjax.networks.registry import network_names, plugin_of_network, register_network
from azjax.networks.revival import count_dead_units, revive

__all__ = [
    "AUXILIARY_HEADS",
    "MODEL_HEADS",
    "NETWORK_VERSION",
    "BoardSymmetries",
    "ModelNetwork",
    "Network",
    "NetworkConfig",
    "Outputs",
    "Ownership",
    "Precision",
    "Unrolled",
    "Variables",
    "activation_dtype",
    "check_equivariance",
    "check_growth",
    "count_dead_units",
    "describe_growth",
    "grow",
    "make_model_network",
    "make_network",
    "member_by_member",
    "network_names",
    "parameter_permutations",
    "plugin_of_network",
    "register_network",
    "revive",
    "ties_weights",
    "weight_decay_mask",
]

register_network("mlp", MLP)
register_network("convnet", ConvNet)
register_network("resnet", ResNet)
