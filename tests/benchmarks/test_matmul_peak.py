"""Float operations against counts by hand, and the matmul peak."""

import jax
import jax.numpy as jnp

from azjax.benchmarks.matmul_peak import evaluation_flops, matmul_peak_flops, update_flops
from azjax.networks import NetworkConfig, make_network


def test_operations_are_counted_by_the_definitions_of_layers():
    network = make_network(NetworkConfig("resnet", channels=4, blocks=2), (3, 5, 2), 7)
    cells = 15
    convolutions = 9 * (2 * 4 + 2 * (4 * 4 + 4 * 4)) * cells
    heads = 4 * 6 * cells + 2 * cells * 7 + 4 * cells * 4 + 4
    assert evaluation_flops(network) == 2 * (convolutions + heads)
    assert update_flops(network, 8) == 3 * 8 * evaluation_flops(network)


def test_dense_layers_are_counted_once():
    network = make_network(NetworkConfig("mlp", channels=4, blocks=1), (3, 3, 2), 9)
    assert evaluation_flops(network) == 2 * (18 * 4 + 2 * 4 * 4 + 4 * 9 + 4)


def test_the_peak_is_that_of_all_devices(monkeypatch):
    monkeypatch.setattr("azjax.benchmarks.matmul_peak._SIDES", {"cpu": 64})
    monkeypatch.setattr(
        "azjax.benchmarks.matmul_peak.best_seconds", lambda call, repeats: call().size / 64
    )
    assert matmul_peak_flops(jnp.dtype("float32")) == 2 * 64 * 64
    assert len(jax.devices()) > 1
