"""What compiles: a first call, and no later one of the same shapes."""

import jax
import numpy as np
import pytest

from azjax.agents.player_spec import load_player
from azjax.agents.served_player import served_player_maker
from azjax.cli.terminal import play_in_terminal
from azjax.engines.gtp_server import GtpServer
from azjax.evaluation import MatchSettings, play_match
from azjax.games import batch_of_one, make
from azjax.page.analysis.rules import Rules

pytestmark = pytest.mark.slow

COMPILATION = "/jax/core/compile/backend_compile_duration"
OF_EACH_CLASS = ("tic_tac_toe", "hex_5", "quixo_3", "othello_6", "go_5:size=3", "pgx:tic_tac_toe")


def count_compilations(call, *arguments):
    """Returns how often a second call compiles."""
    call(*arguments)
    events = []

    def listen(event, seconds, **others):
        events.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        call(*arguments)
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)
    return events.count(COMPILATION)


def play_by_hand(game):
    """Calls all functions of a game outside `jit`, for two moves."""
    state = game.init(jax.random.key(0))
    for _ in range(2):
        action = int(np.flatnonzero(game.legal_action_mask(state))[0])
        assert game.is_legal(state, action)
        game.lead(state)
        if game.has_ownership:
            game.ownership(state)
        game.without_move_count(state)
        game.observe(state)
        jax.vmap(game.legal_action_mask)(batch_of_one(state))
        game.render(game.parse_state(game.format_state(state)))
        state = game.step(state, action)


@pytest.mark.parametrize("name", OF_EACH_CLASS)
def test_the_functions_of_a_game_compile_once(name):
    assert count_compilations(play_by_hand, make(name)) == 0


GO = make("go_5:size=3")
MCTS = load_player("mcts:simulations=2", GO.name)


def play_by_gtp():
    make_player = served_player_maker(MCTS, lambda name: MCTS, seed=0)
    server = GtpServer(GO, make_player, "1")
    for line in (
        "boardsize 3",
        "komi 7.5",
        "play b a1",
        "genmove w",
        "undo",
        "showboard",
        "final_score",
    ):
        assert next(server.respond(line, lambda seconds: True)).startswith("=")


def play_at_a_terminal():
    answers = iter(["a1", "hint", "moves", "pass", "pass", "undo", "quit"])
    play_in_terminal(MCTS, lambda question: next(answers), lambda text: None, seat=0)


def play_on_the_page():
    rules = Rules(GO)
    position = rules.start()
    for action in (0, GO.num_actions - 1, GO.num_actions - 1):
        position = rules.play(rules.parse(position.text), action)


def play_a_match():
    mcts, rival = (load_player(name, "coins") for name in ("mcts:simulations=2", "random"))
    play_match(mcts.game, mcts.player, rival.player, MatchSettings(2, 1))


@pytest.mark.parametrize("play", [play_a_match, play_by_gtp, play_at_a_terminal, play_on_the_page])
def test_every_door_compiles_once(play):
    assert count_compilations(play) == 0
