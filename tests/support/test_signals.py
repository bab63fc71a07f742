"""Signals that ask to stop."""

import signal

import pytest

from azjax.support.signals import stop_requests


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM])
def signum(request):
    before = signal.signal(request.param, signal.SIG_DFL)  # it may be ignored
    yield request.param
    signal.signal(request.param, before)


def test_a_signal_is_noted_and_a_second_ctrl_c_has_its_usual_effect(signum):
    seen = []
    signal.signal(signum, lambda *_: seen.append("second"))
    second = ["second"] if signum == signal.SIGINT else []  # a scheduler may send SIGTERM twice
    with stop_requests() as stop_requested:
        assert not stop_requested()
        signal.raise_signal(signum)
        assert stop_requested()
        assert seen == []
        signal.raise_signal(signum)
        assert seen == second
    signal.raise_signal(signum)
    assert seen == [*second, "second"]


@pytest.mark.parametrize("signum", [signal.SIGHUP], indirect=True)
def test_what_terminals_and_batch_systems_send_asks_to_stop_unless_it_is_ignored(signum):
    for handler, is_asked in [(signal.SIG_IGN, False), (signal.SIG_DFL, True)]:
        signal.signal(signum, handler)
        with stop_requests() as stop_requested:
            signal.raise_signal(signum)
            assert stop_requested() == is_asked
        assert signal.getsignal(signum) == handler
