"""Engines that play by the Universal Chess Interface (UCI), such as Stockfish."""

import collections
import re
import shlex
from collections.abc import Mapping, Sequence

import jax
import numpy as np

from azjax.engines.engine_process import (
    START_SECONDS,
    EngineError,
    EngineProcess,
    FindAnswer,
    in_one_line,
    move_limit,
)
from azjax.engines.uci_board import uci_board
from azjax.games import Game
from azjax.support.suggestions import did_you_mean

_LIMITS = ("nodes", "depth")  # of a move; among the options in a player's name
_SECONDS = 1  # of a move that has no limit
_MOST_LINES = 1000  # of an answer that are kept
_OPTION = re.compile(r"option name (.+?) type (\w+)(.*)")


def parse_uci_player(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Returns the words of the command and the options of `COMMAND,NAME=VALUE,...`.

    Raises:
      ValueError: There is no command, or an option has no value or is given twice, or a limit is
        no whole number above 0.
    """
    command, *entries = text.split(",")
    words, options = tuple(shlex.split(command)), dict[str, str]()
    if not words:
        raise ValueError("write a command, such as 'uci:stockfish,Skill Level=3'")
    for entry in entries:
        name, equals, value = (part.strip() for part in entry.partition("="))
        if not (name and equals):
            raise ValueError(f"{entry!r} is no option: write NAME=VALUE, such as Skill Level=3")
        if name in options:
            raise ValueError(f"{name} is given twice")
        if name in _LIMITS and not (value.isascii() and value.isdigit() and int(value)):
            raise ValueError(f"{name}={value}: must be a whole number, 1 or more")
        options[name] = value
    return words, options


class UciEngine(EngineProcess):
    """A process that follows a game by its moves."""

    def __init__(
        self,
        game: Game,
        command: Sequence[str],
        seconds: int | None,
        start_seconds: int = START_SECONDS,
        options: Mapping[str, str] | None = None,
    ):
        """Starts the process for a game that `uci_board` knows.

        The engine is told the seconds of a move and `nodes` and `depth` among the options; without
        any, it has 1 s. The limit of other answers is `start_seconds`.
        """
        super().__init__(command, start_seconds)
        self._game, self._board = game, uci_board(game)
        self._move_seconds = move_limit(seconds)
        self._options, self._is_prepared = dict(options or {}), False
        limits = [f"{name} {self._options.pop(name)}" for name in _LIMITS if name in self._options]
        if seconds is not None or not limits:
            limits.append(f"movetime {1000 * (seconds or _SECONDS)}")
        self._go = " ".join(["go", *limits])
        self._played: list[int] | None = None  # the game that the engine knows, if any
        self._texts: list[str] = []  # of these moves
        self._state = game.init(jax.random.key(0))  # after them

    def prepare(self) -> None:
        """Sets the options and the variant, once; raises EngineError if it cannot."""
        if self._is_prepared:
            return
        found = map(_OPTION.fullmatch, self._ask("uci", "uciok"))
        known = {match[1].lower(): match for match in found if match}
        variant = self._board.variant
        if variant != "chess" and variant not in _choices(known.get("uci_variant")):
            raise EngineError(f"does not play {self._game.name}: it has no variant {variant}")
        for name, value in self._options.items():
            _check_option(name, value, known)
        chosen = {"UCI_Variant": variant} if "uci_variant" in known else {}
        for name, value in {**chosen, **self._options}.items():
            self.tell(f"setoption name {name} value {value}")
        self._ask("isready", "readyok")
        self._is_prepared = True

    def choose(self, actions: Sequence[int], legal: np.ndarray, seed: int) -> int:
        """Returns the engine's move, which never resigns; UCI has no seed.

        Raises:
          EngineError: The engine fails, or plays an illegal move.
        """
        del seed
        self._follow(actions)
        moves = " ".join(["moves", *self._texts]) if self._texts else ""
        self.tell(f"position startpos {moves}".strip())
        legal_moves = self._board.legal_moves(self._state, legal)
        # Fairy-Stockfish's rules may allow more, such as a lion of animal shogi that is captured.
        only = [] if self._board.variant == "chess" else ["searchmoves", *legal_moves]
        go = " ".join([self._go, *only])
        answer = self._ask(go, "bestmove", self._move_seconds)[-1].split()
        text = " ".join(answer[1:2])
        if text not in legal_moves:
            raise EngineError(f"plays {in_one_line(text)!r}, which is illegal")
        return legal_moves[text]

    def _follow(self, actions: Sequence[int]) -> None:
        """Takes the moves that are new, or those of a new game."""
        if self._played is None or self._played != list(actions[: len(self._played)]):
            self.tell("ucinewgame")
            self._ask("isready", "readyok")
            self._played, self._texts = [], []
            self._state = self._game.init(jax.random.key(0))
        for action in actions[len(self._played) :]:
            self._texts.append(self._board.format(self._state, action))
            self._state = self._game.step(self._state, action)
        self._played = list(actions)

    def _ask(self, line: str, last: str, seconds: float | None = None) -> list[str]:
        """Returns the lines of the answer, the last of which begins with a word."""
        return self.ask(line, _find_lines(last), seconds).split("\n")


def _find_lines(last: str) -> FindAnswer:
    lines = collections.deque[str](maxlen=_MOST_LINES)

    def find(unread: bytes) -> tuple[bytes, str | None]:
        *complete, rest = unread.split(b"\n")
        for index, line in enumerate(complete):
            lines.append(line.decode(errors="replace").strip())
            if lines[-1].split()[:1] == [last]:
                return b"\n".join([*complete[index + 1 :], rest]), "\n".join(lines)
        return rest, None

    return find


def _choices(option: re.Match[str] | None) -> list[str]:
    """Returns the values of an option that has some to choose from."""
    return re.findall(r"\bvar (.+?)(?= var |$)", option[3]) if option else []


def _check_option(name: str, value: str, known: Mapping[str, re.Match[str]]) -> None:
    """Raises EngineError if an engine, by its options in small letters, does not take a value."""
    option = known.get(name.lower())
    if option is None:
        hint = did_you_mean(name, [found[1] for found in known.values()])
        raise EngineError(f"has no option {name!r}; {hint}")
    kind, range_ = option[2], dict(re.findall(r"\b(min|max) (-?\d+)", option[3]))
    wanted = ""
    if kind == "spin":
        low, high = int(range_.get("min", 0)), int(range_.get("max", 2**31))
        if not re.fullmatch(r"-?\d+", value) or not low <= int(value) <= high:
            wanted = f"a whole number from {low} to {high}"
    elif choices := {"check": ["true", "false"], "combo": _choices(option)}.get(kind):
        wanted = "" if value in choices else f"one of {', '.join(choices)}"
    if wanted:
        raise EngineError(f"does not take {name}={value}: must be {wanted}")
