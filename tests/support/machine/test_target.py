"""The device that programs are compiled for."""

import jax

from azjax.support.machine.target import compiling_for, target_device, targets_cpu


class Elsewhere:
    platform = "gpu"


def test_programs_are_compiled_for_the_first_device_or_for_one_elsewhere():
    device = Elsewhere()
    assert target_device() == jax.devices()[0]
    assert targets_cpu() == (jax.default_backend() == "cpu")
    with compiling_for(device):
        assert target_device() is device
        assert not targets_cpu()
    assert target_device() == jax.devices()[0]
