"""The laws of games: each is found broken by a game that breaks it, and named."""

import dataclasses
import functools
import re

import pytest

from azjax.games.laws import BrokenLawError, GameReport, Law, check_game

from .broken_games import BROKEN_GAMES, Drawn, Misere, PythonIf, SeenWinsByMover, SymmetricNim
from .nim import Nim

GAMES = 16


def name_of(value):
    return type(value).__name__ if dataclasses.is_dataclass(value) else getattr(value, "name", "")


@pytest.mark.parametrize(("game", "law", "text"), BROKEN_GAMES, ids=name_of)
def test_a_broken_law_is_named_with_what_was_found(game, law, text):
    with pytest.raises(BrokenLawError) as broken:
        check_game(game, GAMES)
    assert broken.value.law is law
    assert text in str(broken.value)
    assert len(str(broken.value).splitlines()) == 1


def test_every_law_has_a_game_that_breaks_it():
    assert {law for _, law, _ in BROKEN_GAMES} == set(Law)


def test_an_exception_of_the_game_is_the_cause():
    with pytest.raises(BrokenLawError, match="no `if` on arrays") as broken:
        check_game(PythonIf(), GAMES)
    assert type(broken.value.__cause__).__name__ == "TracerBoolConversionError"
    assert broken.value.position is None


@pytest.fixture(scope="module")
def report():
    return check_game(SymmetricNim(), GAMES)


def test_a_right_game_obeys_the_laws_and_is_reported(report):
    assert report == GameReport(
        game="nim",
        games=GAMES,
        positions=report.positions,
        starts=1,
        longest_game=4,
        max_moves=4,
        mean_legal_actions=report.mean_legal_actions,
        depends_on_mover=False,
        moves_again=0.0,
        first_wins=report.first_wins,
        draws=0.0,
        second_wins=1 - report.first_wins,
        last_mover_wins=1.0,
        last_mover_draws=0.0,
        last_mover_loses=0.0,
        symmetries=2,
        symmetries_played=2,
        max_positions=18.0,
        warnings=(),
    )
    assert 8 < report.positions <= 18
    assert 2 < report.mean_legal_actions < 4
    assert 0 < report.first_wins < 1


def test_the_same_seed_gives_the_same_report_and_another_seed_other_games(report):
    assert check_game(SymmetricNim(), GAMES) == report
    assert check_game(SymmetricNim(), GAMES, seed=1) != report


def test_who_wins_when_a_game_ends_is_reported_and_a_wrong_sign_is_warned_of():
    report = check_game(Misere(), GAMES)
    assert (report.last_mover_wins, report.last_mover_loses) == (0, 1)
    (warning,) = report.warnings
    assert warning == "who moves last never wins: rewards have the wrong sign, or it is a rule"


def test_a_winner_who_does_not_depend_on_the_last_mover_is_warned_of():
    report = check_game(SeenWinsByMover(), GAMES)
    (warning,) = report.warnings
    assert re.fullmatch(
        r"player 0 wins all 16 decided games, also the \d that a move of player 1 ends: "
        "check that rewards are by player, not by mover",
        warning,
    )
    assert report.depends_on_mover


def test_a_game_without_a_winner_is_warned_of():
    report = check_game(Drawn(), GAMES)
    assert (report.draws, report.last_mover_draws) == (1, 1)
    assert report.warnings == ("all games are draws: random play finds no winner",)


def test_a_decorator_of_a_method_is_a_part_of_the_game():
    def without_effect(step):
        @functools.wraps(step)
        def call(game, state, action):
            step(game, state, action)
            return state

        return call

    class Decorated(Nim):
        step = without_effect(Nim.step)

    with pytest.raises(BrokenLawError) as broken:
        check_game(Decorated(), GAMES)
    assert broken.value.law is Law.CHANGE


def test_observations_that_merge_positions_are_warned_of():
    @dataclasses.dataclass(frozen=True)
    class Blurred(Nim):
        def observe(self, state):
            return super().observe(state._replace(heaps=state.heaps // 2))

    [warning] = check_game(Blurred(heaps=(4, 4))).warnings
    assert "positions have the same observation, so the network cannot tell them apart" in warning
    assert check_game(Nim(heaps=(4, 4))).warnings == ()
