import pathlib

import numpy as np
import pytest

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.runs.run_directory import RunDirectory
from azjax.runs.seed_statistics import mean_over_seeds, setting_of


def test_the_interval_is_that_of_student_s_t():
    mean, (low, high) = mean_over_seeds([0.80, 0.82, 0.84])
    assert mean == pytest.approx(0.82)
    # t(0.975, 2) = 4.303, s = 0.02
    assert (low, high) == pytest.approx((0.82 - 0.04968, 0.82 + 0.04968), abs=1e-5)


@pytest.mark.parametrize("num_seeds", [2, 3, 5])
def test_it_covers_the_mean_of_normal_data_95_times_in_100(num_seeds):
    generator = np.random.default_rng(0)
    samples = generator.normal(0.5, 0.001, size=(1000, num_seeds))
    intervals = [mean_over_seeds(list(sample)).interval for sample in samples]
    coverage = np.mean([low <= 0.5 <= high for low, high in intervals])
    assert coverage == pytest.approx(0.95, abs=0.02)


def test_the_interval_of_a_share_stays_within_0_and_1():
    assert mean_over_seeds([0.9, 1.0, 1.0]).interval.high == 1.0
    assert mean_over_seeds([0.0, 0.0, 0.1]).interval.low == 0.0


@pytest.mark.parametrize("shares", [[0.93], [1.0, 1.0, 1.0]])
def test_one_seed_or_seeds_alike_have_no_interval(shares):
    assert mean_over_seeds(shares) == (shares[0], None)


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("seed=1", ""),
        ("learning_rate=0.001,seed=1", "learning_rate=0.001"),
        ("learning_rate=0.001", "learning_rate=0.001"),
    ],
)
def test_the_setting_of_a_run_is_its_name_without_the_seed(name, setting):
    path = pathlib.Path("runs") / name
    assert setting_of(RunDirectory(path, "coins", RunConfig(), 1, 1, Limits(1.0))) == setting
