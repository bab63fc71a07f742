from types import SimpleNamespace

import pytest

from azjax.page.keyboard import is_plain_press

KEYS = ("alt", "ctrl", "meta", "shift")


def press(*held, keydown=True):
    modifiers = SimpleNamespace(**{key: key in held for key in KEYS})
    return SimpleNamespace(action=SimpleNamespace(keydown=keydown), modifiers=modifiers)


@pytest.mark.parametrize("held", KEYS)
def test_a_key_with_another_one_is_the_browsers(held):
    assert not is_plain_press(press(held))


def test_a_key_that_is_pressed_alone_counts_and_its_release_does_not():
    assert is_plain_press(press())
    assert not is_plain_press(press(keydown=False))
