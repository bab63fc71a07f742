"""What a search returns, whatever the algorithm."""

from typing import NamedTuple

import chex
import mctx


class SearchResult(NamedTuple):
    """The outcome of B searches."""

    action: chex.Array  # [B] int32, the action to play
    action_weights: chex.Array  # [B, A] float32, what the policy learns; 0 on illegal actions
    value: chex.Array  # [B] float32, the root's value from the view of the player to move
    tree: mctx.Tree  # [B, N, ...]
