"""Networks: from an observation to policy logits and a value from the mover's view."""

from azjax.networks.config import NetworkConfig
from azjax.networks.equivariance import (
    BoardSymmetries,
    check_equivariance,
    parameter_permutations,
    ties_weights,
)
from azjax.networks.network import (
    NETWORK_VERSION,
    Network,
    Variables,
    make_network,
    weight_decay_mask,
)
from azjax.networks.precision import Precision, activation_dtype

__all__ = [
    "NETWORK_VERSION",
    "BoardSymmetries",
    "Network",
    "NetworkConfig",
    "Precision",
    "Variables",
    "activation_dtype",
    "check_equivariance",
    "make_network",
    "parameter_permutations",
    "ties_weights",
    "weight_decay_mask",
]
