import os
import subprocess
import sys

from command_line import Result, assert_one_line


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
