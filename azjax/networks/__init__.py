"""Networks: an observation in, policy logits and a value for the mover out."""

from azjax.networks.config import NetworkConfig
from azjax.networks.network import Network, Variables, make_network

__all__ = ["Network", "NetworkConfig", "Variables", "make_network"]
