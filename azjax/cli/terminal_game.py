"""A game between a person and an agent in the terminal."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from azjax.agents.agent import Agent
from azjax.games import Game, State
from azjax.search import SearchResult, evaluate_with_network, rules_model, search

_TOP_MOVES = 3


def play_in_terminal(
    agent: Agent, ask: Callable[[str], str], write: Callable[[str], None], seat: int | None
) -> None:
    """Plays one game.

    Args:
      agent: The opponent.
      ask: Prints a question, and returns the answer, one line.
      write: Prints lines.
      seat: The person's seat, 0 to move first; None asks for it.

    Raises:
      EOFError: The person quits.
    """
    game, run_search = agent.game, _compile_search(agent)
    if seat is None:
        seat = _ask_seat(ask, write)
    step = jax.jit(game.step)
    state = game.init(jax.random.key(0))
    while not state.terminated:
        write(f"\n{game.render(state)}\n")
        if int(state.current_player) == seat:
            action = _ask_move(game, state, ask, write)
        else:
            result = run_search(state)
            action = int(result.action[0])
            write(describe_search(game, result))
        state = step(state, action)
    reward = int(state.rewards[seat])
    write(f"\n{game.render(state)}\n\n{('Draw.', 'You win.', 'You lose.')[reward]}")


def describe_search(game: Game, result: SearchResult) -> str:
    """Returns a line with the move, its value, and the three most visited moves.

    The policy is the action weights of the search. They do not follow from the visits: Gumbel
    visits the last candidates equally often.
    """
    weights = np.asarray(result.action_weights[0])
    visits = np.asarray(result.tree.summary().visit_counts[0])
    top = [a for a in np.lexsort((-weights, -visits))[:_TOP_MOVES] if visits[a] > 0]
    value = round(float(result.value[0]), 2) + 0.0  # turns -0.0 into 0.0
    moves = ", ".join(
        f"{game.format_action(a)} (policy {weights[a]:.0%}, {int(visits[a])} visits)" for a in top
    )
    return (
        f"azjax plays {game.format_action(int(result.action[0]))}; "
        f"value for azjax {value:+.2f} (-1 loss, +1 win); top moves: {moves}"
    )


def _compile_search(agent: Agent) -> Callable[[State], SearchResult]:
    model = rules_model(agent.game, evaluate_with_network(agent.game, agent.network))

    @jax.jit
    def search_state(variables, state):
        states = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
        keys = jax.random.split(jax.random.key(0), 1)
        return search(model, agent.search_config, agent.hyperparameters, variables, keys, states)

    return lambda state: search_state(agent.variables, state)


def _ask(question: str, ask: Callable[[str], str]) -> str:
    answer = ask(question).strip()
    if answer.lower() in ("q", "quit"):
        raise EOFError
    return answer


def _ask_seat(ask: Callable[[str], str], write: Callable[[str], None]) -> int:
    while True:
        answer = _ask("Do you move first (1, as X) or second (2, as O; q leaves)? ", ask)
        if answer in ("1", "2"):
            return int(answer) - 1
        write(f"{answer!r} is not a seat: write 1 to move first or 2 to move second.")


def _ask_move(
    game: Game, state: State, ask: Callable[[str], str], write: Callable[[str], None]
) -> int:
    legal = np.asarray(game.legal_action_mask(state))
    while True:
        answer = _ask("Your move (q leaves): ", ask)
        try:
            action = game.parse_action(answer)
        except ValueError as error:
            write(f"{error}.")
            continue
        if legal[action]:
            return action
        moves = " ".join(game.format_action(a) for a in np.flatnonzero(legal).tolist())
        write(f"{answer} cannot be played here; these can: {moves}.")
