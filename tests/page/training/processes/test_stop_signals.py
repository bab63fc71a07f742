from concurrent.futures import ThreadPoolExecutor

import pytest

from azjax.page.training.processes import stop_signals
from azjax.page.training.processes.stop_signals import StopSignals
from azjax.support.errors import InputError
from azjax.support.files.ownership import Owner

OWNER = Owner("laptop", 12, 100.0)


@pytest.fixture
def sent(monkeypatch):
    """Returns the owners whose processes have got a signal."""
    owners = []
    monkeypatch.setattr(stop_signals, "stop_training", owners.append)
    return owners


def test_a_process_gets_one_signal_even_if_many_ask_at_once(sent):
    signals = StopSignals()

    def ask(_):
        try:
            signals.send("run", [OWNER])
        except InputError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(ask, range(8)))
    assert sent == [OWNER]
    assert sorted(set(told)) == ["", "run is stopping already: it saves its state first"]
    assert told.count("") == 1


def test_only_those_get_a_signal_that_had_none(sent):
    signals, other = StopSignals(), Owner("laptop", 13, 50.0)
    signals.send("one", [OWNER])
    signals.send("all", [OWNER, other])
    assert sent == [OWNER, other]


def test_a_later_process_of_the_same_number_is_another_one(sent):
    signals, later = StopSignals(), OWNER._replace(since=200.0)
    signals.send("run", [OWNER])
    assert (signals.has_asked(OWNER), signals.has_asked(later)) == (True, False)
    signals.send("run", [later])
    assert sent == [OWNER, later]


def test_a_process_that_could_not_be_asked_can_be_asked_again(monkeypatch, sent):
    def refuse(owner):
        raise InputError("it belongs to another user")

    signals = StopSignals()
    with monkeypatch.context() as patch:
        patch.setattr(stop_signals, "stop_training", refuse)
        with pytest.raises(InputError, match="another user"):
            signals.send("run", [OWNER])
    assert not signals.has_asked(OWNER)
    signals.send("run", [OWNER])
    assert sent == [OWNER]
