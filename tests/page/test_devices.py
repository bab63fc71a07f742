import jax

from azjax.page.devices import add_rules_device, num_search_devices, rules_device


def test_where_a_plugin_has_started_jax_the_page_takes_the_devices_that_are_there():
    before = jax.devices()
    add_rules_device()
    assert jax.devices() == before
    assert (rules_device(), num_search_devices()) == (before[-1], len(before) - 1)


def test_the_rules_share_the_only_device(monkeypatch):
    (first, *_) = jax.devices()
    monkeypatch.setattr(jax, "devices", lambda backend=None: [first])
    assert (rules_device(), num_search_devices()) == (first, 1)
