"""What a game need not define: the defaults of `azjax.games.Game`."""

from typing import NamedTuple

import chex
import numpy as np
import pytest

from azjax.games.state_text import format_fields, parse_fields

from .nim import Nim

NIM = Nim()
START = "heaps=2,2 current_player=0"


def state_of(text):
    return NIM.parse_state(text)


# Notation


def test_parse_action_inverts_an_overridden_format_action():
    class Letters(Nim):
        def format_action(self, action):
            return "abcd"[action]

    assert [Letters().parse_action(letter) for letter in "abcd"] == [0, 1, 2, 3]


def test_a_position_is_written_as_its_fields():
    assert NIM.format_state(NIM.init(None)) == NIM.render(NIM.init(None)) == START
    finished = "heaps=0,0 current_player=1 terminated=1 rewards=1,-1"
    assert NIM.format_state(state_of(finished)) == finished


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("heaps=2,2", "has no field 'current_player'"),
        ("heaps=2,300 current_player=0", "has '2,300' as its 'heaps', not 2 of int8"),
        ("heaps=2,2 current_player=0 key=1", "has an unknown field, 'key'"),
        (
            "heaps=0,0 current_player=1 terminated=1 rewards=1,1",
            r"has \[1, 1\] as its 'rewards', which are no result",
        ),
    ],
)
def test_a_wrong_position_is_refused_with_an_example(text, message):
    with pytest.raises(ValueError, match=rf"^position '{text}' {message}; write it as '{START}'$"):
        NIM.parse_state(text)


class Leaves(NamedTuple):
    """Fields of every kind."""

    board: np.ndarray
    planes: np.ndarray
    words: np.ndarray
    factor: np.ndarray
    nested: dict[str, np.ndarray]
    terminated: np.ndarray


LEAVES = Leaves(
    board=np.array([[0, -1, 1], [1, 0, 0]], np.int8),
    planes=np.arange(8, dtype=np.int16).reshape(2, 2, 2),
    words=np.array([2**32 - 1, 7], np.uint32),
    factor=np.float32(0.1),
    nested={"flags": np.array([True, False])},
    terminated=np.array(False),
)


def test_fields_of_every_kind_are_written_and_read_again():
    text = format_fields(LEAVES)
    assert text == (
        "board=0,-1,1/1,0,0 planes=0,1/2,3/4,5/6,7 words=4294967295,7 factor=0.1 nested.flags=1,0"
    )
    parsed = parse_fields(text, LEAVES)
    chex.assert_trees_all_equal(parsed, LEAVES)
    chex.assert_trees_all_equal_dtypes(parsed, LEAVES)
