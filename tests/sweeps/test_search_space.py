"""The search space of a sweep: declared, read from a file, sampled, turned into a RunConfig."""

import re

import optuna
import pytest

from azjax.config.fields import list_fields, with_fields
from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.support.ranges import Range
from azjax.sweeps.search_space import make_space
from azjax.sweeps.sweep import Sweep

BASE = get_preset("tic_tac_toe").config
RATE, CHANNELS = "optimizer.learning_rate", "network.channels"


@pytest.fixture
def make(tmp_path):
    """Returns `make(text)`: the preset's search space, with a search-space file of that text."""

    def call(text, base=BASE):
        path = tmp_path / "space.toml"
        path.write_text(text)
        return make_space(base, path)

    return call


def sample(space, seed):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed))
    trial = study.ask()
    space.sample(trial)
    return trial.params


def test_declared_ranges_are_swept_except_those_of_other_components():
    space = make_space(BASE)
    assert space.ranges[RATE] == Range(3e-4, 3e-2, log=True)
    assert "search.gumbel_scale" in space.ranges
    assert not {"search.c_puct", "search.c_uct", "reply.weight"} & space.ranges.keys()
    assert "optimizer.max_gradient_norm" not in space.ranges  # none is declared for it
    assert space.choices == {}
    assert space.base == BASE
    with_reply = with_fields(BASE, {"parts": ["random_starts", "reply"]})
    assert "reply.weight" in sample(make_space(with_reply), 0)


def test_a_file_sets_ranges_fixed_values_and_choices(make):
    space = make(
        """
        evaluate_every = 5
        [optimizer]
        learning_rate = {low = 1e-3, high = 1e-2}
        max_gradient_norm = {low = 1e-5, high = 1e-3, log = true}
        [algorithm]
        temperature = {low = 1, high = 2, log = false}
        [search]
        gumbel_scale = 0.5
        [train]
        num_updates = [8, 16]
        [network]
        channels = [64, 128]
        """
    )
    assert space.ranges[RATE] == Range(1e-3, 1e-2, log=True)  # the scale is the declared one
    assert space.ranges["algorithm.temperature"] == Range(1.0, 2.0)
    assert space.ranges["optimizer.max_gradient_norm"] == Range(1e-5, 1e-3, log=True)
    assert space.ranges["ema_decay"] == Range(0.9, 0.999)  # not in the file
    assert "search.gumbel_scale" not in space.ranges
    assert space.base.train.search.gumbel_scale == 0.5
    assert space.base.evaluate_every == 5
    assert space.choices == {"num_updates": (8, 16), CHANNELS: (64, 128)}


@pytest.mark.parametrize("seed", range(2))
def test_samples_lie_in_the_space_and_make_a_configuration(make, seed):
    space = make("[optimizer]\nweight_decay = [0.1, 0.2]\n[network]\nchannels = [64, 128]\n")
    params = sample(space, seed)
    assert params.keys() == space.ranges.keys() | space.choices.keys()
    fields = list_fields(space.config(params))
    for name, range_ in space.ranges.items():
        assert fields[name] in range_
        assert fields[name] == pytest.approx(params[name], rel=1e-3)
        assert fields[name] == float(f"{fields[name]:.4g}")  # four digits
    assert {name: fields[name] for name in space.choices}.items() <= params.items()
    assert space.static_values(params) == {CHANNELS: params[CHANNELS]}


@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_a_component_are_sampled_with_that_component_only(make, seed):
    space = make(
        """
        parts = [["random_starts"], ["random_starts", "reply"]]
        [search]
        name = ["gumbel", "puct"]
        """
    )
    params = sample(space, seed)
    is_puct = params["search.name"] == "puct"
    assert ("search.c_puct" in params) == is_puct
    assert ("search.gumbel_scale" in params) != is_puct
    assert "search.c_uct" not in params
    assert "random_starts.fraction" in params
    has_reply = "reply" in params["parts"].split()
    assert ("reply.weight" in params) == has_reply
    config = space.config(params)
    assert config.train.search.name == params["search.name"]
    assert " ".join(part.name for part in config.train.parts) == params["parts"]
    assert space.values_of(config).keys() == params.keys()
    assert space.static_values(params) == {name: params[name] for name in space.choices}


def test_trials_of_several_searches_are_evaluated_by_one(make):
    space = make(
        """
        [search]
        name = ["gumbel", "puct"]
        num_simulations = [4, 64]
        """
    )
    sweep = Sweep("tic_tac_toe", space, "accuracy", None, None, Limits(1.0), seed=0)
    configs = [sweep.trial_config(sample(space, seed)) for seed in range(8)]
    assert {config.evaluation_search for config in configs} == {BASE.evaluation_search}
    assert len({config.train.search for config in configs}) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[optimizer]\nlearning_rat = 1", "no field 'optimizer.learning_rat'; did you mean"),
        ("[optimizer]\nlearning_rate = {low=1e-2, high=1e-3}", "low=0.01 must be below high=0.001"),
        ("[optimizer]\nlearning_rate = {low=1e-2}", "a range is {low = ..., high = ...}"),
        ("[algorithm]\ntd_lambda = {low=0.1, high=2}", "algorithm.td_lambda=2.0: must be"),
        ("[optimizer]\nweight_decay = {low=0, high=1, log=true}", "above 0 on a logarithmic scale"),
        ("[search]\nc_puct = {low=1, high=2}", "search gumbel has no field 'search.c_puct'"),
        ("[ownership]\nweight = {low=1, high=2}", "ownership is none of the parts"),
        ("[train]\nnum_updates = {low=1, high=8}", "num_updates: a size is compiled in"),
        ("[train]\nnum_updates = [8, 8]", "num_updates=[8, 8]: a choice is there twice"),
        ('game = ["tic_tac_toe", "hex"]', "game: all trials are evaluated alike"),
        ("evaluate_every = [5, 10]", "evaluate_every: all trials are evaluated alike"),
        ("[train", "Expected ']'"),
    ],
)
def test_a_wrong_entry_is_refused_by_the_name_of_its_field(make, text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as refusal:
        make(text)
    assert "space.toml" in str(refusal.value)
