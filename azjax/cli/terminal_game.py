"""A person plays against an agent in the terminal."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from azjax.agents.agent import Agent
from azjax.games import Game
from azjax.search import SearchResult, evaluate_with_network, rules_model, search

_TOP_MOVES = 3


def play_in_terminal(
    agent: Agent, ask: Callable[[str], str], tell: Callable[[str], None], seat: int | None
) -> None:
    """Plays one game.

    Args:
      agent: The opponent.
      ask: Prints a question and returns a line of answer.
      tell: Prints lines.
      seat: The person's, 0 to move first; None asks for it.

    Raises:
      EOFError: The person has gone.
    """
    game, think = agent.game, _compile_search(agent)
    if seat is None:
        seat = _ask_seat(ask, tell)
    step = jax.jit(game.step)
    state = game.init(jax.random.key(0))
    while not state.terminated:
        tell(f"\n{game.render(state)}\n")
        if int(state.current_player) == seat:
            action = _ask_move(game, state, ask, tell)
        else:
            result = think(state)
            action = int(result.action[0])
            tell(describe_search(game, result))
        state = step(state, action)
    reward = int(state.rewards[seat])
    tell(f"\n{game.render(state)}\n\n{('Draw.', 'You win.', 'You lose.')[reward]}")


def describe_search(game: Game, result: SearchResult) -> str:
    """Returns the move, the agent's expectation, and the moves that its search looked at most.

    The policy is the search's; Gumbel visits its last candidates equally often, whatever it is.
    """
    weights = np.asarray(result.action_weights[0])
    visits = np.asarray(result.tree.summary().visit_counts[0])
    top = [a for a in np.lexsort((-weights, -visits))[:_TOP_MOVES] if visits[a] > 0]
    value = round(float(result.value[0]), 2) + 0.0  # which makes -0.0 a plain zero
    moves = ", ".join(
        f"{game.format_action(a)} (policy {weights[a]:.0%}, {int(visits[a])} visits)" for a in top
    )
    return (
        f"azjax plays {game.format_action(int(result.action[0]))}; "
        f"value for azjax {value:+.2f} (-1 loss, +1 win); top moves: {moves}"
    )


def _compile_search(agent: Agent) -> Callable[[Any], SearchResult]:
    model = rules_model(agent.game, evaluate_with_network(agent.game, agent.network))

    @jax.jit
    def think(variables, state):
        states = jax.tree.map(lambda x: jnp.asarray(x)[None], state)
        keys = jax.random.split(jax.random.key(0), 1)
        return search(model, agent.search, agent.hyperparameters, variables, keys, states)

    return lambda state: think(agent.variables, state)


def _ask(question: str, ask: Callable[[str], str]) -> str:
    answer = ask(question).strip()
    if answer.lower() in ("q", "quit"):
        raise EOFError
    return answer


def _ask_seat(ask: Callable[[str], str], tell: Callable[[str], None]) -> int:
    while True:
        answer = _ask("Do you move first (1, as X) or second (2, as O; q leaves)? ", ask)
        if answer in ("1", "2"):
            return int(answer) - 1
        tell(f"{answer!r} is not a seat: write 1 to move first or 2 to move second.")


def _ask_move(
    game: Game, state: Any, ask: Callable[[str], str], tell: Callable[[str], None]
) -> int:
    legal = np.asarray(game.legal_action_mask(state))
    while True:
        answer = _ask("Your move (q leaves): ", ask)
        try:
            action = game.parse_action(answer)
        except ValueError as error:
            tell(f"{error}.")
            continue
        if legal[action]:
            return action
        moves = " ".join(game.format_action(a) for a in np.flatnonzero(legal))
        tell(f"{answer} cannot be played here; these can: {moves}.")
