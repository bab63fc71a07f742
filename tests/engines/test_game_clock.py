"""The time that a game leaves for the next move."""

import pytest

from azjax.engines.game_clock import GameClock

BLACK, WHITE = 0, 1


@pytest.fixture
def clock():
    return GameClock()


def test_the_main_time_is_spread_over_moves_and_counted_for_each_side(clock):
    clock.set(250, 0, 0)
    assert clock.allowance(BLACK) == pytest.approx(9)
    clock.spend(BLACK, 125)
    assert clock.allowance(BLACK) == pytest.approx(4.5)
    assert clock.allowance(WHITE) == pytest.approx(9)
    clock.restart()
    assert clock.allowance(BLACK) == pytest.approx(9)


def test_a_period_is_spread_over_its_stones_and_begins_again(clock):
    clock.set(0, 10, 2)
    assert clock.allowance(BLACK) == pytest.approx(4.5)
    clock.spend(BLACK, 8)
    assert clock.allowance(BLACK) == pytest.approx(1.8)
    clock.spend(BLACK, 1)
    assert clock.allowance(BLACK) == pytest.approx(4.5)


def test_what_the_main_time_lacks_is_taken_from_the_first_period(clock):
    clock.set(10, 20, 4)
    assert clock.allowance(BLACK) == pytest.approx(4.5)
    clock.spend(BLACK, 12)
    assert clock.allowance(BLACK) == pytest.approx(0.9 * 18 / 4)


def test_what_a_controller_tells_counts(clock):
    clock.tell(WHITE, 6, 3)
    assert clock.allowance(WHITE) == pytest.approx(1.8)
    clock.tell(WHITE, 50, 0)
    assert clock.allowance(WHITE) == pytest.approx(1.8)
    assert clock.allowance(BLACK) is None
