"""Networks: from an observation to policy logits and a value from the mover's view."""

from azjax.networks.config import NetworkConfig, TorsoAxes
from azjax.networks.equivariance import (
    BoardSymmetries,
    check_equivariance,
    parameter_permutations,
    ties_weights,
)
from azjax.networks.heads import Head, Outputs
from azjax.networks.model_network import ModelNetwork, Unrolled, make_model_network
from azjax.networks.network import (
    NETWORK_VERSION,
    Network,
    Variables,
    kernel_axes,
    make_network,
    weight_decay_mask,
)
from azjax.networks.ops.chunks import member_by_member
from azjax.networks.precision import Precision, activation_dtype
from azjax.networks.torsos import ConvNetConfig, MLPConfig, ResNetConfig
from azjax.support.component import register

register(MLPConfig)
register(ConvNetConfig)
register(ResNetConfig)
