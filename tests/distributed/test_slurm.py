"""The group of a task of SLURM."""

import os

import pytest

from azjax.distributed.group import ProcessGroup
from azjax.distributed.slurm import first_node, group_of_slurm
from azjax.support.errors import InputError

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
    assert group == ProcessGroup("gpu003", 61_446, 4, 3, 60, (1,))


@pytest.mark.parametrize(
    ("gpus", "num_nodes", "devices"),
    [("0,1", "2", (1,)), ("0", "2", None), ("0,1", "4", None), (None, "2", (1,))],
)
def test_tasks_that_share_the_gpus_of_a_node_take_one_each(gpus, num_nodes, devices):
    visible = {} if gpus is None else {"CUDA_VISIBLE_DEVICES": gpus}
    group = group_of_slurm(TASK | visible | {"SLURM_STEP_NUM_NODES": num_nodes}, 60)
    assert group is not None
    assert group.local_devices == devices


@pytest.mark.parametrize("missing", TASK)
def test_outside_a_step_of_slurm_there_is_no_group(missing):
    environment = {name: value for name, value in TASK.items() if name != missing}
    assert group_of_slurm(environment, 60) is None


def test_the_only_task_is_alone():
    assert group_of_slurm(TASK | {"SLURM_STEP_NUM_TASKS": "1"}, 60) is None


def test_ports_of_all_jobs_are_those_of_dynamic_use():
    groups = [group_of_slurm(TASK | {"SLURM_JOB_ID": str(job)}, 60) for job in range(5000)]
    ports = {group.port for group in groups if group}
    assert min(ports) >= 49_152
    assert max(ports) + 1 <= 65_535


def test_steps_of_a_job_have_ports_of_their_own():
    groups = [group_of_slurm(TASK | {"SLURM_STEP_ID": str(step)}, 60) for step in range(8)]
    assert len({group.port for group in groups if group}) == 8


def test_a_machine_that_slurm_does_not_tell_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(InputError, match="scontrol show hostnames a,b fails: "):
        first_node("a,b")
