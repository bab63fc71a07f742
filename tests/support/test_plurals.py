import pytest

from azjax.support.plurals import count


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (0, "draw", "0 draws"),
        (1, "draw", "1 draw"),
        (2000, "draw", "2,000 draws"),
        (1, "loss", "1 loss"),
        (2, "match", "2 matches"),
    ],
)
def test_a_noun_is_in_the_plural_unless_there_is_one(number, noun, expected):
    assert count(number, noun) == expected
