"""Numbers of things in words."""


def count(number: int, noun: str) -> str:
    """Returns such as `1 draw`, `2 draws` and `1,000 draws`; a sibilant's plural is in -es."""
    plural = "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"
