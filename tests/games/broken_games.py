"""Games of Nim with one fault each, by the law that the fault breaks.

Each is a mistake that people make who write a game; its docstring, or else its name, says which.
"""

import functools
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.games import Game, Symmetries, rewards_of
from azjax.games.laws import Law

from .nim import Nim, NimState


def choose(condition, on_true, on_false):
    return jax.tree.map(lambda x, y: jnp.where(condition, x, y), on_true, on_false)


def lost(state):
    """Returns the state that the mover has lost."""
    rewards = rewards_of(state.current_player, -1)
    return state._replace(
        current_player=1 - state.current_player, terminated=jnp.array(True), rewards=rewards
    )


class SymmetricNim(Nim):
    """Nim without a fault, whose two heaps may be swapped."""

    symmetries = Symmetries(
        cells=np.array([[0, 1], [1, 0]], np.int32),
        actions=np.array([[0, 1, 2, 3], [2, 3, 0, 1]], np.int32),
    )


class Misere(Nim):
    """Nim without a fault, in which the last object loses."""

    def step(self, state, action):
        played = super().step(state, action)
        is_end = played.terminated & ~state.terminated & self.is_legal(state, action)
        return played._replace(rewards=jnp.where(is_end, -played.rewards, played.rewards))


class Drawn(Nim):
    """Nim without a fault but that the last object wins nothing."""

    def step(self, state, action):
        after = super().step(state, action)
        return choose((after.heaps == 0).all(), after._replace(rewards=0 * after.rewards), after)


# What is declared


class Plain(Game[NimState]):
    name, heaps = "plain", (2, 2)
    num_actions, observation_shape, max_moves = Nim.num_actions, Nim.observation_shape, 4
    init, step, take = Nim.init, Nim.step, Nim.take
    legal_action_mask, observe = Nim.legal_action_mask, Nim.observe


class FlatObservation(Nim):
    observation_shape = (2, 1)


class KeepsATracer(Nim):
    """An array that is made while step is traced, and kept."""

    @functools.cached_property
    def objects(self):
        return jnp.arange(1, 3)

    def step(self, state, action):
        after = super().step(state, action)
        return after._replace(heaps=after.heaps * (self.objects[0] > 0))


class PythonIf(Nim):
    def step(self, state, action):
        return super().step(state, action) if action >= 0 else lost(state)


class Int32Rewards(Nim):
    def init(self, key):
        return super().init(key)._replace(rewards=jnp.zeros(2, jnp.int32))


class PythonPlayer(Nim):
    def init(self, key):
        return super().init(key)._replace(current_player=0)


class Int32Heaps(Nim):
    def take(self, state, action):
        return super().take(state, action).astype(jnp.int32)


class IntMask(Nim):
    def legal_action_mask(self, state):
        return super().legal_action_mask(state).astype(jnp.int8)


class IntObservation(Nim):
    def observe(self, state):
        return state.heaps[None, :, None]


# Play


class SecondPlayerStarts(Nim):
    def init(self, key):
        return super().init(key)._replace(current_player=jnp.int8(1))


class ThirdPlayer(Nim):
    def step(self, state, action):
        after = super().step(state, action)
        return after._replace(current_player=state.current_player + jnp.int8(1))


class NeverEnds(Nim):
    """No end where no object is left."""

    def step(self, state, action):
        after = super().step(state, action)
        is_lost = after.rewards[state.current_player] == -1
        return choose(is_lost, after, after._replace(terminated=jnp.array(False), rewards=0))


class BothWin(Nim):
    def step(self, state, action):
        after = super().step(state, action)
        return after._replace(rewards=jnp.abs(after.rewards))


class RewardsInMidGame(Nim):
    """A reward for each object."""

    def step(self, state, action):
        after = super().step(state, action)
        points = rewards_of(state.current_player, 1)
        return after._replace(rewards=jnp.where(after.terminated, after.rewards, points))


class NoAbsorbingEnd(Nim):
    def finish_step(self, state, action, played):
        return choose(self.is_legal(state, action), played, lost(state))


class LeadOfTheMover(Nim):
    def lead(self, state):
        return 1.0 - 2.0 * state.current_player


class AcceptsIllegalActions(Nim):
    def finish_step(self, state, action, played):
        return choose(state.terminated, state, played)


class RewardsByMover(Nim):
    """Rewards of the mover and of the opponent, in this order."""

    def finish_step(self, state, action, played):
        after = super().finish_step(state, action, played)
        by_mover = after.rewards * (1 - 2 * state.current_player)
        return after._replace(rewards=jnp.where(state.terminated, state.rewards, by_mover))


