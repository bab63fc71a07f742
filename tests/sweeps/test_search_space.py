"""The search space of a sweep: declared, read from a file, sampled, turned into a RunConfig."""

import dataclasses
import re

import optuna
import pytest

from azjax.config.limits import Limits
from azjax.config.presets import get_preset
from azjax.support.ranges import Range
from azjax.sweeps.search_space_file import make_space
from azjax.sweeps.sweep import Sweep

BASE = get_preset("tic_tac_toe").config
GRADIENT = get_preset("tic_tac_toe_policy_gradient").config
RATE, CHANNELS = "hparams.learning_rate", "train.network.channels"


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


def test_declared_ranges_are_swept_except_those_of_other_searches():
    space = make_space(BASE, None)
    assert space.ranges[RATE] == Range(3e-4, 3e-2, log=True)
    assert "hparams.search.gumbel_scale" in space.ranges
    assert not {"hparams.search.c_puct", "hparams.search.c_uct"} & space.ranges.keys()
    assert "hparams.max_gradient_norm" not in space.ranges  # none is declared for it
    assert space.choices == {}
    assert space.base == BASE


def test_weights_of_losses_are_swept_with_their_auxiliary_head_only():
    network = dataclasses.replace(BASE.train.network, auxiliary_heads=("reply",))
    train = dataclasses.replace(BASE.train, network=network)
    space = make_space(dataclasses.replace(BASE, train=train), None)
    weights = {"hparams.value_loss_weight", "hparams.reply_loss_weight"}
    assert {name for name in space.ranges if name.endswith("_loss_weight")} == weights
    assert weights < sample(space, 0).keys()
    assert not {name for name in make_space(BASE, None).ranges if "reply" in name}


def test_a_file_sets_ranges_fixed_values_and_choices(make):
    space = make(
        """
        evaluate_every = 5
        [hparams]
        learning_rate = {low = 1e-3, high = 1e-2}
        temperature = {low = 1, high = 2, log = false}
        max_gradient_norm = {low = 1e-5, high = 1e-3, log = true}
        "search.gumbel_scale" = 0.5
        [train]
        num_updates = [8, 16]
        [train.network]
        channels = [64, 128]
        """
    )
    assert space.ranges[RATE] == Range(1e-3, 1e-2, log=True)  # the scale is the declared one
    assert space.ranges["hparams.temperature"] == Range(1.0, 2.0)
    assert space.ranges["hparams.max_gradient_norm"] == Range(1e-5, 1e-3, log=True)
    assert space.ranges["hparams.average_decay"] == Range(0.9, 0.999)  # not in the file
    assert "hparams.search.gumbel_scale" not in space.ranges
    assert space.base.hparams.search.gumbel_scale == 0.5
    assert space.base.evaluate_every == 5
    assert space.choices == {"train.num_updates": (8, 16), CHANNELS: (64, 128)}


@pytest.mark.parametrize("seed", range(2))
def test_samples_lie_in_the_space_and_make_a_configuration(make, seed):
    space = make("[train]\nnetwork.channels = [64, 128]\n")
    params = sample(space, seed)
    assert params.keys() == space.ranges.keys() | space.choices.keys()
    config = space.config(params)
    for name, range_ in space.ranges.items():
        found = config.hparams
        for field in name.split(".")[1:]:
            found = getattr(found, field)
        assert found in range_
        assert found == pytest.approx(params[name], rel=1e-3)
        assert found == float(f"{found:.4g}")  # four digits
    assert config.train.network.channels == params[CHANNELS]
    assert space.static_values(params) == {CHANNELS: params[CHANNELS]}


@pytest.mark.parametrize("seed", range(3))
def test_hyperparameters_of_a_search_are_sampled_with_that_search_only(make, seed):
    params = sample(make('[train]\nsearch.algorithm = ["gumbel", "puct"]\n'), seed)
    is_puct = params["train.search.algorithm"] == "puct"
    assert ("hparams.search.c_puct" in params) == is_puct
    assert ("hparams.search.gumbel_scale" in params) != is_puct
    assert "hparams.search.c_uct" not in params


def test_hyperparameters_that_the_algorithm_does_not_have_are_not_sampled():
    of_alphazero, of_gradient = (set(sample(make_space(b, None), 0)) for b in (BASE, GRADIENT))
    assert of_alphazero - of_gradient == {
        "hparams.temperature",
        "hparams.temperature_moves",
        "hparams.search_value_weight",
        "hparams.value_loss_weight",
        "hparams.search.gumbel_scale",
        "hparams.search.value_scale",
    }
    assert of_gradient - of_alphazero == {
        "hparams.result_discount",
        "hparams.entropy_weight",
        "hparams.first_prior_weight",
        "hparams.search.prior_weight",
    }
    assert RATE in of_alphazero & of_gradient


