"""Laws of notation: moves and positions as text, both ways."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from azjax.games.game import Game, State
from azjax.games.laws.declarations import describe_type, same_structure
from azjax.games.laws.law import Law, broken, calling
from azjax.games.laws.playout import Playout, slice_of

_OTHER_TEXTS = ("", "?", "no such text")
_NUM_STATES = 6
_ONE_LINE = "a ValueError whose message is one line that says what would be right"


def check_notation(play: Playout) -> None:
    """Checks the notation of all actions, and of some states from start to end.

    Raises:
      BrokenLawError: A law is broken.
    """
    _check_actions(play.game)
    num_moves, num_games = play.actions.shape
    for i in range(_NUM_STATES):
        index = i * num_moves // (_NUM_STATES - 1), i % num_games
        _check_state(play.game, slice_of(play.states, index))
    _check_other_text(play.game)


def _check_actions(game: Game) -> None:
    words: dict[str, int] = {}
    for action in range(game.num_actions):
        with calling(game, "format_action", "a word for every action"):
            word = game.format_action(action)
        if not isinstance(word, str) or word.split() != [word]:
            found = f"format_action({action}) is {word!r}"
            raise broken(game, Law.ACTION_TEXT, found, "a word without spaces")
        other = words.setdefault(word, action)
        if other != action:
            found = f"actions {other} and {action} are both {word!r}"
            raise broken(game, Law.ACTION_TEXT, found, "two words")
    for word, action in words.items():
        with calling(game, "parse_action", "the action of what format_action wrote"):
            parsed = game.parse_action(word)
        if parsed != action:
            found = f"parse_action({word!r}) is {parsed!r}"
            raise broken(game, Law.ACTION_TEXT, found, str(action))


def _check_state(game: Game, state: State) -> None:
    with calling(game, "format_state", "a line for every state"):
        line = game.format_state(state)
    if not isinstance(line, str) or len(line.splitlines()) != 1:
        raise broken(game, Law.STATE_TEXT, f"format_state gives {line!r}", "one line")
    with calling(game, "parse_state", "the state of what format_state wrote", state):
        parsed = game.parse_state(line)
    _check_same(game, state, parsed)
    with calling(game, "render", "lines of text", state):
        game.render(state)


def _check_same(game: Game, state: State, parsed: State) -> None:
    right = "the state that was written, a finished one too"
    if not same_structure(state, parsed):
        found = f"parse_state gives a {type(parsed).__name__} of another structure"
        raise broken(game, Law.STATE_TEXT, found, right, state)
    pairs = zip(jax.tree.leaves_with_path(state), jax.tree.leaves(parsed), strict=True)
    for (path, old), new in pairs:
        name = jax.tree_util.keystr(path, simple=True, separator=".")
        was, found = describe_type(jnp.asarray(old)), describe_type(jnp.asarray(new))
        if was != found:
            raise broken(game, Law.STATE_TEXT, f"it parses {name} as {found}", was, state)
        if (old != new).any():
            found = f"it parses {name} as {jnp.asarray(new).tolist()}, not {old.tolist()}"
            raise broken(game, Law.STATE_TEXT, found, right, state)


def _check_other_text(game: Game) -> None:
    for text in _OTHER_TEXTS:
        _check_refused(game, "parse_action", game.parse_action, text)
        _check_refused(game, "parse_state", game.parse_state, text)
    _check_refused(game, "parse_moves", game.parse_moves, "?")
    with calling(game, "parse_moves", "an empty list for an empty text"):
        moves: Sequence[int] = game.parse_moves("")
    if list(moves):
        found = f"parse_moves('') is {list(moves)}"
        raise broken(game, Law.OTHER_TEXT, found, "an empty list")


def _check_refused(game: Game, name: str, parse: Callable[[str], Any], text: str) -> None:
    call = f"{name}({text!r})"
    try:
        parsed = parse(text)
    except ValueError as error:
        if len(str(error).splitlines()) != 1:
            found = f"the message of {call} is {str(error)!r}"
            raise broken(game, Law.OTHER_TEXT, found, _ONE_LINE) from error
    except Exception as error:
        found = f"{call} raises {type(error).__name__}: {error}"
        raise broken(game, Law.OTHER_TEXT, found, _ONE_LINE) from error
    else:
        raise broken(game, Law.OTHER_TEXT, f"{call} is {parsed!r}", _ONE_LINE)
