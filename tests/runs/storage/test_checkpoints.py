import dataclasses
import gc
import os
import shutil

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from full_disk import no_space_of_orbax
from tiny_runs import make_coins_run, no_progress, train_run

from azjax.config.limits import Limits
from azjax.runs.storage.checkpoints import Checkpoints, restore, to_arrays
from azjax.runs.storage.orbax_folder import fingerprint
from azjax.support.errors import InputError
from azjax.training import Part


@pytest.fixture
def store(tmp_path):
    opened = Checkpoints(tmp_path / "checkpoints")
    yield opened
    opened.close()


def reopened(store):
    return Checkpoints(store.path)


@pytest.fixture(scope="session")
def saved(tmp_path_factory, state_at):
    """Returns a folder of three checkpoints that no test may change."""
    opened = Checkpoints(tmp_path_factory.mktemp("saved") / "checkpoints")
    for iteration, accuracy in [(1, 0.1), (2, 0.2), (3, 0.9)]:
        opened.save(state_at(iteration), accuracy)
    opened.close()
    return opened.path


@pytest.fixture
def copy(saved, tmp_path):
    """Returns checkpoints that are copies of those."""
    return Checkpoints(shutil.copytree(saved, tmp_path / "copy" / "checkpoints"))


def test_a_restored_state_is_the_saved_one_bit_for_bit(store, state_at):
    store.save(state_at(3), accuracy=0.5)
    restored = reopened(store).restore(state_at(0))
    assert (restored.iteration, restored.warnings) == (3, [])
    saved, read = (jax.tree.leaves(to_arrays(s)) for s in (state_at(3), restored.state))
    for before, after in zip(saved, read, strict=True):
        assert before.dtype == after.dtype
        np.testing.assert_array_equal(before, after)
    assert jax.tree.structure(restored.state) == jax.tree.structure(state_at(3))


def test_a_folder_may_have_any_name(tmp_path, state_at):
    store = Checkpoints(tmp_path / os.fsdecode(b"[br],b\xff") / "checkpoints")
    store.save(state_at(3), accuracy=None)
    store.close()
    assert reopened(store).restore(state_at(0)).iteration == 3


@dataclasses.dataclass(frozen=True)
class SampleCounts(Part):
    """Samples a position the less often, the more often it was sampled."""

    name = "sample_counts"
    games_axis = 1

    def init(self, context):
        return jnp.zeros((context.config.replay_moves, context.config.num_games))

    def weights(self, context, state, replay, weights):
        return weights / (1 + state)

    def learned(self, context, state, learner, positions, batch):
        return state.at[positions.rows, positions.games].add(1.0)


@pytest.mark.slow
def test_a_run_whose_part_has_a_state_resumes_bit_for_bit(tmp_path, tiny_config):
    def train(name, *iterations):
        limits = [Limits(iterations=number) for number in iterations]
        run = make_coins_run(tmp_path / name, tiny_config, limits[0], parts=(SampleCounts(),))
        for limit in limits:
            train_run(dataclasses.replace(run, num_devices=2, limits=limit), no_progress())
        return restore(run)

    resumed = train("resumed", 1, 3)
    assert resumed.state.parts["sample_counts"].sum() == 3 * tiny_config.batch_size
    assert resumed.fingerprint == train("whole", 3).fingerprint


def test_the_newest_three_and_the_best_are_kept_in_the_next_session_too(store, state_at):
    for iteration, accuracy in enumerate([0.1, 0.9, 0.2, 0.3], start=1):
        store.save(state_at(iteration), accuracy)
    again = reopened(store)
    again.save(state_at(5), 0.4)
    again.save(state_at(6), None)
    assert again.iterations() == reopened(store).iterations() == [2, 4, 5, 6]
    assert again.restore(state_at(0), "best").iteration == 2
    assert reopened(store).restore(state_at(0), "best").iteration == 2
    again.close()


def test_a_given_iteration_is_restored(copy, state_at):
    assert copy.restore(state_at(0), 1).iteration == 1
    with pytest.raises(InputError, match=r"holds no checkpoint 7; there are \[1, 2, 3\]"):
        copy.restore(state_at(0), 7)


@pytest.mark.parametrize(
    ("file", "text"), [("metrics/metrics", '{"accuracy": "high"}'), ("_CHECKPOINT_METADATA", "")]
)
def test_a_checkpoint_with_a_damaged_description_is_skipped_and_replaced(
    copy, state_at, file, text, capfd
):
    (copy.path / "3" / file).write_text(text)
    again = reopened(copy)
    for which in ("newest", "best"):
        restored = again.restore(state_at(0), which)
        (warning,) = restored.warnings
        assert restored.iteration == 2
        assert warning.startswith(f"{copy.path.parent}: checkpoint 3 is damaged (")
        assert warning.endswith("): checkpoint 2 is read instead")
    with pytest.raises(InputError, match="holds no undamaged checkpoint: checkpoint 3 is damaged"):
        again.restore(state_at(0), 3)
    assert capfd.readouterr().err == ""
    again.save(state_at(3), 0.3)
    assert again.iterations() == [1, 2, 3]
    assert reopened(copy).restore(state_at(0)).iteration == 3


def test_checkpoints_are_deleted_damaged_ones_too(copy, state_at):
    (copy.path / "2" / "_CHECKPOINT_METADATA").write_text("")
    copy.delete([2, 3])
    for opened in (copy, reopened(copy)):
        assert opened.iterations_with_damaged() == [1]
        assert opened.restore(state_at(0), "best").iteration == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_state_of_other_shapes_does_not_fit(store, state_at):
    store.save(state_at(1), None)
    learner = state_at(0).learner
    wider = jax.tree.map(lambda x: jnp.zeros((*x.shape, 2), x.dtype), learner.variables)
    other = state_at(0)._replace(learner=learner._replace(variables=wider))
    with pytest.raises(InputError, match="no undamaged checkpoint"):
        store.restore(other)
    gc.collect()  # abandoned reads raise errors when they are collected: here, not in another test


def test_a_checkpoint_that_cannot_be_written_leaves_those_before(store, state_at, monkeypatch):
    store.save(state_at(1), None)
    with monkeypatch.context() as patch:
        patch.setattr(store.manager, "save", no_space_of_orbax)
        with pytest.raises(OSError, match=r"/2 cannot be written: No space left on device$"):
            store.save(state_at(2), None)
    assert store.restore(state_at(0)).iteration == 1
    store.save(state_at(2), None)
    assert store.restore(state_at(0)).iteration == 2


BASE = {"a": np.arange(4, dtype=np.int32), "b": np.zeros((2, 3), np.float32)}


@pytest.mark.parametrize(
    "changed",
    [
        BASE | {"a": np.array([0, 1, 2, 4], np.int32)},
        BASE | {"a": np.arange(4, dtype=np.uint32)},
        BASE | {"b": np.array([[0, 0, 0], [0, 0, -0.0]], np.float32)},
        {"a": BASE["a"], "c": BASE["b"]},
    ],
    ids=["content", "type", "sign of zero", "name"],
)
def test_a_fingerprint_changes_with_every_difference(changed):
    assert fingerprint(BASE) != fingerprint(changed)
    transposed = BASE | {"b": np.zeros((3, 2), np.float32).T}
    on_device = jax.tree.map(jnp.asarray, BASE)
    assert fingerprint(BASE) == fingerprint(on_device) == fingerprint(transposed)
