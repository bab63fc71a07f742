"""The section of a report about cells that come from presets of their own."""

import functools
from collections.abc import Iterator

import jax

from azjax.studies.study import Cell, Study
from azjax.support.files.tables import markdown_table
from azjax.training import init_train_state

_EXPLAIN = (
    "Batch is what one update learns from. Simulations are those of a move of self-play; a policy "
    "gradient's opponent makes them in the last round, and fewer before."
)


def preset_section(study: Study) -> Iterator[str]:
    """Yields a table of the cells' presets and sizes, if cells have presets of their own."""
    if not any(cell.preset for cell in study.cells):
        return
    header = ["cell", "preset", "parameters", "games", "moves", "simulations", "updates", "batch"]
    yield markdown_table(header, [_sizes(study, cell) for cell in study.cells])
    yield _EXPLAIN


def _sizes(study: Study, cell: Cell) -> list[str]:
    train = cell.config.train
    sizes = (
        _num_parameters(cell),
        train.num_games,
        train.num_moves,
        train.search.num_simulations,
        train.num_updates,
        train.batch_size,
    )
    return [cell.name, cell.preset or study.preset, *(f"{size:,}" for size in sizes)]


def _num_parameters(cell: Cell) -> int:
    """Returns the number of parameters of the network, which is not initialized for it."""
    init = functools.partial(init_train_state, cell.config.train)
    state = jax.eval_shape(init, jax.random.key(0))
    return sum(leaf.size for leaf in jax.tree.leaves(state.learner.variables.params))
