import pytest

from azjax.support.machine import processor

SERVER = """processor : 0
model name\t: Example 9000
cpu MHz\t\t: 2100.5
flags\t\t: fpu avx2 amx_bf16

processor : 1
model name\t: Another
flags\t\t: fpu
"""


@pytest.fixture
def cpu_info(tmp_path, monkeypatch):
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(processor, "_CPU_INFO", path)
    return path


def test_the_first_core_tells_name_and_instruction_sets(cpu_info):
    cpu_info.write_text(SERVER)
    assert processor.processor_name() == "Example 9000"
    assert processor.instruction_sets() == {"fpu", "avx2", "amx_bf16"}


def test_a_digest_differs_by_name_and_by_instruction_sets_and_by_nothing_else(cpu_info):
    cpu_info.write_text(SERVER)
    digest = processor.processor_digest()
    for changed, is_same in [
        (SERVER.replace("2100.5", "3700"), True),
        (SERVER.replace("avx2 amx_bf16", "amx_bf16 avx2"), True),
        (SERVER.replace("9000", "9001"), False),
        (SERVER.replace(" avx2", ""), False),
    ]:
        cpu_info.write_text(changed)
        assert (processor.processor_digest() == digest) == is_same
