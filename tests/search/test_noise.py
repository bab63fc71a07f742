"""The randomness of a search: keys, Dirichlet noise, Gumbel noise."""

import dataclasses
import functools
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy
from trees import assert_same

from azjax.games import make
from azjax.search import ILLEGAL_LOGIT, Gumbel, is_legal
from azjax.support.ranges import Off, Range

from .searching import (
    BATCH,
    EvaluationParams,
    Searcher,
    legal_actions,
    positions,
    random_positions,
    searcher,
)

NOISE = {"gumbel_scale": 1.0, "dirichlet_fraction": 0.5}
NUM_SAMPLES = 384
PRIOR = np.log(np.array([8, 4, 2, 1, 1, 1, 1, 1, 1]) / 20)
FOUR_LEGAL = "XX./OO./... X", np.array([2, 5, 6, 7, 8])


def noisy_priors(text, alpha, fraction, num_samples=NUM_SAMPLES):
    """Returns [num_samples, A]: the prior at the root of searches of one position."""
    find = searcher("tic_tac_toe", "puct", 2)
    states = positions(find.game, *[text] * BATCH)
    logits = [
        find(
            states,
            EvaluationParams(PRIOR, illegal_bonus=50.0),
            seed=seed,
            dirichlet_alpha=alpha,
            dirichlet_fraction=fraction,
        ).tree.children_prior_logits[:, 0]
        for seed in range(num_samples // BATCH)
    ]
    return np.exp(np.concatenate(logits).astype(float))


def test_the_same_keys_give_the_same_result(find_tic_tac_toe):
    states = random_positions("tic_tac_toe")
    one, same = (
        find_tic_tac_toe(states, EvaluationParams(variation=0.5), seed=1, **NOISE) for _ in range(2)
    )
    assert_same(one, same)


def test_other_keys_give_other_results_under_noise(find_tic_tac_toe):
    states = positions(find_tic_tac_toe.game, *[".../.../... X"] * BATCH)
    one = find_tic_tac_toe(states, EvaluationParams(variation=0.1), seed=1, **NOISE)
    other = find_tic_tac_toe(states, EvaluationParams(variation=0.1), seed=2, **NOISE)
    differ = (one.tree.children_visits[:, 0] != other.tree.children_visits[:, 0]).any(axis=1)
    assert differ.mean() > 0.6  # some agree by chance
    assert len(np.unique(one.action)) > 2  # within a batch too


def test_without_noise_keys_do_not_matter(find_tic_tac_toe):
    states = random_positions("tic_tac_toe")
    one, other = (
        find_tic_tac_toe(states, EvaluationParams(variation=0.5), seed=seed) for seed in (1, 2)
    )
    # The sampled noise differs, and has no effect.
    one, other = (x._replace(tree=x.tree.replace(extra_data=None)) for x in (one, other))
    assert_same(one, other)


def test_dirichlet_noise_is_on_legal_actions_and_has_its_share_of_the_prior_and_its_mean():
    text, legal = FOUR_LEGAL
    priors = noisy_priors(text, alpha=1.0, fraction=0.25)
    np.testing.assert_allclose(priors.sum(axis=1), 1, atol=1e-5)
    assert (np.delete(priors, legal, axis=1) == 0).all()
    priors = priors[:, legal]
    prior = np.exp(PRIOR[legal]) / np.exp(PRIOR[legal]).sum()
    assert (priors >= 0.75 * prior - 1e-6).all()
    np.testing.assert_allclose(priors.mean(axis=0), 0.75 * prior + 0.25 / len(legal), atol=0.01)


@pytest.mark.parametrize("alpha", [0.1, 3.0])
def test_dirichlet_noise_has_the_variance_of_its_alpha(alpha):
    text, legal = FOUR_LEGAL
    share = 1 / len(legal)
    noise = noisy_priors(text, alpha, fraction=1.0)[:, legal]
    expected = share * (1 - share) / (len(legal) * alpha + 1)
    np.testing.assert_allclose(noise.var(axis=0).mean(), expected, rtol=0.15)
    np.testing.assert_allclose(noise.mean(axis=0), share, atol=0.06)


def test_a_tiny_alpha_gives_no_nan():
    find = searcher("tic_tac_toe", "puct")
    states = random_positions("tic_tac_toe")
    result = find(
        states, EvaluationParams(variation=0.5), dirichlet_alpha=1e-6, dirichlet_fraction=1.0
    )
    priors = np.exp(result.tree.children_prior_logits[:, 0].astype(float))
    np.testing.assert_allclose(priors.sum(axis=1), 1, atol=1e-5)
    assert jax.tree.all(jax.tree.map(lambda x: np.isfinite(x).all(), result._replace(tree=0)))
    legal = legal_actions(find.game, states)
    assert legal[np.arange(len(legal)), result.action].all()


def test_the_prior_of_the_result_is_that_of_the_evaluation_without_noise(find_tic_tac_toe):
    states = random_positions("tic_tac_toe")
    params = EvaluationParams(PRIOR, variation=0.5)
    quiet, noisy = (find_tic_tac_toe(states, params, **noise) for noise in ({}, NOISE))
    np.testing.assert_array_equal(noisy.prior_logits, quiet.prior_logits)
    own, of_tree = (
        scipy.special.softmax(logits.astype(float), axis=1)
        for logits in (noisy.prior_logits, quiet.tree.children_prior_logits[:, 0])
    )
    np.testing.assert_allclose(own, of_tree, atol=1e-6)
    assert (own[~legal_actions(find_tic_tac_toe.game, states)] == 0).all()
    assert len(np.unique(own.round(3))) > 20


def test_gumbel_noise_is_standard():
    find = searcher("tic_tac_toe", "gumbel")
    states = random_positions("tic_tac_toe")
    noise = [find(states, seed=s).tree.extra_data for s in range(16)]
    np.testing.assert_allclose(np.mean(noise), 0.5772, atol=0.075)
    np.testing.assert_allclose(np.std(noise), np.pi / np.sqrt(6), rtol=0.05)


@dataclasses.dataclass(frozen=True)
class NoisyGumbel(Gumbel):
    """Gumbel with noise in the root's prior, as a researcher adds it."""

    name = "noisy_gumbel"

    noise_strength: Annotated[float, Range(0.05, 0.5), Off(0.0)] = 0.25

    def prepare_root(self, keys, extra_data, prior_logits):
        noise = jax.vmap(lambda key: jax.random.normal(key, prior_logits.shape[1:]))(keys)
        noisy = prior_logits + self.noise_strength * noise
        return jnp.where(is_legal(prior_logits), noisy, ILLEGAL_LOGIT)


@functools.cache
def noisy_gumbel_searcher():
    return Searcher(make("tic_tac_toe"), NoisyGumbel(num_simulations=16).without_noise())


def test_a_plug_in_adds_noise_to_the_root_with_a_key_of_its_own():
    find, states = noisy_gumbel_searcher(), random_positions("tic_tac_toe")
    legal = legal_actions(find.game, states)
    one, other = (
        find(states, EvaluationParams(PRIOR), seed=seed, noise_strength=1.0) for seed in (0, 1)
    )
    noise, of_other = ((x.tree.children_prior_logits[:, 0] - x.prior_logits) for x in (one, other))
    assert (noise[~legal] == 0).all()
    assert noise[legal].std() == pytest.approx(1, abs=0.3)
    assert abs(np.corrcoef(noise[legal], of_other[legal])[0, 1]) < 0.4
    assert abs(np.corrcoef(noise[legal], one.tree.extra_data[legal])[0, 1]) < 0.4
    np.testing.assert_array_equal(one.tree.extra_data, find(states).tree.extra_data)
