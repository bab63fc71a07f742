"""The CSS of boards: one for all games."""

from azjax.page.values import FIRST, LOSES, SECOND, WINS

# Colours: of what can be taken, of names of rows and columns, around stones, of the dot on the last
# one, and around those of the line that won.
_LIGHT = (
    "--open:#fff;--ground:#f1f5f9;--line:#b4c0d0;--ink:#334155;--faint:#94a3b8;--name:#566377;"
    f"--first:{FIRST};--second:{SECOND};--rim:transparent;--dot:#fff;--win:#334155"
)
_DARK = (
    "--open:#303a48;--ground:#222a35;--line:#4b5768;--ink:#e2e8f0;--faint:#7f8da1;--name:#a8b3c2;"
    "--first:#5b9bd5;--second:#e8974a;--win:#e2e8f0"
)
_STONES = "--first:#16181b;--second:#f6f4ee;--dot:#d9483b;--win:#d9483b"
_THEMES = {  # by class
    ".wood": f"--ground:#d2a95f;--line:#6e5122;--faint:#5c4318;--rim:#3d3422;{_STONES}",
    ".green": f"--ground:#2f8055;--line:#184a31;--faint:#0f3322;--rim:#123524;{_STONES}",
    ".columns": "--first:#d62f3a;--second:#ffd23c;--rim:#0003;--dot:#1b2430;--win:#fff",
}
_COIN, _COIN_EDGE = "#f3e9c6", "#b8a11e"
_MIDDLE = "text-anchor:middle;pointer-events:none;"

_RULES = {
    ":not(:root)": "display:block;width:100%;height:auto",  # not where it is a whole document
    "": "user-select:none;touch-action:manipulation;font-family:system-ui,sans-serif",
    " .coordinate": f"{_MIDDLE}fill:var(--name)",
    " .ground": "fill:var(--ground);stroke:var(--line);stroke-width:3",
    " .line": "fill:none;stroke:var(--line);stroke-width:3;stroke-linecap:square",
    " .star": "fill:var(--faint)",
    " .frame": "fill:#1f56a5;stroke:#1f56a5;stroke-linejoin:round",
    " .cell": "fill:var(--ground);stroke:var(--line);stroke-width:3;stroke-linejoin:round",
    " .edge": "fill:none;stroke-width:30;stroke-linejoin:round",
    " .disc": "stroke:var(--rim);stroke-width:3",
    " .disc.first": "fill:var(--first)",
    " .disc.second": "fill:var(--second)",
    " .sign": "fill:none;stroke-width:14;stroke-linecap:round",
    " .cube": "fill:var(--ground);stroke:var(--line);stroke-width:3",
    " .cube.open": "fill:var(--open);stroke:var(--faint);stroke-width:5",
    " .cube.taken": "fill:var(--line);stroke:var(--ink);stroke-width:8",
    " .coin": f"fill:{_COIN};stroke:{_COIN_EDGE};stroke-width:5",
    " .gone": "fill:none;stroke:var(--line);stroke-width:3;stroke-dasharray:9 9",
    " .gone.last": "stroke-width:5",
    " :is(.edge,.sign,.gone).first": "stroke:var(--first)",
    " :is(.edge,.sign,.gone).second": "stroke:var(--second)",
    " .hole": "fill:var(--open)",
    " .last.dot": "fill:var(--dot)",
    " .won.ring": "fill:none;stroke:var(--win);stroke-width:8",
    " .tint.first": "fill:var(--first);fill-opacity:.16",
    " .tint.second": "fill:var(--second);fill-opacity:.2",
    " .last .arrow": "fill:var(--faint);fill-opacity:.6",
    " .hint": "fill:var(--faint);fill-opacity:.7",
    " .closed": "fill:none;stroke:var(--faint);stroke-width:5",
    " .heat": "pointer-events:none",
    " .share": f"{_MIDDLE}fill:#0f172a;stroke:#f1f5f9;stroke-width:4;paint-order:stroke",
    " .badge rect": "fill:#64748b",
    " .badge.win rect": f"fill:{WINS}",
    " .badge.loss rect": f"fill:{LOSES}",
    " .badge": "pointer-events:none",
    " .badge text": f"{_MIDDLE}font-size:19px;font-weight:600;fill:#fff",
    " .target": "fill:#fff;fill-opacity:0;stroke-width:6;pointer-events:all",
    " .illegal": "cursor:not-allowed",
    " .move": "cursor:pointer;outline:none",
    " .first .move.target:hover": "fill:var(--first);fill-opacity:.25",
    " .second .move.target:hover": "fill:var(--second);fill-opacity:.25",
    " :is(.move.target:focus-visible,.move:focus-visible .target)": "stroke:var(--ink)",
    " .move:hover .target": "fill:var(--faint);fill-opacity:.15",
    " .ghost": "opacity:0;pointer-events:none",
    " .move:is(:hover,:focus-visible) .ghost": "opacity:.45",
    " .first .move .arrow": "fill:var(--first)",
    " .second .move .arrow": "fill:var(--second)",
    " .coins :is(.move:hover,.move:hover~.move)": f"fill:{_COIN_EDGE}",
    " .coins :is(.move:focus-visible,.move:focus-visible~.move)": f"fill:{_COIN_EDGE}",
    " .coins .move:focus-visible": "stroke:var(--ink)",
    " .pointed": "display:none;fill:none;stroke:var(--ink);stroke-width:8;pointer-events:none;"
    "stroke-dasharray:14 10",  # else a ring looks like a stone
    " .pointed .arrow": "fill:var(--ink);stroke:none",
    " .pointed.on": "display:inline",
    " .render": "font:28px ui-monospace,monospace;fill:var(--ink);white-space:pre",
}


def _colours(colours: str, theme: str = "") -> str:
    """Returns the rule of the colours of boards of a theme, and of the bars beside them."""
    return f".game-board{theme},.eval-bar{theme}{{{colours}}}"


STYLES = "\n".join(
    [
        _colours(_LIGHT),
        *(_colours(colours, theme) for theme, colours in _THEMES.items()),
        *(f".game-board{selector}{{{rule}}}" for selector, rule in _RULES.items()),
    ]
)
# For the page alone: no saved image moves or is dark.
PAGE_STYLES = f"""
@media (prefers-color-scheme:dark){{{_colours(_DARK)}}}
.game-board .fall{{animation:fall .45s cubic-bezier(.5,0,.9,.6) both}}
@keyframes fall{{from{{transform:translateY(var(--drop))}}}}
@media (prefers-reduced-motion:reduce){{.game-board .fall{{animation:none}}}}
"""


def as_document(svg: str) -> str:
    """Returns what `render_board` returns as an SVG file, with its styles in it."""
    root, rest = svg.split(">", 1)  # no attribute has an unescaped `>`
    style = f"<style>\n{STYLES}\n</style>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}>{style}{rest}\n'
