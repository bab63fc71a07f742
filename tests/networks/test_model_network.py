"""Networks with a learnt model: latents, steps between them, and their gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.networks import MLPConfig, ResNetConfig, make_model_network

SHAPE, ACTIONS, PLANES, STEPS, BATCH = (3, 4, 2), 5, 1, 2, 6
CONFIG = ResNetConfig(channels=8, blocks=1)
NETWORK = make_model_network(CONFIG, SHAPE, ACTIONS, PLANES, consistency=True)
RNG = np.random.default_rng(0)
BOARDS = RNG.random((BATCH, *SHAPE)).astype(np.float32)
ACTION_PLANES = RNG.random((STEPS, BATCH, *SHAPE[:2], PLANES)).astype(np.float32)
transition = jax.jit(NETWORK.transition)
NEXT_BOARDS = RNG.random((STEPS, BATCH, *SHAPE)).astype(np.float32)


@pytest.fixture(scope="module")
def variables():
    """Random ones: fresh blocks are the identity, and fresh values are near 0."""
    fresh = jax.jit(NETWORK.init)(jax.random.key(0))
    rng = np.random.default_rng(1)
    params = jax.tree.map(lambda x: x + np.float32(0.3 * rng.normal(size=x.shape)), fresh.params)
    return fresh._replace(params=params)


@pytest.fixture(scope="module")
def composed(variables):
    """Returns latents [K + 1, ...], logits and values by the functions that the search calls."""

    @jax.jit
    def compose(variables):
        latents = [NETWORK.represent(variables, BOARDS)]
        for planes in ACTION_PLANES:
            latents.append(NETWORK.transition(variables, latents[-1], planes))
        outputs = [NETWORK.predict(variables, x) for x in latents]
        return jnp.stack(latents), *(jnp.stack(x) for x in zip(*outputs, strict=True))

    return jax.device_get(compose(variables))


def test_latents_are_boards_of_values_from_0_to_1(composed):
    latents = composed[0]
    assert latents.shape == (STEPS + 1, BATCH, *SHAPE[:2], CONFIG.channels)
    np.testing.assert_allclose(latents.min(axis=(2, 3, 4)), 0, atol=1e-6)
    np.testing.assert_allclose(latents.max(axis=(2, 3, 4)), 1, atol=1e-6)


def test_a_step_depends_on_the_action(variables, composed):
    other = transition(variables, composed[0][0], ACTION_PLANES[1])
    assert np.abs(np.asarray(other) - composed[0][1]).max() > 0.01


def test_the_halves_of_a_latent_change_places_at_an_action(variables, composed):
    """Without a change by the action, what was the mover's is the opponent's."""
    still = {
        "turn_stem": jax.tree.map(jnp.zeros_like, variables.params["turn_stem"]),
        "dynamics": jax.tree.map(jnp.zeros_like, variables.params["dynamics"]),
    }
    latents = composed[0][0]
    after = transition(
        variables._replace(params=variables.params | still), latents, ACTION_PLANES[0]
    )
    mover, opponent = np.split(latents, 2, axis=-1)
    np.testing.assert_allclose(after, np.concatenate([opponent, mover], axis=-1), atol=1e-6)


def test_the_network_predicts_from_the_latents_of_observations(variables, composed):
    logits, value = jax.jit(NETWORK.apply)(variables, BOARDS)
    np.testing.assert_allclose(logits, composed[1][0], atol=1e-5)
    np.testing.assert_allclose(value, composed[2][0], atol=1e-5)


def test_unrolling_is_what_the_search_computes_step_by_step(variables, composed):
    unrolled = jax.jit(NETWORK.unroll)(variables, BOARDS, ACTION_PLANES)
    np.testing.assert_allclose(unrolled.outputs.policy_logits, composed[1], atol=1e-4)
    np.testing.assert_allclose(unrolled.outputs.value, composed[2], atol=1e-4)
    assert unrolled.similarity is None


def test_the_gradient_into_a_latent_is_halved_at_every_step(variables):
    step = STEPS

    def unrolled_value(params):
        unrolled = NETWORK.unroll(variables._replace(params=params), BOARDS, ACTION_PLANES)
        return unrolled.outputs.value[step].sum()

    def composed_value(params):
        of_params = variables._replace(params=params)
        latents = NETWORK.represent(of_params, BOARDS)
        for planes in ACTION_PLANES:
            latents = NETWORK.transition(of_params, latents, planes)
        return NETWORK.predict(of_params, latents)[1].sum()

    @jax.jit
    def gradients(params):
        return jax.grad(unrolled_value)(params), jax.grad(composed_value)(params)

    halved, whole = gradients(variables.params)
    kernel, of_heads = whole["stem"]["kernel"], whole["heads"]["value"]["kernel"]
    np.testing.assert_allclose(halved["stem"]["kernel"], kernel / 2**step, atol=1e-4)
    np.testing.assert_allclose(halved["heads"]["value"]["kernel"], of_heads, atol=1e-4)
    assert np.abs(kernel).max() > 1e-3


def test_similarity_is_a_cosine_that_teaches_the_dynamics_alone(variables):
    def similarity(params, boards):
        of_params = variables._replace(params=params)
        found = NETWORK.unroll(of_params, BOARDS, ACTION_PLANES, boards).similarity
        return found.sum(), found

    differentiate = jax.jit(jax.grad(similarity, argnums=(0, 1), has_aux=True))
    (gradient, of_boards), found = differentiate(variables.params, NEXT_BOARDS)
    assert found.shape == (STEPS, BATCH)
    assert (np.abs(found) <= 1.001).all()
    assert (np.asarray(of_boards) == 0).all()
    for layer in ("dynamics", "turn_stem", "consistency"):
        assert max(np.abs(x).max() for x in jax.tree.leaves(gradient[layer])) > 0
    assert max(np.abs(x).max() for x in jax.tree.leaves(gradient["heads"])) == 0


def test_a_network_that_is_no_resnet_is_refused():
    with pytest.raises(ValueError, match=r"^network.name='mlp': must be 'resnet'"):
        make_model_network(MLPConfig(), SHAPE, ACTIONS, PLANES)
