"""The settings of the tests themselves."""

import os
import subprocess
import sys


def test_the_tests_run_on_the_cpu_where_no_platform_is_named(pytestconfig):
    code = "import conftest, jax; print(jax.config.jax_platforms)"
    environment = {name: value for name, value in os.environ.items() if name != "JAX_PLATFORMS"}
    command, tests = [sys.executable, "-c", code], pytestconfig.rootpath / "tests"
    done = subprocess.run(command, cwd=tests, env=environment, capture_output=True, text=True)
    assert done.stdout == "cpu\n", done.stderr
