"""Slots of a population: how many fit into memory, and how its time is shared."""

import types

import jax
import pytest

from azjax.networks import MLPConfig, ResNetConfig
from azjax.runs import slots as slots_module
from azjax.runs.slots import Program, Slots, _num_fitting, lower_slots
from azjax.search import Gumbel
from azjax.support.component import structure
from azjax.support.machine.devices import make_mesh
from azjax.training import (
    ActionValues,
    AlphaZero,
    MuZero,
    Ownership,
    RandomStarts,
    Reply,
    TrainConfig,
)

SECONDS = 8.0  # of an iteration, by the clock of the test


class FakeCompiled:
    """A compiled iteration of 1,000 bytes, which takes SECONDS."""

    def __init__(self, clock, analysis):
        self._clock, self._analysis = clock, analysis

    def __call__(self, configs, is_active, states, progress):
        self._clock.append(self._clock[-1] + SECONDS)
        return states, {}

    def memory_analysis(self):
        return self._analysis


ANALYSIS = types.SimpleNamespace(
    argument_size_in_bytes=600,
    output_size_in_bytes=500,
    alias_size_in_bytes=400,  # donated
    temp_size_in_bytes=300,
)


@pytest.mark.parametrize(
    ("analysis", "free", "fitting"), [(ANALYSIS, 625, 2), (ANALYSIS, 100, 1), (None, 100, 4)]
)
def test_as_many_slots_fit_as_the_program_needs_memory_for(monkeypatch, analysis, free, fitting):
    monkeypatch.setattr(slots_module, "free_bytes", lambda mesh: free)
    program = Program(FakeCompiled([0.0], analysis), 4, num_vmapped=1)
    assert _num_fitting(program, make_mesh(1)) == fitting


@pytest.mark.parametrize(
    ("num_vmapped", "num_acquired", "seconds"),
    [(1, 1, SECONDS), (4, 4, SECONDS / 4), (4, 1, SECONDS / 4)],
)
def test_the_runs_of_an_iteration_share_its_time(monkeypatch, num_vmapped, num_acquired, seconds):
    """Vmapped, a free slot is computed too, so its time is nobody's."""
    clock = [0.0]
    program = Program(FakeCompiled(clock, ANALYSIS), 4, num_vmapped)
    monkeypatch.setattr(slots_module, "compile_to_fit", lambda config, mesh, num_slots: program)
    monkeypatch.setattr(slots_module.time, "perf_counter", lambda: clock[-1])
    slots = Slots(TrainConfig(), 1, 4)
    slots._population = ()
    for slot in range(num_acquired):
        slots.acquire(slot, TrainConfig())
    assert slots.free_slots() == list(range(num_acquired, 4))
    assert slots.iterate() == ({}, seconds)


@pytest.mark.parametrize(
    ("algorithm", "heads"),
    [
        (AlphaZero(), (Reply(), ActionValues(), Ownership())),
        (MuZero(unroll_steps=2, consistency=True), ()),
    ],
    ids=["alphazero", "muzero"],
)
def test_the_program_has_nothing_that_a_cpu_is_slow_or_wrong_at(algorithm, heads):
    """In a loop XLA runs convolutions on one core; gloo's reduce-scatter returns wrong sums."""
    config = TrainConfig(
        "tic_tac_toe",
        network=ResNetConfig(channels=8, blocks=1),
        search=Gumbel(num_simulations=4),
        algorithm=algorithm,
        parts=(RandomStarts(), *heads),
        num_games=8,
        num_moves=2,
        replay_moves=8,
        num_updates=1,
        batch_size=8,
    )
    text = lower_slots(config, make_mesh(2), 1, 1).as_text()
    assert "stablehlo.while" in text
    assert "stablehlo.dot_general" in text
    assert "convolution" not in text
    assert "reduce_scatter" not in text


@pytest.mark.slow
def test_xla_makes_no_reduce_scatter_of_a_population():
    components = {"network": MLPConfig(channels=16), "search": Gumbel(num_simulations=2)}
    sizes = {"num_games": 8, "num_moves": 2, "replay_moves": 8, "batch_size": 8}
    config = TrainConfig(num_updates=1, **sizes, **components)
    text = lower_slots(config, make_mesh(2), 2, 2).compile().as_text()
    assert "all-reduce" in text
    assert "reduce-scatter" not in text


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_deterministic_run_is_compiled_as_such(monkeypatch, deterministic):
    given = []
    lowered = types.SimpleNamespace(compile=lambda compiler_options: given.append(compiler_options))
    monkeypatch.setattr(slots_module, "lower_slots", lambda *arguments: lowered)
    compile_anew = slots_module._compile.__wrapped__
    options = structure(TrainConfig(deterministic=deterministic))
    compile_anew(options, make_mesh(1), 1, 1, jax.devices()[0])
    assert given == [{"xla_gpu_deterministic_ops": True} if deterministic else None]
