"""The matrices of minimal filtering compute a correlation."""

import numpy as np
import pytest

from azjax.networks.ops.winograd_transforms import MAX_OUTPUTS, make_transforms


@pytest.mark.parametrize("m", range(1, MAX_OUTPUTS + 1))
def test_the_outputs_are_the_correlation(m):
    generator = np.random.default_rng(0)
    inputs, kernel = generator.normal(size=m + 2), generator.normal(size=3)
    matrices = make_transforms(m)
    products = (matrices.kernel @ kernel) * (matrices.inputs @ inputs)
    assert products.shape == (m + 2,)
    expected = np.correlate(inputs, kernel, mode="valid")
    np.testing.assert_allclose(matrices.outputs @ products, expected, atol=1e-12)


def test_two_outputs_take_only_additions():
    matrices = make_transforms(2)
    assert set(matrices.inputs.flat) == set(matrices.outputs.flat) == {-1.0, 0.0, 1.0}
