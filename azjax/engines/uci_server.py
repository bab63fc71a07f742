"""azjax as an engine: the commands of the Universal Chess Interface (UCI)."""

import math
import re
import time
from collections.abc import Callable, Iterable, Iterator

import jax
import numpy as np

from azjax.engines.game_clock import GameClock
from azjax.engines.gtp_server import IsWaiting, Searches, ServedPlayer
from azjax.engines.uci_board import uci_board
from azjax.evaluation import read_searches
from azjax.games import Game, State
from azjax.search import SearchResult
from azjax.support.errors import InputError

_INTERVAL = 1.0  # seconds between two lines about a search
_NUMBERS = ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "nodes", "depth", "mate")
_FLAGS = ("infinite", "ponder")
_INCREMENT = 0.9  # of an increment is taken for the move


class UciServer:
    """Answers commands, one line at a time.

    `go` asks the player for its move, and gives it the time that it has; with `nodes` or
    `infinite` it searches until there are so many simulations, or until `stop`.
    """

    def __init__(self, game: Game, make_player: Callable[[Game], ServedPlayer], version: str):
        """Starts at the first position, as `GtpServer` does.

        Raises:
          ValueError: UCI does not know the game.
          InputError: The player does not play the game.
        """
        self.has_quit = False
        self._game, self._board, self._player = game, uci_board(game), make_player(game)
        self._version, self._search = version, iter(list[str]())
        self._is_stopped, self._patience = False, 0.0  # seconds to wait for a command
        self._base, self._moves, self._state = "startpos", list[str](), self._start("startpos")

    def serve(
        self, lines: Iterable[str], write: Callable[[str], object], is_waiting: IsWaiting
    ) -> None:
        """Answers line after line, until `quit` or the last, by writing lines.

        A search goes on as long as no command waits.
        """
        for line in lines:
            for text in self.respond(line):
                write(f"{text}\n")
            if self.has_quit:
                return
            while not is_waiting(self._patience):
                news = next(self._search, None)
                if news is None:
                    break
                if news:
                    write(f"{news}\n")
        for text in self._stop():
            write(f"{text}\n")

    def respond(self, line: str) -> Iterator[str]:
        """Yields the lines of the answer; what UCI has no answer for is said by `info string`."""
        name, *arguments = line.split() or [""]
        try:
            match name:
                case "uci":
                    variant = self._board.variant
                    yield f"id name azjax {self._version}"
                    yield "id author the azjax authors"
                    yield f"option name UCI_Variant type combo default {variant} var {variant}"
                    yield "uciok"
                case "isready":
                    yield "readyok"
                case "position":
                    self._set_position(arguments)
                case "go":
                    yield from self._stop()
                    limits, unknown = _parse_go(arguments)
                    if unknown:
                        yield f"info string go does not use {' '.join(unknown)}"
                    yield from self._go(limits)
                case "stop":
                    yield from self._stop()
                case "quit":
                    self.has_quit = True
                    yield from self._stop()
                case "" | "ucinewgame" | "setoption" | "debug" | "register" | "ponderhit":
                    pass
                case _:
                    raise InputError(f"unknown command {name!r}")
        except InputError as error:
            yield f"info string {error}"

    def _set_position(self, words: list[str]) -> None:
        """Plays the moves of `startpos moves ...` or `fen FEN moves ...`; those alone that are new.

        Raises InputError if the position or a move is none; then the position stays as it was.
        """
        head = words[: words.index("moves")] if "moves" in words else words
        base, moves = " ".join(head), words[len(head) + 1 :]
        is_longer = base == self._base and moves[: len(self._moves)] == self._moves
        known = len(self._moves) if is_longer else 0
        state = self._state if is_longer else self._start(base)
        for move in moves[known:]:
            legal_moves = self._legal_moves(state)
            if move not in legal_moves:
                raise InputError(f"illegal move {move}")
            state = self._game.step(state, legal_moves[move])
        self._base, self._moves, self._state = base, moves, state

    def _start(self, base: str) -> State:
        kind, _, fen = base.partition(" ")
        if kind == "startpos" and not fen:
            return self._game.init(jax.random.key(0))
        if kind != "fen":
            raise InputError("write position startpos moves ..., or position fen FEN moves ...")
        try:
            return self._game.parse_state(fen)
        except ValueError as error:
            raise InputError(str(error)) from error

    def _legal_moves(self, state: State) -> dict[str, int]:
        return self._board.legal_moves(state, np.asarray(self._game.legal_action_mask(state)))

    def _go(self, limits: dict[str, int]) -> Iterator[str]:
        """Yields the player's move, or begins a search that is watched."""
        state, searches = self._state, None
        if state.terminated:
            yield "info string the game is over"
            yield "bestmove (none)"
            return
        if limits.keys() & {"nodes", "infinite"}:
            most = None if "infinite" in limits else max(1, limits["nodes"])
            searches = self._player.analyze(state, most)
        if searches is None:
            action = self._player.choose(state, _seconds(limits, int(state.current_player)))
            yield f"bestmove {self._board.format(state, action)}"
        else:
            self._is_stopped, self._patience = False, 0.0
            self._search = self._watch(state, searches, "infinite" in limits)

    def _watch(self, state: State, searches: Searches, is_infinite: bool) -> Iterator[str]:
        """Yields lines about a search, the last of which is its move; empty ones between them."""
        start = told = time.perf_counter()
        for read in searches:
            if self._is_stopped:
                break
            is_due = time.perf_counter() - told >= _INTERVAL
            yield self._describe(state, read, start)[0] if is_due else ""
            told = time.perf_counter() if is_due else told
        line, action = self._describe(state, read, start)
        yield line
        while is_infinite and not self._is_stopped:
            self._patience = _INTERVAL
            yield ""
        yield f"bestmove {self._board.format(state, action)}"

    def _describe(
        self, state: State, read: Callable[[], SearchResult], start: float
    ) -> tuple[str, int]:
        """Returns a line about a search that began at a time, and its move so far."""
        [found] = read_searches(self._game, read())
        assert found.visits is not None
        texts, milliseconds = [], round(1000 * (time.perf_counter() - start))
        for action in found.principal_variation:
            texts.append(self._board.format(state, action))
            state = self._game.step(state, action)
        line = (
            f"info depth {len(texts)} score cp {_centipawns(found.value)} "
            f"nodes {found.visits.sum()} time {milliseconds} pv {' '.join(texts)}"
        )
        return line, found.action

    def _stop(self) -> Iterator[str]:
        """Yields the lines that a search in progress ends with."""
        self._is_stopped = True
        yield from filter(None, self._search)


