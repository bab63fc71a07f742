import pytest

from azjax.support.machine import processor

CORE = "model name\t: Example 9000\ncpu MHz\t\t: 2100.5\nflags\t\t: fpu avx2 amx_bf16\n\n"


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("2100.5", "3700", True),
        ("avx2 amx_bf16", "amx_bf16 avx2", True),
        ("9000", "9001", False),
        (" avx2", "", False),
    ],
)
def test_a_digest_differs_by_name_and_by_instruction_sets_and_by_nothing_else(
    tmp_path, monkeypatch, old, new, is_same
):
    monkeypatch.setattr(processor, "_CPU_INFO", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text(CORE + CORE)
    digest = processor.processor_digest()
    assert processor.processor_name() == "Example 9000"
    assert processor.instruction_sets() == {"fpu", "avx2", "amx_bf16"}
    (tmp_path / "cpuinfo").write_text(CORE.replace(old, new))
    assert (processor.processor_digest() == digest) == is_same
