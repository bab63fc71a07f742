"""Laws of play: starts, turns, rewards and ends, legal moves and illegal ones."""

import jax
import numpy as np

from azjax.games.game import State
from azjax.games.laws.law import BrokenLawError, Index, Law, Text, calling, require
from azjax.games.laws.playout import PURE, RESULT, Playout, batched, equal_leaves, slice_of
from azjax.games.state_text import field_name

_NUM_LEADS = 12  # ends whose lead is computed
_MOST_MOVES = 24  # at most so many moves of the games are tried


def check_moves(play: Playout) -> None:
    """Raises BrokenLawError unless legal play obeys the laws and illegal actions lose at once."""
    _check_states(play)
    _check_rewards(play)
    _check_lead(play)
    _check_turns(play)
    _check_illegal_actions(play)


def _check_states(play: Playout) -> None:
    """Checks how games start, who is to move, and that there are legal moves until the end."""
    start = slice_of(play.states, slice(0, 1))

    def found_at_start(index: Index) -> str:
        player, terminated, rewards = (getattr(start, name)[index] for name in RESULT)
        return (
            f"current_player is {player}, terminated is {terminated}, rewards are "
            f"{rewards.tolist()}"
        )

    holds = ~start.terminated & (start.current_player == 0) & ~start.rewards.any(axis=-1)
    play.require(Law.START, holds, found_at_start, "0, False and [0, 0]")
    player = play.states.current_player
    holds = (player == 0) | (player == 1)
    play.require(Law.PLAYER, holds, lambda i: f"current_player is {player[i]}", "0 or 1")
    over, num_legal = play.states.terminated, play.views.mask.sum(axis=-1)
    # A step that goes on after the end breaks the law of finished states, not this one.
    was_over = np.concatenate([np.zeros_like(over[:1]), np.logical_or.accumulate(over[:-1])])
    holds, found = over | (num_legal > 0) | was_over, "no action is legal and the game goes on"
    play.require(Law.LEGAL, holds, found, "a pass, as an action of its own, or the end of the game")
    play.require(
        Law.LEGAL,
        ~over | (num_legal == 0),
        lambda i: f"{num_legal[i]} actions are legal and the game is over",
        "none: mask & ~state.terminated",
    )


def _check_rewards(play: Playout) -> None:
    """Checks that rewards are of zero-sum games, at their ends alone, and that ends stay."""
    rewards, after = play.states.rewards, play.after
    play.require(
        Law.ZERO_SUM,
        (rewards.sum(axis=-1) == 0) & (abs(rewards) <= 1).all(axis=-1),
        lambda i: f"rewards are {rewards[i].tolist()}",
        "rewards [r0, r1] of player 0 and player 1: [1, -1], [0, 0] or [-1, 1]",
    )
    play.require(
        Law.REWARDS_AT_END,
        after.terminated | ~after.rewards.any(axis=-1),
        lambda i: f"rewards are {after.rewards[i].tolist()} and the game goes on",
        "[0, 0], or terminated",
        of_move=True,
    )
    before = play.before
    play.require(
        Law.ABSORBING,
        play.lasts | equal_leaves(before, after, 2),
        lambda i: f"step changes a finished state: {_difference(before, after, i)}",
        "jnp.where(state.terminated, old, new) in every field, as finish_step does",
        of_move=True,
    )


def _check_lead(play: Playout) -> None:
    ends = slice_of(play.states, -1)
    for i in np.flatnonzero(ends.terminated)[:_NUM_LEADS]:
        state = slice_of(ends, i)
        with calling(play.game, "lead", PURE, state):
            lead = play.game.lead(state)
        if lead is not None and np.sign(lead) != state.rewards[0]:
            found = f"lead is {float(lead):g} and rewards are {state.rewards.tolist()}"
            right = "by how much player 0 leads: more than 0 where it wins, 0 in a draw"
            raise BrokenLawError(play.game, Law.LEAD, found, right, state)


