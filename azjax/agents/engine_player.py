"""Engines as players: `gtp:COMMAND`, `uci:COMMAND` and `perfect`, and the baselines of Pgx.

Each game of an engine in play has a process of its own.
"""

import concurrent.futures
import contextlib
import dataclasses
import functools
import os
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

import chex
import jax
import numpy as np

from azjax.agents.pgx_baseline import PREFIX as BASELINE
from azjax.agents.pgx_baseline import BaselinePlayer, load_baseline
from azjax.engines.engine_process import START_SECONDS, EngineError, engine_errors
from azjax.engines.gtp_client import GtpEngine
from azjax.engines.gtp_syntax import gtp_board
from azjax.engines.perfect import perfect_command
from azjax.engines.uci_board import uci_board
from azjax.engines.uci_client import UciEngine, parse_uci_player
from azjax.evaluation import FORFEITS, RESIGNS, Turns
from azjax.games import Game, State
from azjax.support.errors import InputError, RunError, input_errors
from azjax.support.machine.processor import usable_cores
from azjax.support.program_cache import cache_programs
from azjax.support.signals import interrupts
from azjax.support.validation import check_at_least, check_choice, check_even

Engine = GtpEngine | UciEngine
PERFECT, _GTP, _UCI = "perfect", "gtp:", "uci:"


@dataclasses.dataclass(frozen=True)
class EngineSettings:
    """How engines are run; the fields are flags."""

    engine_seconds: int | None = None
    """The time limit of each move of an engine, in whole seconds, which it is told. If not given:
    300 seconds, and it is not told; but a UCI engine without nodes and depth is told 1 second."""
    engine_start_seconds: int = START_SECONDS
    """The time limit of an engine's other answers, in whole seconds. The first may take minutes,
    where an engine loads or tunes itself."""
    engine_processes: int | None = None
    """The processes of each engine, even: each plays a game of its own, and about half of them
    think at a time. If not given: two for each core."""
    on_engine_error: Literal["stop", "forfeit"] = "stop"
    """Where an engine dies, exceeds its time, or makes or refuses a move against the rules: stop
    the match, or go on; the engine then loses the game."""

    def __post_init__(self):
        """Raises ValueError if a setting is out of range."""
        if self.engine_seconds is not None:
            check_at_least("engine_seconds", self.engine_seconds, 1)
        check_at_least("engine_start_seconds", self.engine_start_seconds, 1)
        if self.engine_processes is not None:
            check_even("engine_processes", self.engine_processes, 2)
        check_choice("on_engine_error", self.on_engine_error, ["stop", "forfeit"])


@dataclasses.dataclass(frozen=True)
class EnginePlayer:
    """An engine that plays by GTP or UCI; a `HostPlayer`."""

    name: str
    game: Game
    command: tuple[str, ...]
    settings: EngineSettings
    start: Callable[..., Engine]  # from game, command, seconds of a move and of other answers

    @property
    def is_random(self) -> bool:
        """Whether the engine is known to play its moves at random."""
        return self.name == PERFECT

    @property
    def games_at_once(self) -> int:
        return self.settings.engine_processes or 2 * usable_cores()

    @contextlib.contextmanager
    def open_match(self) -> "Iterator[_EngineMatch]":
        with interrupts(signal.SIGTERM), contextlib.closing(_EngineMatch(self)) as match:
            yield match


def is_engine(name: str) -> bool:
    """Tells whether a player's name is an engine's."""
    return name == PERFECT or name.startswith((_GTP, _UCI, BASELINE))


def load_engine(name: str, game: Game, settings: EngineSettings) -> EnginePlayer | BaselinePlayer:
    """Returns the engine of this name; its program is looked for, and started in matches.

    Raises:
      InputError: The program is missing, or does not play this game.
    """
    with input_errors(name):
        if name.startswith(BASELINE):
            return load_baseline(name, game)
        command, start = _parse_engine(name, game)
    program = command[0]
    if shutil.which(program, os.F_OK) is None:
        raise InputError(f"{name}: there is no program {program!r} to run: is it installed?")
    if shutil.which(program) is None:
        raise InputError(f"{name}: {program!r} is not executable: chmod +x makes it so")
    return EnginePlayer(name, game, command, settings, start)


