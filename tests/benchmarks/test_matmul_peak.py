"""Float operations against counts by hand, and the matmul peak."""

from azjax.benchmarks.matmul_peak import evaluation_flops, update_flops
from azjax.networks import ResNetConfig, make_network


def test_operations_are_counted_by_the_definitions_of_layers():
    network = make_network(ResNetConfig(channels=4, blocks=2), (3, 5, 2), 7)
    cells = 15
    convolutions = 9 * (2 * 4 + 2 * (4 * 4 + 4 * 4)) * cells
    heads = 4 * 6 * cells + 2 * cells * 7 + 4 * cells * 4 + 4
    assert evaluation_flops(network) == 2 * (convolutions + heads)
    assert update_flops(network, 8) == 3 * 8 * evaluation_flops(network)
