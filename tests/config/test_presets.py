"""Presets by name: shipped and registered ones, and those of games in other sizes."""

import dataclasses

import pytest

from azjax import games
from azjax.config.presets import get_preset, is_tuned, preset_names, register_preset
from azjax.games.mnk import Mnk
from azjax.support.registry import registry


def test_a_game_in_other_sizes_has_the_preset_of_its_name():
    preset, of_hex = get_preset("hex:swap=true,size=7"), get_preset("hex")
    assert preset.config.train.game == "hex:size=7,swap=true"
    assert preset.limits == of_hex.limits
    train = of_hex.config.train
    assert preset.config.train == dataclasses.replace(train, game=preset.config.train.game)


@pytest.mark.usefixtures("registrations")
def test_a_registered_game_without_a_preset_has_the_untuned_one():
    games.register_game("wide", Mnk, rows=2, columns=5, length=2)
    preset = get_preset("wide:rows=3")
    assert preset.config.train.game == "wide:rows=3"
    assert preset.summary == "not tuned"
    assert "wide" not in preset_names()
    assert not is_tuned("wide:rows=3")
    assert is_tuned("hex:size=7")


def test_no_preset_is_known_to_go_wrong_in_self_play():
    """BatchNorm's running statistics do, and so does self-play from the empty board alone."""
    for name in preset_names():
        preset = get_preset(name)
        train = preset.config.train
        starts = {part.name: part for part in train.parts}["random_starts"]
        assert train.network.norm == "none", name
        assert starts.fraction >= 0.5, name
        assert train.num_groups % 2 == 0, name  # two devices can share the games
        assert (preset.limits.minutes is None) != (preset.limits.iterations is None), name


@pytest.mark.usefixtures("registrations")
def test_a_registered_preset_is_the_content_of_a_file():
    register_preset("short", {"minutes": 2, "train": {"game": "tic_tac_toe", "num_games": 64}})
    preset = get_preset("short")
    assert (preset.limits.minutes, preset.config.train.num_games) == (2.0, 64)
    assert "short" in preset_names()
    assert registry("preset").plugin("short") == __name__
    assert registry("preset").plugin("hex") is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tictactoe", "did you mean 'tic_tac_toe'"),
        ("pgx:2048", "no game of two players and perfect information is 'pgx:2048'"),
    ],
)
def test_an_unknown_preset_is_refused_with_the_nearest_or_the_reason(name, message):
    with pytest.raises(ValueError, match=message):
        get_preset(name)
