"""The coin game: players take one or two coins in turn, and the last coin wins."""

import dataclasses
from typing import NamedTuple

import chex
import jax.numpy as jnp

from azjax.games import grid
from azjax.games.game import Game, common_fields, rewards_of


class CoinsState(NamedTuple):
    """A position."""

    coins: chex.Array  # [] int8, the number of coins left
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class Coins(Game[CoinsState]):
    """The game that begins with `coins` coins; action a takes a + 1 coins, at most `take`."""

    coins: int = 21
    take: int = 2
    name: str = "coins"
    version: int = 1

    def __post_init__(self):
        if not 1 <= self.coins <= 127:
            raise ValueError(f"coins={self.coins}: must be 1 to 127")
        if not 1 <= self.take <= self.coins:
            raise ValueError(f"take={self.take}: must be 1 to {self.coins}, the number of coins")

    @property
    def num_actions(self) -> int:
        return self.take

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        return 1, self.coins, 1

    @property
    def max_moves(self) -> int:
        return self.coins

    @property
    def max_positions(self) -> float:
        """Twice the numbers of coins: either player may be to move."""
        return 2.0 * (self.coins + 1)

    def init(self, key: chex.PRNGKey) -> CoinsState:
        """Returns the state with all coins; the key is not used."""
        return CoinsState(coins=jnp.int8(self.coins), **common_fields())

    def step(self, state: CoinsState, action: chex.Numeric) -> CoinsState:
        """Returns the state after the player to move has taken `action + 1` coins."""
        left = (state.coins - action - 1).astype(jnp.int8)
        won = left == 0
        played = CoinsState(
            coins=left,
            current_player=1 - state.current_player,
            terminated=won,
            rewards=rewards_of(state.current_player, won),
        )
        return self.finish_step(state, action, played)

    def legal_action_mask(self, state: CoinsState) -> chex.Array:
        """Returns bool[A]: the actions that take no more coins than are left."""
        return (jnp.arange(self.num_actions) < state.coins) & ~state.terminated

    def observe(self, state: CoinsState) -> chex.Array:
        """Returns float32[1, coins, 1]: the number of coins left, one-hot; zeros where none is."""
        is_last = jnp.arange(self.coins) == state.coins - 1
        return is_last.astype(jnp.float32)[None, :, None]

    def format_action(self, action: int) -> str:
        """Returns the number of coins taken."""
        return str(int(action) + 1)

    def format_state(self, state: CoinsState) -> str:
        """Returns the coins left and the side to move, such as `21 X`."""
        return f"{int(state.coins)} {grid.SYMBOLS[int(state.current_player)]}"

    def parse_state(self, text: str) -> CoinsState:
        """Returns the state of a line such as `21 X`; at 0 coins the side not to move has won."""
        count, _, side = text.strip().partition(" ")
        if not count.isdecimal() or int(count) > self.coins or side not in ("X", "O"):
            raise ValueError(
                f"position {text!r} is not a number, 0 to {self.coins}, and the side to move, "
                f"as in '{self.coins} X'"
            )
        player, terminated = "XO".index(side), int(count) == 0
        reward = 2 * player - 1 if terminated else 0
        return CoinsState(jnp.int8(int(count)), **common_fields(player, terminated, reward))

    def render(self, state: CoinsState) -> str:
        """Returns the number of coins left, and a row of them."""
        left = int(state.coins)
        return f"{left} left: {'o ' * left}".rstrip()
