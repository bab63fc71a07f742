"""Start positions from a file of openings, one position a line."""

import dataclasses
import pathlib
from typing import Annotated

import jax
import jax.numpy as jnp

from azjax.support.component import register
from azjax.support.ranges import Range
from azjax.support.validation import check_share
from azjax.training import Part
from azjax.training.selfplay import replace_where


@register
@dataclasses.dataclass(frozen=True)
class Openings(Part):
    """Games that begin from positions of a file, which a resumed run reads again."""

    name = "openings"

    file: str = "openings.txt"
    """The file: a position a line, as `azjax play` takes them."""
    share: Annotated[float, Range(0.05, 1.0)] = 0.5
    """Share of the games that begin from one of them."""

    def check(self):
        """Raises ValueError if the share is out of range."""
        check_share("share", self.share)

    def init(self, context):
        """Returns the states [N, ...]; raises ValueError without a file of positions that go on."""
        try:
            lines = pathlib.Path(self.file).read_text().splitlines()
            with jax.ensure_compile_time_eval():
                states = [context.game.parse_state(line) for line in filter(None, lines)]
        except (OSError, ValueError) as error:
            raise ValueError(f"openings.file={self.file}: {error}") from None
        if not states or any(state.terminated for state in states):
            raise ValueError(f"openings.file={self.file}: must have positions that go on")
        return jax.tree.map(lambda *x: jnp.stack(x), *states)

    def start(self, context, state, keys, inner):
        """Returns the states [B], some of them from the file."""
        share_keys, keys = jax.vmap(jax.random.split, out_axes=1)(keys)
        is_opening = jax.vmap(jax.random.uniform)(share_keys) < self.share
        number = jax.vmap(lambda key: jax.random.randint(key, (), 0, len(state.terminated)))(keys)
        return replace_where(is_opening, inner(), jax.tree.map(lambda x: x[number], state))
