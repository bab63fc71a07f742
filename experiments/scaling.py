"""Answers: what does compute buy, and how is it best spent?

python experiments/scaling.py --game connect_four --seeds 2

It trains every combination of network sizes, lengths and simulations, each length with a schedule
of its own, and plays with several numbers of simulations. To the folder of the study it adds
laws.md and laws.png: the frontier of the errors over the operations of training, its exponents, the
best size for a budget, and what of training and search is worth the same. The defaults take three
hours on 2 cores for each seed. The same command resumes a stopped study; with --extend it adds
seeds, sizes or lengths.
"""

import dataclasses
import itertools
from typing import TYPE_CHECKING, Self

import jax
import numpy as np

from azjax.cli.output import console
from azjax.cli.study_script import run_study_script
from azjax.config.fields import with_fields
from azjax.config.limits import Limits
from azjax.studies.answers import Measured, measure_missing
from azjax.studies.held_out import answer_positions
from azjax.studies.laws import Laws, Trained, fit_laws, resample
from azjax.studies.number_format import percent, three_digits
from azjax.studies.options import StudyOptions, base_config, check_sizes, make_study
from azjax.studies.study import ELO, Cell, Panel, Study
from azjax.support.errors import input_errors
from azjax.support.files.atomic_files import write_figure, write_text_atomically
from azjax.support.files.tables import Row, markdown_table, read_table
from azjax.training import make_context
from azjax.training.operations import count_iteration

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.figure import Figure

_TEMPLATE = """\
# Scaling laws: {game}

![Errors over the operations of training, and of a move](figures/laws.png)

Along the frontier, with the range of 95% of the fits to resampled {resampled}, the frontier found
anew each time ({seeds} of each configuration; the range of few seeds is narrower than an interval):

{laws}

The frontier: the configurations with fewer errors of the network alone than all cheaper ones.

{frontier}

Operations are those of products in the network, counted in the program: an addition and a
multiplication are two. Errors are the share of {positions} in which the agent misses all best
moves. What training and search are worth is fitted to the frontier with all numbers of simulations
at play: log errors = a + b log(training) + c log(play). A fit over little more than a decade says
what holds within it.
"""


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Train all combinations of sizes, lengths and simulations, and fit laws to their results."""

    channels: tuple[int, ...] = (16, 32, 64)
    """Channels of the network."""
    lengths: tuple[int, ...] = (8, 16, 32, 64)
    """Iterations of a run, in place of minutes; the schedule ends with them."""
    simulations: tuple[int, ...] = (4, 16)
    """Numbers of simulations per move, in training."""
    play: tuple[int, ...] = (4, 16, 64)
    """Numbers of simulations at play, beside the network alone."""

    def __post_init__(self):
        super().__post_init__()
        for name in ("channels", "lengths", "simulations", "play"):
            check_sizes(name, getattr(self, name))
        if self.iterations is not None or self.minutes != StudyOptions.minutes:
            raise ValueError("minutes and iterations: leave them out; --lengths has them")

    @property
    def limits(self) -> Limits:
        """The longest length."""
        return Limits(iterations=max(self.lengths))

    @classmethod
    def quick_defaults(cls) -> Self:
        """Returns the defaults with --quick: two values of each size."""
        sizes = {"channels": (16, 64), "lengths": (3, 12), "simulations": (2, 8), "play": (4,)}
        return cls(game="tic_tac_toe", seeds=2, evaluate_every=3, **sizes)


def design(options: Options) -> Study:
    """Returns a study with a panel for each length and number of simulations, by network size."""
    base, cells, panels = base_config(options.game), [], []
    for length, n in itertools.product(options.lengths, options.simulations):
        lines = {}
        for channels in options.channels:
            with input_errors():
                fields = {"network.channels": channels, "search.num_simulations": n}
                config = with_fields(base, fields)
                if np.isnan(sum(count_iteration(config.train))):
                    raise ValueError(f"game={options.game}: its program does not tell operations")
            factors = {"channels": channels, "length": length, "num_simulations": n}
            name = f"channels_{channels}_length_{length}_simulations_{n}"
            cells.append(Cell(name, factors, config, limits=Limits(iterations=length)))
            lines[f"{channels} channels"] = name
        panels.append(Panel(f"{length} iterations, {n} simulations", lines))
    return make_study(__file__, options, cells, panels)


def report_laws(study: Study, options: Options) -> None:
    """Writes laws.md and its figure, from the finished study."""
    cells = _measure(study, options.play)
    is_sample = not study.positions.is_complete
    laws, ranges = fit_laws(cells), resample(cells, is_sample=is_sample)
    (study.path / "figures").mkdir(exist_ok=True)
    write_figure(_plot(cells, laws), study.path / "figures" / "laws.png", dpi=200)
    text = _TEMPLATE.format(
        game=study.preset,
        seeds=f"{study.num_seeds} seeds" if study.num_seeds > 1 else "one seed",
        laws=_law_table(laws, ranges),
        resampled="seeds and positions" if is_sample else "seeds",
        frontier=_frontier_table([cells[i] for i in laws.frontier], options.play),
        positions=f"{len(study.positions.is_best):,} positions ({study.positions.description})",
    )
    write_text_atomically(study.path / "laws.md", text)
    console.print(f"{study.path}/laws.md", soft_wrap=True)


def _measure(study: Study, play: tuple[int, ...]) -> list[Trained]:
    """Returns what each configuration's last networks miss, by the number of simulations."""
    finals = read_table(study.path / "final.csv")
    answers = [_answers(study, finals, n) for n in play]
    by_play = [[x["network"] for x in answers[0]], *([x["search"] for x in a] for a in answers)]
    wrong = ~np.array(by_play)  # [N, runs, P]
    cells = []
    for cell in study.cells:
        of_cell = [i for i, row in enumerate(finals) if row["cell"] == cell.name]
        train = cell.config.train
        operations = count_iteration(train)
        evaluation = operations.self_play / train.positions_per_iteration
        evaluation /= 1 + train.search.num_simulations
        parameters = jax.tree.leaves(make_context(train).network.shapes.params)
        cells.append(
            Trained(
                f"{cell.factors['channels']} channels, {cell.factors['length']} iterations, "
                f"{cell.factors['num_simulations']} simulations",
                sum(x.size for x in parameters),
                sum(operations) * int(cell.factors["length"]),
                evaluation * np.array([1, *(1 + n for n in play)]),
                wrong[:, of_cell],
                np.array([finals[i][ELO] for i in of_cell], float),
            )
        )
    return cells