class NegativeActionWraps(Nim):
    """The mask at -1 is that of the last action."""

    def is_legal(self, state, action):
        return self.legal_action_mask(state)[action]


class MovesAfterIllegalAction(Nim):
    """The mask looks at the heaps alone; all are empty after the last object, and only then."""

    def legal_action_mask(self, state):
        return (state.heaps[:, None] > jnp.arange(2)[None, :]).reshape(-1)


class MaskAndStepDisagree(Nim):
    def is_legal(self, state, action):
        return super().is_legal(state, action) & (action != 1)


class IdleMove(Nim):
    """The first action does nothing in the starting position."""

    def step(self, state, action):
        is_idle = (action == 0) & (state.heaps == 2).all()
        return choose(is_idle, state, super().step(state, action))


class OnePlayer(Nim):
    def step(self, state, action):
        after = super().step(state, action)
        return after._replace(current_player=state.current_player)


class ShortMaxMoves(Nim):
    max_moves = 3


# Positions


class NotANumber(Nim):
    """Shares of the objects that are left, of none in the end."""

    def observe(self, state):
        return super().observe(state) / state.heaps.sum()


class Blind(Nim):
    def observe(self, state):
        return 0 * super().observe(state)


class WinsByMover(Nim):
    """Rewards by mover, of wins alone."""

    def step(self, state, action):
        after = super().step(state, action)
        is_won = (after.heaps == 0).all() & ~state.terminated
        return after._replace(rewards=jnp.where(is_won, rewards_of(0, 1), after.rewards))


class SeenWinsByMover(WinsByMover):
    """The same, where the observation shows who moves: that player 0 always wins may be a rule."""

    def observe(self, state):
        return super().observe(state) * (1 - 2 * state.current_player)


class FewPositions(Nim):
    max_positions = 5.0


class ForgetsHeaps(Nim):
    def without_move_count(self, state):
        return state._replace(heaps=jnp.minimum(state.heaps, 1))


class CountedState(NamedTuple):
    heaps: chex.Array
    num_moves: chex.Array
    current_player: chex.Array
    terminated: chex.Array
    rewards: chex.Array


class CountDecides(Nim):
    """The second and the third move are one player's, by what is said to be a mere count."""

    turns_alternate = False

    def init(self, key):
        return CountedState(num_moves=jnp.int8(0), **super().init(key)._asdict())

    def step(self, state, action):
        mover = state.current_player
        played = state._replace(
            heaps=self.take(state, action),
            num_moves=state.num_moves + jnp.int8(1),
            current_player=jnp.where(state.num_moves == 1, mover, 1 - mover),
        )
        won = (played.heaps == 0).all()
        played = played._replace(terminated=won, rewards=rewards_of(mover, won))
        return self.finish_step(state, action, played)

    def without_move_count(self, state):
        return state._replace(num_moves=jnp.int8(0))


# Symmetries


def with_symmetries(cells, actions):
    class WrongSymmetries(Nim):
        symmetries = Symmetries(np.array(cells, np.int32), np.array(actions, np.int32))

    return WrongSymmetries()


IDENTITY = [0, 1, 2, 3]


# Batches


class CountsTraces(Nim):
    """The observation depends on how often Python has run the function."""

    traces: list = []  # noqa: RUF012

    def observe(self, state):
        self.traces.append(state)
        return super().observe(state) * len(self.traces)


# Text


class SameWord(Nim):
    def format_action(self, action):
        return "take"


class ForgetsResult(Nim):
    """A finished position is read as an unfinished one."""

    def parse_state(self, text):
        state = super().parse_state(text)
        return state._replace(terminated=jnp.array(False), rewards=jnp.zeros(2, jnp.int8))


class TwoLines(Nim):
    def format_state(self, state):
        return super().format_state(state).replace(" ", "\n")


class ParsesActionsByIndex(Nim):
    def parse_action(self, text):
        return {"0": 0, "1": 1, "2": 2, "3": 3}[text]


class ParsesAnything(Nim):
    def parse_state(self, text):
        return super().parse_state(text) if text.startswith("heaps") else self.init(None)


class TakesTwice(Nim):
    """Whoever takes two objects moves again."""

    def step(self, state, action):
        after = super().step(state, action)
        again = ~after.terminated & (action % 2 == 1)
        mover = jnp.where(again, state.current_player, after.current_player)
        return after._replace(current_player=mover)


