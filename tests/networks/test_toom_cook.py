"""The matrices of minimal filtering compute the correlation, in as few products as can be."""

import numpy as np
import pytest

from azjax.networks.toom_cook import fewest_products, num_tiles, transforms

SIZES = [1, 2, 3, 4]


@pytest.mark.parametrize("m", SIZES)
def test_the_outputs_are_the_correlation(m):
    generator = np.random.default_rng(0)
    inputs, kernel = generator.normal(size=m + 2), generator.normal(size=3)
    matrices = transforms(m)
    products = (np.array(matrices.kernel) @ kernel) * (np.array(matrices.inputs) @ inputs)
    assert products.shape == (m + 2,)
    expected = np.correlate(inputs, kernel, mode="valid")
    np.testing.assert_allclose(np.array(matrices.outputs) @ products, expected, atol=1e-12)


def test_two_at_a_time_only_add():
    matrices = transforms(2)
    assert set(np.ravel(matrices.inputs)) == set(np.ravel(matrices.outputs)) == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize(
    ("cells", "m", "products"), [(3, 3, 5), (6, 3, 10), (7, 4, 12), (8, 4, 12), (19, 4, 30)]
)
def test_a_side_takes_the_fewest_products(cells, m, products):
    assert fewest_products(cells) == m
    assert num_tiles(cells, m) * (m + 2) == products


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("cells", range(1, 20))
def test_tiles_cover_a_side_and_no_tile_is_beyond_it(cells, m):
    assert (num_tiles(cells, m) - 1) * m < cells <= num_tiles(cells, m) * m
