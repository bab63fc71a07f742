"""The log of the sessions of a study or a sweep."""

import dataclasses

from azjax.support.provenance.commit import package_commit
from azjax.support.provenance.session_log import read_sessions, recorded_session


def test_a_session_that_is_killed_is_recorded_without_its_duration(tmp_path):
    with recorded_session(tmp_path, "python a.py"):
        [unended] = read_sessions(tmp_path)
    [ended] = read_sessions(tmp_path)
    assert (unended.seconds, unended.commit) == (None, package_commit())
    assert ended == dataclasses.replace(unended, seconds=ended.seconds)
    assert ended.seconds >= 0


def test_a_session_that_is_cut_in_writing_is_replaced_by_the_next(tmp_path):
    with recorded_session(tmp_path, "python a.py"):
        file = tmp_path / "sessions.jsonl"
        file.write_text(file.read_text()[:-30])
    with recorded_session(tmp_path, "python b.py"):
        pass
    assert [session.command[-4:] for session in read_sessions(tmp_path)] == ["a.py", "b.py"]
