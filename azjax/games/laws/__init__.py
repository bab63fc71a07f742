"""The laws of a game, and a check that holds a game to them on random play."""

from azjax.games.laws.check import GameReport, check_game
from azjax.games.laws.law import BrokenLawError, Law