def _answers(study: Study, finals: list[Row], num_simulations: int) -> list[Measured]:
    """Returns which positions the last networks know, alone and with a search."""

    def measure(row: Row) -> Measured:
        return answer_positions(study.agent_name(row), study.positions, num_simulations)

    name = f"play_{num_simulations}.jsonl"
    return measure_missing(study, name, study.positions, finals, measure, console)


def _law_table(laws: Laws, ranges: dict[str, tuple[float, float]]) -> str:
    meaning = {
        "errors": "errors of the network alone fall as the operations of training to the power of",
        "elo": "Elo for ten times the operations of training",
        "size": "the best number of parameters grows as the operations to the power of",
        "trade": "ten times the operations of training are worth those of play times",
    }
    rows = []
    for name, text in meaning.items():
        (low, high), found = ranges[name], getattr(laws, name)
        fit = f"{found:.3g} ({low:.3g} to {high:.3g})"
        rows.append([text, "too few configurations" if np.isnan(found) else fit])
    return markdown_table(["law", "fit"], rows)


def _frontier_table(frontier: list[Trained], play: tuple[int, ...]) -> str:
    header = ["operations", "configuration", "parameters", "Elo", "errors of the network"]
    return markdown_table(
        [*header, *(f"with {n} simulations" for n in play)],
        [
            [f"{x.training:.2e}", x.name, f"{x.parameters:,}", three_digits(x.elo.mean())]
            + [percent(share) for share in x.wrong.mean(axis=(1, 2))]
            for x in frontier
        ],
    )


def _plot(cells: list[Trained], laws: Laws) -> "Figure":
    """Returns the errors over the operations of training, and the frontier's over those of play."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for size in dict.fromkeys(cell.parameters for cell in cells):
        of_size = [cell for cell in cells if cell.parameters == size]
        x = [cell.training for cell in of_size]
        left.plot(x, [cell.errors[0] for cell in of_size], "o", label=f"{size:,} parameters")
    frontier = [cells[i] for i in laws.frontier]
    x = [cell.training for cell in frontier]
    left.plot(x, [cell.errors[0] for cell in frontier], "k-", label="frontier")
    for cell in frontier:
        right.plot(cell.play, cell.errors, "o-", label=cell.name)
    left.set(xlabel="operations of training", ylabel="errors", title="network alone")
    right.set(xlabel="operations of a move", title="frontier, more simulations at play")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=5, frameon=False)
    return figure


def main(arguments: list[str] | None = None) -> None:
    """Runs the study of the arguments, then fits the laws."""
    run_study_script(Options, design, __file__, arguments, then=report_laws)


if __name__ == "__main__":
    main()
