"""Preset files: reading returns what was written, and errors name the field."""

import pathlib
import re

import pytest

from azjax.config.limits import Limits
from azjax.config.preset_file import Preset, default_folder, read_preset, write_preset
from azjax.config.presets import get_preset, preset_names
from azjax.config.run_config import RunConfig
from azjax.training import TrainConfig


def test_a_preset_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "preset.toml"
    for name in preset_names():
        write_preset(path, get_preset(name), comment="Two lines\nof it")
        assert read_preset(path) == get_preset(name)
    assert path.read_text().startswith("# Two lines\n# of it\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("minutes = 1\ntrian = 3", "no field is named 'trian'; `azjax train PRESET --help` lists"),
        ("minutes = 1\nsearch = 'puct'", "search must be a table of fields, not 'puct'"),
        ("summary = 'none'", "neither minutes nor iterations"),
        ("minutes = ", "Invalid value"),
    ],
)
def test_a_wrong_preset_is_refused_by_the_name_of_its_field(text, message, tmp_path):
    path = tmp_path / "preset.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)) as refusal:
        read_preset(path)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "game", "folder"),
    [("hex:size=7", "hex:size=7", "runs/hex_size=7"), ("presets/mine.toml", "hex", "runs/mine")],
)
def test_a_folder_is_named_by_the_preset_or_by_a_game_that_is_not_the_presets(name, game, folder):
    of_preset = "hex" if name.endswith(".toml") else name
    preset = Preset(RunConfig(TrainConfig(of_preset)), Limits(minutes=1.0), "")
    assert default_folder(name, preset, RunConfig(TrainConfig(game))) == pathlib.Path(folder)
