"""The group that flags or SLURM name."""

import os

import pytest

from azjax.distributed import group as group_module
from azjax.distributed.group import DistributedOptions, ProcessGroup, group_of_flags, group_of_slurm
from azjax.support.errors import InputError


def test_flags_name_the_group():
    group = group_of_flags(DistributedOptions("10.0.0.1:7000", 4, 3, 60))
    assert group == ProcessGroup("10.0.0.1:7000", 4, 3, 60)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (DistributedOptions("10.0.0.1:7000"), "go together"),
        (DistributedOptions("host:65536", 2, 0), "must be HOST:PORT"),
        (DistributedOptions("host:1", 2, 2), "process_id=2: must be at most 1"),
    ],
)
def test_wrong_flags_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        group_of_flags(options)


TASK = {
    "SLURM_JOB_ID": "2050",
    "SLURM_STEP_ID": "0",
    "SLURM_STEP_NODELIST": "gpu[003-007,9],login",
    "SLURM_STEP_NUM_NODES": "2",
    "SLURM_STEP_NUM_TASKS": "4",
    "SLURM_PROCID": "3",
    "SLURM_LOCALID": "1",
}


@pytest.fixture(autouse=True)
def scontrol(tmp_path, monkeypatch):
    """Puts a program of SLURM in place, which lists the nodes of a task."""
    program = tmp_path / "scontrol"
    program.write_text('#!/bin/sh\n[ "$1 $2" = "show hostnames" ] && echo gpu003 gpu004\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


def test_a_task_is_a_process_of_a_group():
    group = group_of_slurm(TASK, 60)
    assert group == ProcessGroup("gpu003:63490", 4, 3, 60, (1,))


@pytest.mark.parametrize(
    ("gpus", "num_nodes", "devices"), [("0,1", "2", (1,)), ("0", "2", None), ("0,1", "4", None)]
)
def test_tasks_that_share_the_gpus_of_a_node_take_one_each(gpus, num_nodes, devices):
    environment = {"CUDA_VISIBLE_DEVICES": gpus, "SLURM_STEP_NUM_NODES": num_nodes}
    assert group_of_slurm(TASK | environment, 60).local_devices == devices


def test_outside_a_step_of_slurm_and_in_one_of_a_single_task_there_is_no_group():
    environment = {name: value for name, value in TASK.items() if name != "SLURM_STEP_ID"}
    assert group_of_slurm(environment, 60) is None
    assert group_of_slurm(TASK | {"SLURM_STEP_NUM_TASKS": "1"}, 60) is None


def test_steps_have_a_port_of_their_own_which_is_one_of_dynamic_use(monkeypatch):
    monkeypatch.setattr(group_module, "first_node", lambda nodes: "gpu003")
    for changed in ("SLURM_JOB_ID", "SLURM_STEP_ID"):
        groups = [group_of_slurm(TASK | {changed: str(number)}, 60) for number in range(4_095)]
        ports = [int(group.coordinator_address.rpartition(":")[2]) for group in groups]
        assert len({*ports}) == 4_095
        assert min(ports) >= 49_152
        assert max(ports) <= 65_535
