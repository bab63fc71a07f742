import os
import subprocess
import sys

from command_line import Result, assert_one_line

from azjax import games


def test_games_lists_every_game(azjax):
    result = azjax("games")
    assert (result.code, result.err) == (0, "")
    for name in games.names():
        rows, columns, _ = games.make(name).observation_shape
        [line] = [line for line in result.out.splitlines() if f" {name} " in line]
        assert f"{rows} x {columns}" in line


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
