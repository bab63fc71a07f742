"""What launches move and multiply, from programs as text."""

import pytest

from azjax.benchmarks.gpu.hlo import parse_module
from azjax.benchmarks.gpu.kernels import read_kernels

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


def test_groups_are_seen():
    assert conv(ACTIVATIONS, ACTIVATIONS, WEIGHTS, "Forward", ", feature_group_count=4").is_grouped


def test_products_of_float32_are_rounded_unless_the_highest_precision_is_asked_for():
    sizes = [shape.replace("bf16", "f32") for shape in (ACTIVATIONS, ACTIVATIONS, WEIGHTS)]
    assert conv(*sizes, "Forward").dtype == "tf32"
    exact = conv(*sizes, "Forward", ", operand_precision={highest,highest}")
    assert exact.dtype == "f32"
    operands = "  %x = f32[64,32] parameter(0)\n  %y = f32[32,16] parameter(1)\n"
    for highest, dtype in (('["HIGHEST","HIGHEST"]', "f32"), ('["DEFAULT","DEFAULT"]', "tf32")):
        call = (
            '  %it = f32[64,16] custom-call(%x, %y), custom_call_target="__cublas$gemm", '
            f'backend_config={{"precision_config":{{"operand_precision":{highest}}}}}'
        )
        assert kernel(operands + call).dtype == dtype


@pytest.mark.parametrize("opcode", ["parameter", "bitcast", "tuple", "while", "all-reduce-done"])
def test_some_instructions_launch_nothing(opcode):
    assert kernel(f"  %it = f32[8] {opcode}(%a)") is None


def test_a_product_is_counted_by_its_contracted_dimension():
    operands = "  %x = f32[64,32] parameter(0)\n  %y = f32[32,16] parameter(1)\n"
    call = (
        '  %it = f32[64,16] custom-call(%x, %y), custom_call_target="__cublas$gemm", '
        'backend_config={"lhs_contracting_dimensions":["1"],"x":["0"]}'
    )
    found = kernel(operands + call)
    assert (found.kind, found.flops) == ("product", 2 * 64 * 32 * 16)
    body = (
        "%dot_body (p: f32[64,32], q: f32[32,16]) -> f32[64,16] {\n"
        "  %p = f32[64,32] parameter(0)\n  %q = f32[32,16] parameter(1)\n"
        "  ROOT %d = f32[64,16] dot(%p, %q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}"
    )
    call = "  %it = f32[64,16] fusion(%x, %y), kind=kCustom, calls=%dot_body"
    found = kernel(operands + call, other=body)
    assert (found.kind, found.flops) == ("product", 2 * 64 * 32 * 16)


def test_of_a_table_the_part_that_is_read_and_written_is_counted():
    body = (
        "%update (table: f32[1000,8], row: f32[1,8], i: s32[]) -> f32[1000,8] {\n"
        "  %table = f32[1000,8] parameter(0)\n  %row = f32[1,8] parameter(1)\n"
        "  %i = s32[] parameter(2)\n"
        "  ROOT %new = f32[1000,8] dynamic-update-slice(%table, %row, %i, %i)\n}\n"
    )
    call = (
        "  %t = f32[1000,8] parameter(0)\n  %r = f32[1,8] parameter(1)\n  %n = s32[] parameter(2)\n"
        "  %it = f32[1000,8] fusion(%t, %r, %n), kind=kLoop, calls=%update"
    )
    assert kernel(call, other=body).num_bytes == 3 * 32 + 4
    call = (
        "  %t = f32[1000,8] parameter(0)\n  %n = s32[5,1] parameter(1)\n"
        "  %it = f32[5,8] gather(%t, %n), offset_dims={1}"
    )
    assert kernel(call).num_bytes == 2 * 5 * 32 + 20


def test_a_collective_is_one():
    call = "  %x = f32[8] parameter(0)\n  %it = f32[8] all-reduce-start(%x), to_apply=%sum"
    assert kernel(call).kind == "collective"
