"""What launches move and multiply, from compiled programs as text."""

import jax
import jax.numpy as jnp
import pytest

from azjax.benchmarks.gpu.hlo import parse_arrays, parse_module
from azjax.benchmarks.gpu.kernels import read_kernels


@pytest.mark.parametrize(
    ("text", "num_bytes"),
    [
        ("f32[8,4]{1,0}", 128),
        ("bf16[3]", 6),
        ("pred[]", 1),
        ("s8[2,2]", 4),
        ("u4[8]", 8),
        ("(f64[2], s64[1])", 24),
    ],
)
def test_arrays_have_their_size_in_memory(text, num_bytes):
    assert sum(array.num_bytes for array in parse_arrays(text)) == num_bytes


def test_what_xla_compiles_is_parsed():
    def count(x):
        return jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x) @ x, x)

    text = jax.jit(count).lower(jnp.ones((16, 16))).compile().as_text()
    module = parse_module(text)
    loops = [each for each in module.computations[module.entry] if each.opcode == "while"]
    assert [loop.num_turns for loop in loops] == [5]
    assert loops[0].called("body") in module.computations


HEAD = "ENTRY %main (a: f32[1]) -> f32[1] {\n"
ACTIVATIONS, WEIGHTS = "bf16[4096,6,7,128]", "bf16[128,3,3,128]"
CONV_FLOPS = 2 * 4096 * 42 * 128 * 9 * 128


def kernel(lines, other=""):
    """Returns the only kernel that the lines launch, None if they launch none."""
    found = read_kernels(parse_module(f"{other}\n{HEAD}{lines}\n}}"), "main")
    assert len(found) <= 1
    return found[0] if found else None


def conv(result, first, second, target, extra=""):
    return kernel(
        f"  %x = {first} parameter(0)\n  %y = {second} parameter(1)\n"
        f"  %it = ({result}, u8[0]) custom-call(%x, %y), window={{size=3x3}}, "
        f'dim_labels=b01f_o01i->b01f{extra}, custom_call_target="__cudnn$conv{target}"'
    )


@pytest.mark.parametrize(
    ("result", "first", "second", "target"),
    [
        (ACTIVATIONS, ACTIVATIONS, WEIGHTS, "Forward"),
        (ACTIVATIONS, ACTIVATIONS, WEIGHTS, "BiasActivationForward"),
        (ACTIVATIONS, ACTIVATIONS, WEIGHTS, "BackwardInput"),
        (WEIGHTS, ACTIVATIONS, ACTIVATIONS, "BackwardFilter"),
    ],
)
def test_a_convolution_multiplies_the_same_in_each_pass(result, first, second, target):
    found = conv(result, first, second, target)
    assert found.kind == "convolution"
    assert found.flops == CONV_FLOPS
    assert found.dtype == "bf16"
    assert found.is_fused == (target == "BiasActivationForward")
    assert not found.is_grouped
    sizes = {ACTIVATIONS: 2 * 4096 * 42 * 128, WEIGHTS: 2 * 9 * 128 * 128}
    assert found.num_bytes == sizes[result] + sizes[first] + sizes[second]
