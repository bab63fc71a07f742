"""Networks: from an observation to policy logits and a value from the mover's view."""

from azjax.networks.config import AUXILIARY_HEADS, NetworkConfig
from azjax.networks.convnet import ConvNet
from azjax.networks.equivariance import (
    BoardSymmetries,
    check_equivariance,
    parameter_permutations,
    ties_weights,
)
from azjax.networks.growth import check_growth, describe_growth, grow
from azjax.networks.mlp import MLP
from azjax.networks.network import (
    NETWORK_VERSION,
    Network,
    Variables,
    make_network,
    weight_decay_mask,
)
from azjax.networks.outputs import Outputs, Ownership
from azjax.networks.precision import Precision, activation_dtype
from azjax.networks.registry import network_names, plugin_of_network, register_network
from azjax.networks.resnet import ResNet

__all__ = [
    "AUXILIARY_HEADS",
    "NETWORK_VERSION",
    "BoardSymmetries",
    "Network",
    "NetworkConfig",
    "Outputs",
    "Ownership",
    "Precision",
    "Variables",
    "activation_dtype",
    "check_equivariance",
    "check_growth",
    "describe_growth",
    "grow",
    "make_network",
    "network_names",
    "parameter_permutations",
    "plugin_of_network",
    "register_network",
    "ties_weights",
    "weight_decay_mask",
]

register_network("mlp", MLP)
register_network("convnet", ConvNet)
register_network("resnet", ResNet)