@pytest.mark.parametrize("seed", range(3))
def test_hyperparameters_of_an_algorithm_are_sampled_with_that_algorithm_only(make, seed):
    space = make(
        """
        [train]
        algorithm = ["reinforced_policy", "policy_gradient"]
        [hparams]
        first_prior_weight = {low = 0.2, high = 0.4}
        """,
        GRADIENT,
    )
    params = sample(space, seed)
    is_gradient = params["train.algorithm"] == "policy_gradient"
    assert ("hparams.first_prior_weight" in params) == is_gradient
    assert "hparams.entropy_weight" in params
    assert "hparams.temperature" not in params
    assert space.config(params).train.algorithm == params["train.algorithm"]


def test_values_of_a_preset_outside_the_space_are_left_out(make):
    space = make(
        "[hparams]\nlearning_rate = {low = 1e-3, high = 2e-3}\n[train]\nnetwork.channels = [8, 128]"
    )
    values = space.values_of(BASE)
    assert RATE not in values  # the preset's lies outside
    assert values[CHANNELS] == 128
    assert values["hparams.weight_decay"] == BASE.hparams.weight_decay


def test_trials_of_several_searches_are_evaluated_by_one(make):
    space = make(
        """
        [train]
        search.algorithm = ["gumbel", "puct"]
        search.num_simulations = [4, 64]
        """
    )
    sweep = Sweep("tic_tac_toe", space, "accuracy", None, None, Limits(1.0), seed=0)
    configs = [sweep.trial_config(sample(space, seed)) for seed in range(8)]
    assert {(c.evaluation_search, c.evaluation_hyperparameters) for c in configs} == {
        (BASE.evaluation_search, BASE.hparams.search)
    }
    assert len({(c.train.search, c.hparams.search) for c in configs}) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[hparams]\nlearning_rat = 1", "unknown field 'hparams.learning_rat'; did you mean"),
        ("num_simulations = [8]", "did you mean 'train.search.num_simulations'?"),
        ("hparams = 3", "hparams must be a table of fields, not 3"),
        ("[hparams]\nlearning_rate = {low=1e-2, high=1e-3}", "low=0.01 must be below high=0.001"),
        ("[hparams]\nlearning_rate = {low=1e-2}", "a range is {low = ..., high = ...}"),
        ("[hparams]\nlearning_rate = {low=0.1, high=0.2, log=1}", "must be true or false"),
        ("[hparams]\nlearning_rate = {lo=1, high=2}", "unknown bound 'lo'; did you mean 'low'?"),
        ("[hparams]\nsearch_value_weight = {low=0.1, high=2}", "search_value_weight=2.0: must be"),
        (
            "[hparams]\nweight_decay = {low=0, high=1, log=true}",
            "above 0 on a logarithmic scale",
        ),
        ("[hparams]\nsearch.c_puct = {low=1, high=2}", "a gumbel search does not use it"),
        (
            "[hparams]\nownership_loss_weight = {low=1, high=2}",
            "hparams.ownership_loss_weight: the network has no such auxiliary head",
        ),
        (
            "[hparams]\nentropy_weight = {low=0.01, high=0.1}",
            "hparams.entropy_weight: algorithm alphazero has no such hyperparameter",
        ),
        ("[hparams]\ntemperature = [0.5, 0.0]", "hparams.temperature=0.0: must be above 0"),
        ("[train]\nnum_updates = {low=1, high=8}", "train.num_updates: a size is compiled in"),
        ("[hparams]\nsearch.c_puct = [1.0, 2.0]", "a gumbel search does not use it"),
        ("[train]\nnum_updates = []", "train.num_updates: the list of its choices is empty"),
        ("[train]\nnum_updates = [8, 0]", "num_updates=0: must be at least 1"),
        ("evaluate_every = 0", "evaluate_every=0: must be at least 1"),
        ("[train]\nnum_updates = [8, 8]", "train.num_updates=[8, 8]: a choice is there twice"),
        ("[train]\nnetwork.channels = [64, 100]", "network.channels=100: must be a multiple"),
        ('[train]\ngame = ["tic_tac_toe", "hex"]', "train.game: all trials are evaluated alike"),
        (
            "[train]\nsearch.rescale_values = [true, false]",
            "train.search.rescale_values: the search that evaluates all trials has it too",
        ),
        ("evaluate_every = [5, 10]", "evaluate_every: all trials are evaluated alike"),
        ("[train", "Expected ']'"),
    ],
)
def test_a_wrong_entry_is_refused_by_the_name_of_its_field(make, text, message):
    with pytest.raises(ValueError, match=re.escape(message)) as refusal:
        make(text)
    assert "space.toml" in str(refusal.value)