def _parse_go(words: list[str]) -> tuple[dict[str, int], list[str]]:
    """Returns the numbers of a `go` command by name, 1 for each flag, and the words of no use."""
    limits, unknown, rest = dict[str, int](), list[str](), iter(words)
    for name in rest:
        number = next(rest, "") if name in _NUMBERS else "1"
        if name in _NUMBERS + _FLAGS and re.fullmatch(r"-?\d{1,10}", number):
            limits[name] = int(number)
        else:
            unknown.append(name)
    return limits, unknown


def _seconds(limits: dict[str, int], player: int) -> float | None:
    """Returns the seconds that there are for a move; None without a limit."""
    if "movetime" in limits:
        return limits["movetime"] / 1000
    side = "wb"[player]
    if f"{side}time" not in limits:
        return None
    clock, left = GameClock(), max(0, limits[f"{side}time"]) / 1000
    clock.tell(player, left, max(0, limits.get("movestogo", 0)))
    allowance = clock.allowance(player)
    assert allowance is not None
    more = allowance + _INCREMENT * max(0, limits.get(f"{side}inc", 0)) / 1000
    return max(allowance, min(more, left / 2))


def _centipawns(value: float) -> int:
    """Returns a value from -1 to 1 in centipawns, by the formula of Leela Chess Zero."""
    return round(90 * math.tan(1.5637541897 * value))