# A game, the law it breaks, and what the error must contain.
BROKEN_GAMES = [
    (Plain(), Law.STATIC, "Plain is no frozen dataclass"),
    (Nim(heaps=[2, 2]), Law.STATIC, "raises TypeError: unhashable type: 'list'"),
    (Nim(name=None), Law.SIZES, "it has no name"),
    (FlatObservation(), Law.SIZES, "observation_shape is (2, 1)"),
    (KeepsATracer(), Law.RUNS, "step raises UnexpectedTracerError"),
    (PythonIf(), Law.RUNS, "step raises TracerBoolConversionError: Attempted boolean"),
    (Int32Rewards(), Law.STATE, "rewards is int32[2]; right: rewards int8[2]"),
    (PythonPlayer(), Law.STATE, "current_player is int32[] of weak type"),
    (Int32Heaps(), Law.STRUCTURE, "heaps is int8[2] after init and int32[2] after step"),
    (IntMask(), Law.MASK, "returns int8[4]; right: bool[4]"),
    (IntObservation(), Law.OBSERVATION, "returns int8[1,2,1]; right: float32[1,2,1]"),
    (SecondPlayerStarts(), Law.START, "current_player is 1"),
    (ThirdPlayer(), Law.PLAYER, "current_player is 2"),
    (NeverEnds(), Law.LEGAL, "no action is legal and the game goes on, in position 'heaps=0,0"),
    (BothWin(), Law.ZERO_SUM, "rewards are [1, 1]"),
    (RewardsInMidGame(), Law.REWARDS_AT_END, "rewards are [1, -1] and the game goes on, after"),
    (NoAbsorbingEnd(), Law.ABSORBING, "step changes a finished state: current_player from"),
    (LeadOfTheMover(), Law.LEAD, "1 and rewards are ["),
    (AcceptsIllegalActions(), Law.ILLEGAL, "goes on with rewards [0, 0] where player"),
    (RewardsByMover(), Law.ILLEGAL, "ends with rewards [-1, 1] where player 1 moved"),
    (NegativeActionWraps(), Law.ILLEGAL, "after move -1 (no action)"),
    (MovesAfterIllegalAction(), Law.LEGAL, "it is illegal and leaves legal moves"),
    (MaskAndStepDisagree(), Law.LEGAL_ACCEPTED, "it is legal and loses"),
    (IdleMove(), Law.CHANGE, "the state is as before, after move 0"),
    (OnePlayer(), Law.BOTH_MOVE, "player 0 makes all"),
    (TakesTwice(), Law.TURNS, "is to move again"),
    (ShortMaxMoves(), Law.END, "a game goes on after max_moves = 3 moves, in position"),
    (NotANumber(), Law.FINITE, "an observation has nan"),
    (Blind(), Law.DISTINCT, "positions have the same observation"),
    (WinsByMover(), Law.DECISIVE, "with the same observation in 'heaps="),
    (FewPositions(), Law.MAX_POSITIONS, "and max_positions is 5;"),
    (ForgetsHeaps(), Law.MOVE_COUNT, "it changes the legal actions"),
    (CountDecides(), Law.MOVE_COUNT, "the move leads to another position where no moves are"),
    (with_symmetries([[0, 0]], [IDENTITY]), Law.SYMMETRIES, "cells[0] is no permutation"),
    (
        with_symmetries([[0, 1], [1, 0]], [IDENTITY, [1, 2, 3, 0]]),
        Law.SYMMETRIES,
        "1 after 1 is none of them",
    ),
    (
        with_symmetries([[0, 1], [1, 0]], [IDENTITY, [1, 0, 3, 2]]),
        Law.SYMMETRIC_PLAY,
        "under a symmetry (actions [1, 0, 3, 2]) the legal actions differ",
    ),
    (CountsTraces(), Law.BATCH, "observe gives"),
    (SameWord(), Law.ACTION_TEXT, "actions 0 and 1 are both 'take'"),
    (ForgetsResult(), Law.STATE_TEXT, "it parses terminated as False, not True, in position"),
    (TwoLines(), Law.STATE_TEXT, "format_state gives 'heaps=2,2\\ncurrent_player=0'"),
    (ParsesActionsByIndex(), Law.OTHER_TEXT, "parse_action('') raises KeyError"),
    (ParsesAnything(), Law.OTHER_TEXT, "parse_state('') is NimState("),
]
