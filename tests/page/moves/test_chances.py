import pytest

from azjax.page.moves.chances import describe_chance, value_colour, win_percent


@pytest.mark.parametrize(
    ("value", "percent", "words"),
    [
        (0.0, 50.0, "50.0%"),
        (0.25, 62.5, "62.5%"),
        (1.0, 100.0, "100.0%"),
        (-1.0, 0.0, "0.0%"),
        (-1.0000001, 0.0, "0.0%"),  # not -0.0%
        (1.0000001, 100.0, "100.0%"),
    ],
)
def test_a_value_is_the_chance_of_winning_with_a_draw_as_half_a_win(value, percent, words):
    assert (win_percent(value), describe_chance(value)) == (percent, words)


@pytest.mark.parametrize(
    ("value", "colour"), [(0.0, "#ffffff"), (1.0, "#5e3c99"), (-1.0, "#e66101"), (2.0, "#5e3c99")]
)
def test_the_colour_of_a_value_goes_from_one_end_to_the_other(value, colour):
    assert value_colour(value) == colour
