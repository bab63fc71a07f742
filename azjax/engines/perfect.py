"""The perfect player of Connect Four: BitBully, in a process of its own that speaks GTP."""

import importlib.util
import pathlib
import sys

from azjax.engines.engine_process import EngineError
from azjax.engines.gtp_client import GtpClient, RefusedError
from azjax.games import Game, State
from azjax.games.connect_four import ConnectFour

_DIGITS = str.maketrans(".XO", "012")
_SCRIPT = pathlib.Path(__file__).with_name("bitbully_gtp.py")


def perfect_command(game: Game) -> tuple[str, ...]:
    """Returns BitBully's command; raises ValueError if it is missing, or does not play the game."""
    if game != ConnectFour():
        raise ValueError(f"plays connect_four in its standard size alone, not {game.name}")
    if importlib.util.find_spec("bitbully") is None:  # looks for it, and does not import it
        raise ValueError("needs the solver BitBully: pip install bitbully")
    return (sys.executable, "-P", str(_SCRIPT))


class PerfectScores:
    """The exact values of moves in Connect Four."""

    def __init__(self, game: Game):
        """Starts BitBully; raises EngineError if it cannot, ValueError as `perfect_command`."""
        self._game, self._client = game, GtpClient(perfect_command(game))

    def __call__(self, state: State) -> dict[int, int]:
        """Returns the score of each legal action in an unfinished position.

        A score above 0 is a win of the player to move, the higher the sooner; 0 is a draw. Raises
        EngineError if BitBully fails, or refuses the position.
        """
        rows = self._game.format_state(state).partition(" ")[0].translate(_DIGITS)
        try:
            answer = self._client.send(f"bitbully_score {rows}")
        except RefusedError as error:
            raise EngineError(f"refuses the position {rows}: {error}") from error
        entries = (entry.split(":") for entry in answer.split())
        return {int(column) - 1: int(score) for column, score in entries}

    def close(self) -> None:
        """Ends BitBully."""
        self._client.close()
