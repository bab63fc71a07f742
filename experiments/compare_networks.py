"""Answers: which network is best at equal training time?

python experiments/compare_networks.py --game connect_four --seeds 5 --minutes 20

It trains an MLP, a convolutional network and a residual network from several seeds each, and writes
tables, figures and report.md to studies/compare_networks_GAME. It takes 3 x seeds x minutes: 5
hours with 5 seeds and 20 minutes. --quick takes a few minutes. The same command resumes a stopped
study; with --extend it adds seeds or minutes.

With --replay FILE.npz, which `azjax export RUN --games FILE.npz` writes, nothing is played: all
networks learn from the same positions, with --iterations by as many updates on the same batches.
"""

import dataclasses

from azjax.cli.study_script import run_study_script
from azjax.config.fields import with_fields
from azjax.config.run_config import RunConfig
from azjax.runs.replay_file import read_replay
from azjax.studies.options import StudyOptions, base_config, make_study
from azjax.studies.study import Cell, Panel, Study
from azjax.support.errors import input_errors

NETWORKS = {
    "mlp": {"channels": 256, "blocks": 2},
    "convnet": {"channels": 64},
    "resnet": {"channels": 32, "blocks": 3},
}
WIDE_HEADS = {"policy_planes": 8, "value_planes": 8, "value_features": 256}


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Train each network for the same time, with everything else equal."""

    replay: str | None = None
    """A FILE.npz of `azjax export RUN --games` that all networks learn from, in place of
    self-play."""


def design(options: Options) -> Study:
    """Returns a study with a cell for each network, all in one panel.

    Raises:
      InputError: The preset's algorithm does not train such a network, or the file of replay is
        wrong.
    """
    with input_errors():
        base = with_fields(base_config(options.game), {"replay": options.replay})
        if options.replay is not None:
            read_replay(base.train)  # before the first network is trained
        cells = [_cell(base, *network) for network in NETWORKS.items()]
    panel = Panel("network", {cell.name: cell.name for cell in cells})
    return make_study(__file__, options, cells, [panel])


def _cell(base: RunConfig, network: str, sizes: dict[str, int]) -> Cell:
    """Returns the base with another network and its sizes.

    Heads are the preset's, and wide where it has an MLP, which has no planes.
    """
    heads = WIDE_HEADS if base.train.network.name == "mlp" != network else {}
    fields = {f"network.{name}": value for name, value in (heads | sizes).items()}
    return Cell(
        f"{network}_{'x'.join(map(str, sizes.values()))}",
        {"network": network, "channels": sizes["channels"], "blocks": sizes.get("blocks", 0)},
        with_fields(base, {"network.name": network} | fields),
    )


def main(arguments: list[str] | None = None) -> None:
    """Runs the study of the arguments."""
    run_study_script(Options, design, __file__, arguments)


if __name__ == "__main__":
    main()
