"""Random games have the same legal moves and results by Pgx's rules and by those of UCI engines.

The references are python-chess for chess, and Fairy-Stockfish, as pyffish, for its variants.
"""

import itertools
import re

import jax
import numpy as np
import pytest

from azjax.engines.uci_board import uci_board
from azjax.games import make, sample_from_mask

pytestmark = pytest.mark.slow

NUM_GAMES = 20  # of each game; 200 for the figures of the manual


class Chess:
    """A game by the rules of python-chess."""

    def __init__(self, variant):
        chess = pytest.importorskip("chess")
        self.board = chess.Board()

    def legal_moves(self):
        return {move.uci() for move in self.board.legal_moves}

    def is_suicide(self, move):
        """Tells whether Pgx forbids a move that these rules allow."""
        return False

    def push(self, move):
        self.board.push_uci(move)

    def result(self):
        """Returns player 0's reward; None if the game is not over."""
        board = self.board
        if board.is_checkmate():
            return -1 if board.turn else 1
        is_draw = board.is_stalemate() or board.is_insufficient_material()
        return 0 if is_draw or board.halfmove_clock >= 100 or board.is_repetition(3) else None


class Fairy:
    """A game by the rules of Fairy-Stockfish."""

    def __init__(self, variant):
        self.rules = pytest.importorskip("pyffish")
        self.variant, self.start, self.moves = variant, self.rules.start_fen(variant), []

    def legal_moves(self):
        return set(self.rules.legal_moves(self.variant, self.start, self.moves))

    def is_suicide(self, move):
        """Tells whether Pgx forbids a move that these rules allow."""
        return False

    def push(self, move):
        self.moves.append(move)

    def result(self):
        """Returns player 0's reward; None if the game is not over."""
        given = self.variant, self.start, self.moves
        loss = 1 if len(self.moves) % 2 else -1  # of the player to move
        is_over, score = self.rules.is_immediate_game_end(*given)
        if is_over:
            return int(np.sign(score)) * -loss
        moves = self.legal_moves()
        if not moves:
            return int(np.sign(self.rules.game_result(*given))) * -loss
        if all(map(self.is_suicide, moves)):
            return loss
        is_draw = self.rules.is_optional_game_end(*given)[0]
        return 0 if is_draw or all(map(self.is_bare, (0, 1))) else None

    def is_bare(self, player):
        return self.rules.has_insufficient_material(self.variant, self.start, self.moves)[player]


class AnimalShogi(Fairy):
    """A game of Fairy-Stockfish's dobutsu, which allows to leave the lion to be captured."""

    def is_suicide(self, move):
        after = self.variant, self.start, [*self.moves, move]
        board = self.rules.get_fen(*after).split("[")[0]
        lion = "L" if len(after[2]) % 2 else "l"
        rows = [re.sub(r"\d", lambda n: "." * int(n[0]), row) for row in board.split("/")]
        cells = {
            "abc"[i] + str(4 - j)
            for j, row in enumerate(rows)
            for i, piece in enumerate(row.replace("+", ""))
            if piece == lion
        }
        return any(reply.rstrip("+")[-2:] in cells for reply in self.rules.legal_moves(*after))


def play_random_games(game, num_games):
    """Yields each position of random games with its legal mask, the action, and the next.

    In order: the number of the game, the state, the mask, the action and the state after it.
    """
    keys = jax.random.split(jax.random.key(0), num_games)
    states = jax.vmap(game.init)(keys)
    masks = jax.jit(jax.vmap(game.legal_action_mask))
    steps, samples = jax.jit(jax.vmap(game.step)), jax.jit(jax.vmap(sample_from_mask))
    for ply in itertools.count():
        actions = samples(jax.random.split(jax.random.key(ply), num_games), masks(states))
        after = steps(states, actions)
        before, legal, chosen, then = jax.device_get((states, masks(states), actions, after))
        for i in np.flatnonzero(~before.terminated).tolist():
            state, next_state = (jax.tree.map(lambda x, i=i: x[i], s) for s in (before, then))
            yield i, state, legal[i], int(chosen[i]), next_state
        states = after
        if then.terminated.all():
            return


@pytest.mark.parametrize(
    ("name", "rules"),
    [("pgx:chess", Chess), ("pgx:gardner_chess", Fairy), ("pgx:animal_shogi", AnimalShogi)],
)
def test_random_games_agree(name, rules):
    game = make(name)
    board = uci_board(game)
    references = [rules(board.variant) for _ in range(NUM_GAMES)]
    for i, state, legal, action, after in play_random_games(game, NUM_GAMES):
        moves, reference = board.legal_moves(state, legal), references[i]
        allowed = reference.legal_moves()
        assert set(moves) <= allowed, (i, reference)
        assert all(map(reference.is_suicide, allowed - set(moves))), (i, reference)
        reference.push(board.format(state, action))
        expected = int(after.rewards[0]) if after.terminated else None
        if reference.result() is None and int(after.position["_step_count"]) == game.max_moves:
            assert expected == 0  # engines know no limit of moves
        else:
            assert reference.result() == expected, (i, reference)
