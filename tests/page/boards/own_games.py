"""Games as a user writes them, of which the boards know nothing."""

import dataclasses

import jax.numpy as jnp

from azjax.games import grid
from azjax.games.line_game import LineGame

SCRIPT = "<script>alert('&')</script>"


@dataclasses.dataclass(frozen=True)
class OwnGame(LineGame):
    """A stone goes on any empty cell; cells are named as in most games."""

    rows: int = 3
    columns: int = 4
    length: int = 3
    name: str = SCRIPT

    @property
    def num_actions(self):
        return self.rows * self.columns

    def stone_mask(self, state, action):
        return (jnp.arange(self.num_actions) == action).reshape(self.rows, self.columns)

    def legal_action_mask(self, state):
        return (state.board == grid.EMPTY).reshape(-1) & ~state.terminated

    def format_action(self, action):
        return grid.format_cell(action, self.columns)


@dataclasses.dataclass(frozen=True)
class OwnNames(OwnGame):
    """The same, with moves in a notation of its own."""

    def format_action(self, action):
        return f"<{int(action)}>"

    def render(self, state):
        return f"{SCRIPT}\n\x1b[1m  bold"


@dataclasses.dataclass(frozen=True)
class OwnLines(OwnGame):
    """The same, with positions in a notation of its own."""

    def format_state(self, state):
        return SCRIPT

    def render(self, state):
        return SCRIPT
