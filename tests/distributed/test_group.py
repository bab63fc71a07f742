"""The group that flags name."""

import pytest

from azjax.distributed.group import DistributedOptions, ProcessGroup, group_of_flags
from azjax.support.errors import InputError


def test_without_flags_a_process_is_alone():
    assert group_of_flags(DistributedOptions()) is None


def test_flags_name_the_group():
    group = group_of_flags(DistributedOptions("10.0.0.1:7000", 4, 3, 60))
    assert group == ProcessGroup("10.0.0.1", 7000, 4, 3, 60)
    assert group.coordinator_address == "10.0.0.1:7001"
    assert group.flags() == (
        " --distributed.coordinator-address 10.0.0.1:7000"
        " --distributed.num-processes 4 --distributed.process-id 3"
        " --distributed.initialization-timeout 60"
    )
    assert "timeout" not in group._replace(initialization_timeout=300).flags()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (DistributedOptions("10.0.0.1:7000"), "go together"),
        (DistributedOptions(num_processes=2, process_id=0), "go together"),
        (DistributedOptions("10.0.0.1", 2, 0), "must be HOST:PORT"),
        (DistributedOptions(":7000", 2, 0), "must be HOST:PORT"),
        (DistributedOptions("a..b:7000", 2, 0), "must be HOST:PORT"),
        (DistributedOptions("host:65535", 2, 0), "must be HOST:PORT"),
        (DistributedOptions("host:x", 2, 0), "must be HOST:PORT"),
        (DistributedOptions("host:1", 0, 0), "num_processes=0"),
        (DistributedOptions("host:1", 2, 2), "process_id=2: must be at most 1"),
        (DistributedOptions("host:1", 2, -1), "process_id=-1"),
        (DistributedOptions("host:1", 2, 0, 0), "initialization_timeout=0"),
    ],
)
def test_wrong_flags_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        group_of_flags(options)
