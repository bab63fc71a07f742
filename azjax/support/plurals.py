"""Numbers of things in words."""


def count(number: int, noun: str) -> str:
    """Returns such as `1 draw`, `2 draws` and `1,000 draws`."""
    return f"{number:,} {agreeing(noun, number)}"


def agreeing(noun: str, number: float) -> str:
    """Returns the noun's singular or plural, as its number needs; a sibilant's plural is in -es."""
    plural = "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    return noun if number == 1 else f"{noun}{plural}"
