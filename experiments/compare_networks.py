"""Compares network architectures at equal training time.

python experiments/compare_networks.py --game connect_four --seeds 5 --minutes 20
"""

import dataclasses

from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line, prepare_jax
from azjax.config.run_config import RunConfig
from azjax.networks import NetworkConfig
from azjax.studies.options import (
    StudyOptions,
    base_config,
    make_study,
    parse_options,
    with_train,
)
from azjax.studies.run_study import run_study
from azjax.studies.study import Cell, Panel, Study

WIDE_HEADS = {"policy_planes": 8, "value_planes": 8, "value_features": 256}
NETWORKS = (
    NetworkConfig("mlp", channels=256, blocks=2),
    NetworkConfig("convnet", channels=64, blocks=0, **WIDE_HEADS),
    NetworkConfig("resnet", channels=32, blocks=3, **WIDE_HEADS),
)


@dataclasses.dataclass(frozen=True)
class Options(StudyOptions):
    """Train each kind of network for the same time, with everything else the same."""


def design(options: Options) -> Study:
    """Returns a cell for each network, all in one panel."""
    base = base_config(options.game)
    cells = [_cell(base, kind) for kind in NETWORKS]
    panel = Panel("network", {cell.name: cell.name for cell in cells})
    return make_study(__file__, options, cells, [panel])


def _cell(base: RunConfig, kind: NetworkConfig) -> Cell:
    sizes = {"architecture": kind.architecture, "channels": kind.channels, "blocks": kind.blocks}
    network = dataclasses.replace(kind, equivariant=base.train.network.equivariant)
    return Cell(kind.architecture, sizes, with_train(base, network=network))


def main(arguments: list[str] | None = None) -> None:
    """Carries out the study that the arguments ask for."""
    with exit_with_one_line():
        prepare_jax()
        run_study(design(parse_options(Options, __file__, arguments)), console)


if __name__ == "__main__":
    main()
