"""The progress of measurements, printed where there is no terminal."""

import io

from rich.console import Console

from azjax.studies.progress import counted_steps


def test_a_line_is_printed_at_each_tenth(console, printed):
    with counted_steps(console, "tournament", 20, completed=3) as advance:
        for _ in range(17):
            advance()
    counts = [3, *range(4, 21, 2)]
    assert printed().splitlines() == [f"tournament: {count} of 20" for count in counts]


def test_few_steps_have_a_line_each(console, printed):
    with counted_steps(console, "play time", 2) as advance:
        advance()
        advance()
    assert printed().splitlines() == [f"play time: {count} of 2" for count in range(3)]


def test_a_terminal_shows_a_bar_between_the_first_and_the_last_line():
    terminal = Console(file=io.StringIO(), force_terminal=True, width=80)
    with counted_steps(terminal, "tournament", 3) as advance:
        advance()
        advance()
        advance()
    text = terminal.file.getvalue()
    assert "tournament: 0 of 3" in text
    assert "tournament: 1 of 3" not in text
    assert "tournament: 3 of 3" in text
    assert "━" in text
