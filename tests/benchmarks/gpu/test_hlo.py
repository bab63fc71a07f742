"""The text of compiled programs: computations, instructions, and the shapes in them."""

import jax
import jax.numpy as jnp
import pytest

from azjax.benchmarks.gpu.hlo import Array, parse_arrays, parse_module

TEXT = """
HloModule example

%body (state: (s32[], f32[8,4])) -> (s32[], f32[8,4]) {
  %state = (s32[], /*index=1*/f32[8,4]{1,0}) parameter(0)
  %values = f32[8,4]{1,0} get-tuple-element(%state), index=1
  ROOT %next = (s32[], f32[8,4]{1,0}) tuple(%values, %values)
}

ENTRY %main.1 (values: f32[8,4]) -> f32[8,4] {
  %values = f32[8,4]{1,0} parameter(0)
  %conv.1 = (bf16[2,3]{1,0}, u8[0]{0}) custom-call(%values, %values), CALL
  %loop.1 = (s32[], f32[8,4]) while(%values), condition=%condition, body=%body, TURNS
  %loop.2 = (s32[], f32[8,4]) while(%values), condition=%condition, body=%body
  %choice.1 = f32[8] conditional(%values), true_computation=%first, false_computation=%second
  %choice.2 = f32[8,4] conditional(%values), branch_computations={%first, %second, %third}
  ROOT %out = f32[8,4] fusion(%values), kind=kLoop, calls=%body
}
"""
TEXT = TEXT.replace("CALL", 'custom_call_target="__cudnn$convForward"')
TEXT = TEXT.replace("TURNS", 'backend_config={"known_trip_count":{"n":"33"},"x":0}')


@pytest.fixture(scope="module")
def entry():
    module = parse_module(TEXT)
    assert module.entry == "main.1"
    return {each.name: each for each in module.computations["main.1"]}


def test_instructions_have_results_operands_and_computations(entry):
    conv = entry["conv.1"]
    assert (conv.opcode, conv.operands) == ("custom-call", ("values", "values"))
    assert conv.results == (Array("bf16", (2, 3)), Array("u8", (0,)))
    assert conv.target == "__cudnn$convForward"
    assert entry["values"].operands == ("0",)
    assert entry["out"].called("calls") == "body"
    assert entry["out"].called("body") is None


def test_a_loop_has_the_turns_that_the_compiler_knows(entry):
    assert entry["loop.1"].num_turns == 33
    assert entry["loop.2"].num_turns is None
    assert entry["loop.1"].called("condition") == "condition"


def test_a_choice_names_its_branches(entry):
    assert entry["choice.1"].branches == ("first", "second")
    assert entry["choice.2"].branches == ("first", "second", "third")
    assert entry["out"].branches == ()


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


def test_a_text_without_an_entry_is_refused():
    with pytest.raises(ValueError, match="no entry computation"):
        parse_module("HloModule empty")


def test_what_xla_compiles_is_parsed():
    def count(x):
        return jax.lax.fori_loop(0, 5, lambda i, x: jnp.sin(x) @ x, x)

    text = jax.jit(count).lower(jnp.ones((16, 16))).compile().as_text()
    module = parse_module(text)
    loops = [each for each in module.computations[module.entry] if each.opcode == "while"]
    assert [loop.num_turns for loop in loops] == [5]
    assert loops[0].called("body") in module.computations