def _parse_engine(name: str, game: Game) -> tuple[tuple[str, ...], Callable[..., Engine]]:
    """Returns the command of an engine, and what starts it; raises ValueError as `load_engine`."""
    if name.startswith(_UCI):
        uci_board(game)
        command, options = parse_uci_player(name.removeprefix(_UCI))
        return command, functools.partial(UciEngine, options=options)
    gtp_board(game)
    if name == PERFECT:
        return perfect_command(game), GtpEngine
    if not (command := tuple(shlex.split(name.removeprefix(_GTP)))):
        raise ValueError("write a command, such as 'gtp:gnugo --mode gtp'")
    return command, GtpEngine


class _EngineMatch:
    """The processes of an engine in one match; they think at the same time."""

    def __init__(self, player: EnginePlayer):
        self._player = player
        self._threads = concurrent.futures.ThreadPoolExecutor(player.games_at_once)
        self._engines: dict[int, Engine] = {}  # by the number of the game
        self._idle: list[Engine] = []
        self._is_closing = False  # what engines do then is no error of theirs

    def choose(self, turns: Turns) -> np.ndarray:
        """Returns the actions; raises RunError if the engine fails, and that ends the match."""
        actions = np.full(len(turns.games), FORFEITS)
        legal = np.asarray(_legal_actions(self._player.game)(turns.states))
        seeds = np.asarray(_seeds(turns.keys)).tolist()
        indices = np.flatnonzero(turns.is_turn).tolist()
        games = [int(turns.games[i]) for i in indices]
        for game in games:
            self._engines[game] = self._engines.get(game) or self._take_engine()
        of_games = ([values[i] for i in indices] for values in (turns.actions, legal, seeds))
        actions[indices] = list(self._threads.map(self._choose, games, *of_games))
        return actions

    def end(self, games: Iterable[int]) -> None:
        """Frees the processes of these games for others."""
        self._idle += [self._engines.pop(game) for game in games if game in self._engines]

    def close(self) -> None:
        """Ends all processes, also those that are thinking."""
        self._is_closing = True
        engines = [*self._engines.values(), *self._idle]
        for engine in engines:
            engine.kill()
        self._threads.shutdown(cancel_futures=True)
        for engine in engines:
            engine.close()

    def _take_engine(self) -> Engine:
        if self._idle:
            return self._idle.pop()
        player, settings = self._player, self._player.settings
        limits = settings.engine_seconds, settings.engine_start_seconds
        with engine_errors(player.name):
            return player.start(player.game, player.command, *limits)

    def _choose(self, game: int, actions: Sequence[int], legal: np.ndarray, seed: int) -> int:
        player, engine = self._player, self._engines[game]
        with engine_errors(player.name):  # it would fail in every game
            engine.prepare()
        try:
            action = engine.choose(actions, legal, seed)
        except EngineError as error:
            moves = " ".join(map(player.game.format_action, actions)) or "no move yet"
            line = f"{player.name} {error}; game {game + 1} so far: {moves}"
            if player.settings.on_engine_error == "stop" or self._is_closing:
                raise RunError(line) from error
            # In one write, newline included: other threads print too.
            sys.stderr.write(f"azjax: {line}; it loses this game\n")
            del self._engines[game]
            engine.close()
            return FORFEITS
        return RESIGNS if action is None else action


@cache_programs
def _legal_actions(game: Game) -> Callable[[State], chex.Array]:
    return jax.jit(jax.vmap(game.legal_action_mask))


@jax.jit
def _seeds(keys: chex.PRNGKey) -> chex.Array:
    """Returns [P] uint32, below 2**31, as engines take them."""
    return jax.vmap(jax.random.bits)(keys) >> 1
