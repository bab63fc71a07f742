"""Laws of legal play: starts, turns, rewards and ends."""

import jax
import numpy as np

from azjax.games.laws.functions import PURE
from azjax.games.laws.law import Law, broken, calling
from azjax.games.laws.playout import Playout, equal_leaves, first_breach, slice_of

_NUM_LEADS = 12  # ends whose lead is computed
_BY_PLAYER = "rewards [r0, r1] of player 0 and player 1: [1, -1], [0, 0] or [-1, 1]"


def check_play(play: Playout) -> None:
    """Checks the laws of legal play.

    Raises:
      BrokenLawError: A law is broken.
    """
    for check in (
        _check_start,
        _check_player,
        _check_legal,
        _check_zero_sum,
        _check_rewards_at_end,
        _check_absorbing,
        _check_lead,
        _check_change,
        _check_both_move,
        _check_turns,
        _check_end,
    ):
        check(play)


def _check_start(play: Playout) -> None:
    start = slice_of(play.states, slice(0, 1))
    holds = ~start.terminated & (start.current_player == 0) & ~start.rewards.any(axis=-1)
    if index := first_breach(holds):
        wrong = slice_of(start, index)
        found = (
            f"current_player is {wrong.current_player}, terminated is {wrong.terminated}, "
            f"rewards are {wrong.rewards.tolist()}"
        )
        raise play.broken(Law.START, index, found, "0, False and [0, 0]")


def _check_player(play: Playout) -> None:
    player = play.states.current_player
    if index := first_breach((player == 0) | (player == 1)):
        found = f"current_player is {player[index]}"
        raise play.broken(Law.PLAYER, index, found, "0 or 1")


def _check_legal(play: Playout) -> None:
    over, num_legal = play.states.terminated, play.views.mask.sum(axis=-1)
    # A step that goes on after the end breaks the law of finished states, not this one.
    if index := first_breach(over | (num_legal > 0) | ~play.is_reached):
        right = "a pass, as an action of its own, or the end of the game"
        raise play.broken(Law.LEGAL, index, "no action is legal and the game goes on", right)
    if index := first_breach(~over | (num_legal == 0)):
        found = f"{num_legal[index]} actions are legal and the game is over"
        raise play.broken(Law.LEGAL, index, found, "none: mask & ~state.terminated")


def _check_zero_sum(play: Playout) -> None:
    rewards = play.states.rewards
    if index := first_breach((rewards.sum(axis=-1) == 0) & (abs(rewards) <= 1).all(axis=-1)):
        found = f"rewards are {rewards[index].tolist()}"
        raise play.broken(Law.ZERO_SUM, index, found, _BY_PLAYER)


def _check_rewards_at_end(play: Playout) -> None:
    after = play.after
    if index := first_breach(after.terminated | ~after.rewards.any(axis=-1)):
        found = f"rewards are {after.rewards[index].tolist()} and the game goes on"
        raise play.broken_by_move(Law.REWARDS_AT_END, index, found, "[0, 0], or terminated")


def _check_absorbing(play: Playout) -> None:
    before, after = play.before, play.after
    if index := first_breach(play.lasts | equal_leaves(before, after, num_axes=2)):
        found = f"step changes a finished state: {_difference(before, after, index)}"
        right = "jnp.where(state.terminated, old, new) in every field, as finish_step does"
        raise play.broken_by_move(Law.ABSORBING, index, found, right)


def _check_lead(play: Playout) -> None:
    last = len(play.states.terminated) - 1
    for game in np.flatnonzero(play.states.terminated[last])[:_NUM_LEADS].tolist():
        state = slice_of(play.states, (last, game))
        with calling(play.game, "lead", PURE, state):
            lead = play.game.lead(state)
        if lead is not None and np.sign(lead) != state.rewards[0]:
            found = f"lead is {float(lead):g} and rewards are {state.rewards.tolist()}"
            right = "by how much player 0 leads: more than 0 where it wins, 0 in a draw"
            raise play.broken(Law.LEAD, (last, game), found, right)


def _check_change(play: Playout) -> None:
    changes = ~equal_leaves(play.before, play.after, num_axes=2)
    if index := first_breach(~play.lasts | changes):
        right = "another position, or at least the other player to move"
        raise play.broken_by_move(Law.CHANGE, index, "the state is as before", right)


def _check_both_move(play: Playout) -> None:
    movers = play.before.current_player[play.lasts]
    if len(play.lasts) > 1 and play.lasts[1].any() and not movers.any():
        found = f"player 0 makes all {len(movers):,} moves of {play.lasts.shape[1]} games"
        raise broken(play.game, Law.BOTH_MOVE, found, "current_player changes as players move")


def _check_turns(play: Playout) -> None:
    after = play.after
    alternates = after.terminated | (after.current_player != play.before.current_player)
    if play.game.turns_alternate and (index := first_breach(alternates)):
        found = f"player {after.current_player[index]} is to move again"
        right = "1 - current_player, or turns_alternate = False where the rules are so"
        raise play.broken_by_move(Law.TURNS, index, found, right)


def _check_end(play: Playout) -> None:
    most = play.game.max_moves
    over = play.states.terminated[most : most + 1]
    if index := first_breach(over):
        found = f"a game goes on after max_moves = {most} moves"
        right = "a larger max_moves, or an end of the game, a draw say, at max_moves"
        raise play.broken(Law.END, (most, index[1]), found, right)


def _difference(before: object, after: object, index: tuple[int, int]) -> str:
    """Returns the first field that differs, before and after."""
    leaves = zip(jax.tree.leaves_with_path(before), jax.tree.leaves(after), strict=True)
    for (path, old), new in leaves:
        if (old[index] != new[index]).any():
            name = jax.tree_util.keystr(path, simple=True, separator=".")
            return f"{name} from {np.asarray(old[index])} to {np.asarray(new[index])}"
    return "nothing"
