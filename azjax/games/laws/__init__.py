"""The laws of a game, and a check that holds a game to them on random play."""

from azjax.games.laws.check import check_game
from azjax.games.laws.law import BrokenLawError, Law
from azjax.games.laws.report import GameReport

__all__ = ["BrokenLawError", "GameReport", "Law", "check_game"]
