"""Holds a game to the laws."""

import jax

from azjax.games.game import Game
from azjax.games.laws.batches import check_batches
from azjax.games.laws.declarations import check_declarations
from azjax.games.laws.illegal import check_illegal_actions
from azjax.games.laws.notation import check_notation
from azjax.games.laws.play import check_play
from azjax.games.laws.playout import play_randomly
from azjax.games.laws.positions import check_positions
from azjax.games.laws.report import GameReport, make_report
from azjax.games.laws.symmetries import check_permutations, check_symmetric_play
from azjax.support.front_door import front_door


@front_door
def check_game(game: Game, num_games: int = 64, seed: int = 0) -> GameReport:
    """Holds a game to the laws, as far as random games show.

    Args:
      game: The game.
      num_games: The number of games; 16 take a second or two beyond compiling. Games that would
        take much memory are fewer.
      seed: Of the games.

    Returns:
      Statistics of the games. Some mistakes obey the laws, such as a line that loses where it
      should win: a person finds them there.

    Raises:
      BrokenLawError: A law is broken; it is the first in the order of `Law`, or nearly.
    """
    jax.devices()  # else a missing device reads as an error of the game
    check_declarations(game)
    check_permutations(game)
    play = play_randomly(game, num_games, seed)
    check_play(play)
    check_illegal_actions(play)
    check_positions(play)
    symmetries_played = check_symmetric_play(play)
    check_batches(play, seed)
    check_notation(play)
    return make_report(play, symmetries_played)
