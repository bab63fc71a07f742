import os
import subprocess
import sys

from command_line import Result, assert_one_line

from azjax import games
from azjax.config.presets import preset_names


def find_line(result, name):
    return next(line for line in result.out.splitlines() if f" {name} " in line)


def test_games_lists_every_game(azjax):
    result = azjax("games")
    assert (result.code, result.err) == (0, "")
    for name in games.names():
        rows, columns, _ = games.make(name).observation_shape
        assert f"{rows} x {columns}" in find_line(result, name)


def test_without_a_device_games_are_listed_and_what_computes_is_refused_in_one_line():
    program = "from azjax.cli import main; main(['games']); main(['accuracy', 'connect_four'])"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"JAX_PLATFORMS": "tpyo"},
        capture_output=True,
        text=True,
    )
    assert " go_19 " in done.stdout
    result = Result(done.returncode, done.stdout, done.stderr)
    assert_one_line(result, 2, "JAX_PLATFORMS=tpyo: JAX finds no such device", "set it to cpu")


def test_presets_lists_every_preset_with_its_length(azjax):
    result = azjax("presets")
    assert (result.code, result.err) == (0, "")
    for name in preset_names():
        assert find_line(result, name)
    assert " 15 min " in find_line(result, "connect_four")
    assert " up to 40 " in find_line(result, "tic_tac_toe")
    assert " iterations " in result.out
