"""Games in the terminal; the person's lines are given, and what is written is read."""

import builtins
import re

import jax
import numpy as np
import pytest

from azjax import games
from azjax.agents.player_spec import NamedPlayer
from azjax.cli.terminal import EXPLANATION, play_in_terminal
from azjax.evaluation import Player, mcts_player
from azjax.search import UCT

GAME = games.make("tic_tac_toe")


def play_first_legal(parameters, keys, states):
    """Plays the first legal action of each position."""
    del parameters, keys
    return jax.vmap(GAME.legal_action_mask)(states).argmax(axis=1)


FIRST_LEGAL = Player(play_first_legal)
MCTS = mcts_player(GAME, UCT(num_simulations=64))


@pytest.fixture
def play():
    """Returns `play(lines, ...)`: what is written while these lines are the answers."""

    def play(lines, opponent=FIRST_LEGAL, seat=0, game=GAME):
        left, written = iter(lines), []

        def ask(question):
            written.append(question)
            try:
                answer = next(left)
            except StopIteration:
                raise EOFError from None
            if isinstance(answer, type):
                raise answer
            return answer

        player = NamedPlayer("rival", game, opponent, None, is_random=True, warnings=[])
        play_in_terminal(player, ask, written.append, seat)
        assert list(left) == []
        return "\n".join(written)

    return play


def test_wrong_moves_are_explained_and_asked_for_again(play):
    found = play(["z9", "b2", "b2"])
    assert "'z9' is not a cell: write a column, a to c" in found
    assert "b2 cannot be played here; moves lists the moves that can." in found
    assert found.count("rival plays") == 1


@pytest.mark.parametrize(
    ("moves", "seat", "result"),
    [
        (["b2", "c2", "a2"], 0, "You win."),
        (["a3", "b3"], 1, "You lose."),
        (["b2", "a2", "c1", "b3", "c3"], 0, "Draw."),
    ],
)
def test_a_game_ends_with_the_board_and_the_result_for_the_person(play, moves, seat, result):
    found = play(moves, seat=seat)
    assert found.split("\n")[-1] == result
    assert "last move" in found.split("\n")[-3]


def test_undo_takes_back_the_last_move_and_the_answer(play):
    found = play(["b2", "c3", "undo"])
    assert found.count("1 O . .\n2 . X .\n3 . . .\nlast move: a1 by rival") == 2
    found = play(["undo", "c3", "undo", "undo"], seat=1)
    assert found.count("1 X . .\n2 . . .\n3 . . .\nlast move: a1 by rival") == 2
    assert found.count("There is no move of yours to take back.") == 2


def test_the_result_of_go_says_by_how_much(play):
    go = games.make("go_5:size=3,komi=0.5")
    passes = Player(lambda parameters, keys, states: np.full(len(keys), go.num_actions - 1))
    assert play(["b2", "pass"], seat=1, opponent=passes, game=go).endswith("\nYou win by 9.5.")


@pytest.mark.parametrize(("lines", "seat"), [(["b2", "quit"], 0), ([KeyboardInterrupt], None)])
def test_a_person_can_leave_at_any_time(play, lines, seat):
    assert play(lines, seat=seat).endswith("\nYou left the game.")


def test_a_search_is_shown_with_its_value_and_explained_once(play):
    found = play(["b2", "hint", "undo", "b2"], opponent=MCTS)
    assert "; value " in found
    assert " for rival (+1 is a win, -1 a loss)" in found
    assert " for you." in found
    assert len(re.findall(r"\n  move +prior +visits +Q +policy\n", found)) == 2
    assert found.count(EXPLANATION) == 1


def test_the_command_plays_any_player_at_a_game_of_any_size(azjax, monkeypatch):
    lines = iter(["moves", "quit"])
    monkeypatch.setattr(builtins, "input", lambda question: next(lines))
    result = azjax("play", "random", "--game", "connect_four:rows=5,columns=6", "--seat", "first")
    assert (result.code, result.err) == (0, "")
    assert "You can play 1 2 3 4 5 6\n" in result.out
    assert result.out.endswith("You left the game.\n")
