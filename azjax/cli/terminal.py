"""A game between a person and a player in the terminal, and searches as text."""

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from azjax.agents.player_spec import NamedPlayer
from azjax.evaluation import (
    RESIGNS,
    MatchPlayer,
    PositionSearch,
    choose_action,
    open_match,
    search_config,
    search_position,
)
from azjax.games import State

_TOP_MOVES = 4
_SEATS = {"first": 0, "1": 0, "x": 0, "second": 1, "2": 1, "o": 1}
_RESULTS = {1: "You win", 0: "Draw", -1: "You lose"}
EXPLANATION = (
    "> marks the move to play. Visits are simulations that begin with a move. The policy\n"
    "is what a network learns from the search; a move that Gumbel left out early may\n"
    "end with a higher one than the move that it plays."
)


def describe_value(value: float, person: str) -> str:
    """Returns such as `value +0.35 for you`; the value is from the person's view."""
    return f"value {round(value, 2) + 0.0:+.2f} for {person}"  # -0.0 + 0.0 is 0.0


def play_in_terminal(
    player: NamedPlayer,
    ask: Callable[[str], str],
    write: Callable[[str], None],
    seat: int | None,
    seed: int = 0,
) -> None:
    """Plays one game, until it ends or the person quits.

    Args:
      player: The opponent, and the game.
      ask: Prints a question, and returns the answer; an EOFError or KeyboardInterrupt is `quit`.
      write: Prints lines.
      seat: The person's seat, 0 to move first; None asks for it.
      seed: The seed of the player's moves.
    """
    try:
        own_seat = _ask_seat(ask, write) if seat is None else seat
        with open_match(player.player) as opponent:
            _TerminalGame(player, opponent, ask, write, own_seat, seed).play()
    except (EOFError, KeyboardInterrupt):
        write("\nYou left the game.")


def _ask_seat(ask: Callable[[str], str], write: Callable[[str], None]) -> int:
    while True:
        answer = ask("Do you move first (as X) or second (as O)? ").strip()
        if answer.lower() in ("quit", "q"):
            raise EOFError
        if answer.lower() in _SEATS:
            return _SEATS[answer.lower()]
        write(f"{answer!r} is not a seat: write first, 1 or x; second, 2 or o; or quit to leave.")


@dataclasses.dataclass
class _TerminalGame:
    """A game in progress; it holds all positions, so that moves can be taken back."""

    player: NamedPlayer
    opponent: MatchPlayer
    ask: Callable[[str], str]
    write: Callable[[str], None]
    seat: int
    seed: int

    def __post_init__(self) -> None:
        """Begins the game."""
        self._game, self._name = self.player.game, self.player.name
        self._states: list[State] = [self._game.init(jax.random.key(self.seed))]
        self._actions: list[int] = []
        self._has_explained = False
        self._kept: Any = None  # by a search that keeps trees

    def play(self) -> None:
        """Plays until the game ends; raises EOFError if the person quits."""
        while not self._state.terminated:
            self._draw_board()
            if int(self._state.current_player) == self.seat:
                self._take_turn()
            else:
                self._answer()
        self._draw_board()
        self.write(self._describe_result())

    @property
    def _state(self) -> State:
        return self._states[-1]

    def _draw_board(self) -> None:
        text = f"\n{self._game.render(self._state)}\n"
        if self._actions:
            mover = "you" if int(self._states[-2].current_player) == self.seat else self._name
            text += f"last move: {self._describe(self._actions[-1])} by {mover}\n"
        self.write(text)

    def _take_turn(self) -> None:
        """Asks until the person has moved, or has taken a move back."""
        num_moves = len(self._actions)
        while len(self._actions) == num_moves:
            answer = self.ask("Your move (or help): ").strip()
            match answer.lower():
                case "quit" | "q":
                    raise EOFError
                case "hint":
                    self._hint()
                case "undo":
                    self._undo()
                case "moves":
                    self.write(f"You can play {' '.join(self._legal_moves())}")
                case "help":
                    self._help()
                case _:
                    self._play_text(answer)

    def _play_text(self, text: str) -> None:
        try:
            action = self._game.parse_action(text)
        except ValueError as error:
            self.write(f"{error}; help lists the commands.")
            return
        if self._game.legal_action_mask(self._state)[action]:
            self._play(action)
        else:
            self.write(f"{text} cannot be played here; moves lists the moves that can.")

    def _play(self, action: int) -> None:
        self._states.append(self._game.step(self._state, action))
        self._actions.append(action)

    def _answer(self) -> None:
        """Plays the player's move, and says what its search found."""
        action, found = self._choose()
        move = self._describe(action)
        if found is None:
            self.write(f"{self._name} plays {move}.")
        else:
            value = describe_value(found.value, self._name)
            self.write(f"{self._name} plays {move}; {value} (+1 is a win, -1 a loss)")
            self.write(found.table(_TOP_MOVES))
            if not self._has_explained:
                self.write(EXPLANATION)
            self._has_explained = True
        self._play(action)

    def _choose(self) -> tuple[int, PositionSearch | None]:
        """Returns the player's move here, and its search if it searches."""
        seed = self.seed + len(self._actions)
        if search_config(self.player.player) is not None:
            found = search_position(self.player.player, self._state, seed, self._kept)
            self._kept = found.kept
            return found.action, found
        key = jax.random.key(seed)
        return choose_action(self.opponent, self._state, key, self._actions), None

    def _describe_result(self) -> str:
        result = _RESULTS[int(self._state.rewards[self.seat])]
        lead = float(self._game.lead(self._state) or 0)
        if not lead or self._actions[-1] == RESIGNS:
            return f"{result}."
        return f"{result} by {abs(lead):g}."

    def _describe(self, action: int) -> str:
        return "resign" if action == RESIGNS else self._game.format_action(action)

    def _hint(self) -> None:
        action, found = self._choose()
        value = "" if found is None else f"; {describe_value(found.value, 'you')}"
        self.write(f"{self._name} would play {self._describe(action)}{value}.")

    def _undo(self) -> None:
        """Goes back to the person's turn before this one."""
        earlier = [int(state.current_player) for state in self._states[:-1]]
        if self.seat not in earlier:
            self.write("There is no move of yours to take back.")
            return
        num_moves = len(earlier) - 1 - earlier[::-1].index(self.seat)
        del self._states[num_moves + 1 :], self._actions[num_moves:]

    def _legal_moves(self) -> list[str]:
        legal = np.flatnonzero(self._game.legal_action_mask(self._state)).tolist()
        return list(map(self._game.format_action, legal))

    def _help(self) -> None:
        self.write(
            f"Write a move, such as {self._legal_moves()[0]}, or\n"
            f"  hint   to see what {self._name} would play for you\n"
            "  undo   to take back your last move and the answer\n"
            "  moves  to list the moves that you can play\n"
            "  quit   to leave the game"
        )