def _check_turns(play: Playout) -> None:
    """Checks that a move changes the state, that both players move in turns, and that games end."""
    before, after, lasts = play.before, play.after, play.lasts
    right = "another position, or at least the other player to move"
    changes = ~lasts | ~equal_leaves(before, after, 2)
    play.require(Law.CHANGE, changes, "the state is as before", right, of_move=True)
    player = before.current_player
    if len(lasts) > 1 and lasts[1].any() and not player[lasts].any():
        found = f"player 0 makes all {lasts.sum():,} moves of {lasts.shape[1]} games"
        right = "current_player changes as players move"
        raise BrokenLawError(play.game, Law.BOTH_MOVE, found, right)
    play.require(
        Law.TURNS,
        after.terminated | (after.current_player != player) | (not play.game.turns_alternate),
        lambda i: f"player {player[i]} is to move again",
        "1 - current_player, or turns_alternate = False where the rules are so",
        of_move=True,
    )
    most, over = play.game.max_moves, play.states.terminated
    play.require(
        Law.END,
        over | (np.arange(len(over)) != most)[:, None],
        f"a game goes on after max_moves = {most} moves",
        "a larger max_moves, or an end of the game, a draw say, at max_moves",
    )


def _difference(before: State, after: State, index: Index) -> str:
    """Returns the first field that differs, before and after."""
    leaves = zip(jax.tree.leaves_with_path(before), jax.tree.leaves(after), strict=True)
    for (path, old), new in leaves:
        if (old[index] != new[index]).any():
            return f"{field_name(path)} from {np.asarray(old[index])} to {np.asarray(new[index])}"
    return "nothing"


def _check_illegal_actions(play: Playout) -> None:
    """Tries the first and the last illegal action of positions, then three that do not exist."""
    num_actions, num_moves = play.game.num_actions, len(play.actions)
    moves = range(0, num_moves, 1 + num_moves // _MOST_MOVES)
    for move in moves:
        is_legal = play.views.mask[move]
        first, last = is_legal.argmin(axis=1), is_legal[:, ::-1].argmin(axis=1)
        for actions in (first, num_actions - 1 - last):
            _check_loses(play, move, actions, play.lasts[move] & ~is_legal.all(axis=1))
    for action in (-1, num_actions, num_actions + 1000):
        for move in moves:
            _check_loses(play, move, np.full_like(play.actions[move], action), play.lasts[move])


def _check_loses(play: Playout, move: int, actions: np.ndarray, is_tried: np.ndarray) -> None:
    """Checks that games are lost by illegal actions, and not by the legal ones of the playout.

    Actions [B] are taken at one move; `is_tried` [B] where the game lasts and they are illegal.
    """
    functions, actions = batched(play.game), actions.astype(np.int32)
    before, played = slice_of(play.before, move), slice_of(play.after, move)
    lost, mover = functions.step(before, actions), before.current_player
    again = functions.step(lost, np.zeros_like(actions))
    loss = np.where(np.arange(2) == mover[:, None], -1, 1)  # [B, 2] the rewards

    def require_tried(
        law: Law, holds: np.ndarray, found: Text, right: Text, moves: np.ndarray = actions
    ) -> None:
        require(play.game, law, holds | ~is_tried, found, right, before, moves)

    def found_kept(i: Index) -> str:
        what, rewards = "ends" if lost.terminated[i] else "goes on", lost.rewards[i].tolist()
        return f"the game {what} with rewards {rewards} where player {mover[i]} moved"

    require_tried(
        Law.ILLEGAL,
        lost.terminated & (lost.rewards == loss).all(axis=1),
        found_kept,
        lambda i: f"an end with {loss[i].tolist()}, for player 0 and player 1 (see finish_step)",
    )
    has_legal, found = functions.look(lost).mask.any(axis=1), "it is illegal and leaves legal moves"
    require_tried(Law.LEGAL, ~has_legal, found, "mask & ~terminated")
    absorbs, found = equal_leaves(lost, again, 1), "it is illegal, and another changes the state"
    require_tried(Law.ABSORBING, absorbs, found, "the lost state")
    require_tried(
        Law.LEGAL_ACCEPTED,
        ~equal_leaves(played, lost, 1),
        lambda i: f"it is legal and loses, as the illegal action {actions[i]} does",
        "a mask of the actions that step accepts, and no action that gives up",
        play.actions[move],
    )
