"""Writes golden games: `python tests/games/make_golden.py NAME [--game TITLE MOVES]...`.

A file under tests/data/golden holds a few games of one registered game: every move in notation,
the position it leads to, what is legal there, and the result. The test plays the moves again and
compares line by line. A game's title begins with its outcome, `X wins`, `O wins` or `draw`, which
the author of the game states, so that the code is tested against the rules and not against itself:

    make_golden.py tic_tac_toe --game "O wins: the left column" "b1 a1 c2 a2 b3 a3"

adds a game. Without `--game` the file's games are played again and rewritten, after a change of
version or of notation. Read the file before you commit it.
"""

import argparse
import pathlib

import jax
import numpy as np

from azjax.games import Game, make
from azjax.games.laws.playout import single

FOLDER = pathlib.Path(__file__).parents[1] / "data" / "golden"


def path_of(name: str) -> pathlib.Path:
    return FOLDER / f"{name}.txt"


def outcome(state) -> str:
    """Returns the result of a finished game, as titles begin."""
    return {1: "X wins", 0: "draw", -1: "O wins"}[int(state.rewards[0])]


def legal_actions(game: Game, mask: np.ndarray) -> str:
    """Returns the legal actions, or all but the illegal ones, whichever is shorter."""
    legal, illegal = ([game.format_action(a) for a in np.flatnonzero(m)] for m in (mask, ~mask))
    if not legal or not illegal:
        return "all" if legal else "none"
    return " ".join(legal if len(legal) <= len(illegal) else ["all but", *illegal])


def write_game(game: Game, title: str, moves: list[str]) -> str:
    """Returns the text of one game, played from its moves in notation.

    Raises:
      ValueError: A move is illegal, the game does not end, or its title states another outcome.
    """
    functions = single(game)
    state = functions.init(jax.random.key(0))
    lines = [f"game: {title}"]
    for move in ["start", *moves]:
        if move != "start":
            action = game.parse_action(move)
            if not functions.look(state).mask[action]:
                raise ValueError(f"{title!r}: {move} is illegal in {game.format_state(state)}")
            state = functions.step(state, np.int32(action))
        actions = legal_actions(game, functions.look(state).mask)
        lines.append(f"{move:<6} {game.format_state(state)}  legal: {actions}")
    if not state.terminated or not title.startswith(outcome(state)):
        end = outcome(state) if state.terminated else "the game is not over"
        raise ValueError(f"{title!r}: after the last move, {end}")
    rewards = " ".join(f"{reward:+d}" if reward else "0" for reward in state.rewards.tolist())
    return "\n".join([*lines, f"result: {outcome(state)}, rewards {rewards}", ""])


def write_file(game: Game, games: list[tuple[str, list[str]]]) -> str:
    """Returns the text of a golden file, from the titles and moves of its games."""
    return "\n".join(
        [f"{game.name} version {game.version}\n", *(write_game(game, *g) for g in games)]
    )


def read_games(text: str) -> list[tuple[str, list[str]]]:
    """Returns the titles and moves of a golden file's games."""
    games = []
    for block in text.split("\ngame: ")[1:]:
        title, _, *lines, _ = block.strip().split("\n")
        games.append((title, [line.split()[0] for line in lines]))
    return games


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", help="a registered game")
    parser.add_argument("--game", nargs=2, action="append", metavar=("TITLE", "MOVES"))
    arguments = parser.parse_args()
    game, path = make(arguments.name), path_of(arguments.name)
    games = read_games(path.read_text()) if path.exists() else []
    games += [(title, moves.split()) for title, moves in arguments.game or []]
    path.write_text(write_file(game, games))
    print(f"{path}: read it, and see that it is right by the rules")


if __name__ == "__main__":
    main()
