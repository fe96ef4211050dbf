"""Draws the pictures of docs/rules.md: `python docs/pictures/draw.py` writes them beside this file.

Cards are drawn in four colours, clubs green and diamonds blue. What the pictures show are scenarios
of tests/rules/cases; the numbers on them are checked there.
"""

# ruff: noqa: RUF001 - the pictures show the real signs for times and minus

from collections.abc import Callable
from pathlib import Path

INK, SOFT, PAPER, LINE, MARK = "#22262b", "#5c646d", "#f6f4ee", "#c9c4b6", "#d9730d"
COLOUR = {"C": "#1b7a3d", "D": "#1f5fbf", "H": "#c62828", "S": "#15181c"}
# Each suit in a box of 20 by 20.
SUIT = {
    "C": '<circle cx="10" cy="5.6" r="4.3"/><circle cx="5" cy="11.6" r="4.3"/>'
    '<circle cx="15" cy="11.6" r="4.3"/><path d="M9 9h2c0 5 1 8 3 10H6c2-2 3-5 3-10z"/>',
    "D": '<path d="M10 0.5 17 10 10 19.5 3 10z"/>',
    "H": '<path d="M10 19C3 13 0.8 9.6 0.8 6.2A4.8 4.8 0 0 1 10 4.1a4.8 4.8 0 0 1 9.2 2.1'
    'C19.2 9.6 17 13 10 19z"/>',
    "S": '<path d="M10 0.8C14 5.2 19 8.2 19 12.2a4.3 4.3 0 0 1-7.8 2.5c.3 2 1.2 3.4 2.8 4.6H6'
    'c1.6-1.2 2.5-2.6 2.8-4.6A4.3 4.3 0 0 1 1 12.2C1 8.2 6 5.2 10 0.8z"/>',
}
WIDE, HIGH, STEP = 50, 70, 36
FONT = "font-family=\"'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\""


def text(x: float, y: float, words: str, size: int = 15, more: str = "") -> str:
    """A line of text; `more` are further attributes, the ink is the default colour."""
    ink = "" if "fill=" in more else f' fill="{INK}"'
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{ink} {more}>{words}</text>'


def soft(x: float, y: float, words: str, size: int = 14) -> str:
    """A line of text that explains."""
    return text(x, y, words, size, f'fill="{SOFT}"')


def headed(x: float, y: float, head: str, words: str = "") -> str:
    """A heading, and on the same line what it explains."""
    more = f'<tspan font-weight="400" fill="{SOFT}" dx="10" font-size="14">{words}</tspan>'
    return text(x, y, head + (more if words else ""), 16, 'font-weight="700"')


def number(x: float, y: float, words: object, size: int = 15, more: str = "") -> str:
    """Text that ends at x."""
    return text(x, y, str(words), size, f'text-anchor="end" {more}')


def card(x: float, y: float, name: str, marked: bool = False) -> str:
    """One card, face up, its top left corner at x, y."""
    rank, suit = name
    edge = f'stroke="{MARK}" stroke-width="2.5"' if marked else f'stroke="{SOFT}"'
    return (
        f'<g transform="translate({x:g} {y:g})"><rect width="{WIDE}" height="{HIGH}" rx="6" '
        f'fill="#fff" {edge}/><g fill="{COLOUR[suit]}">'
        f'<text x="6" y="20" font-size="18" font-weight="700">{"10" if rank == "T" else rank}'
        f'</text><g transform="translate(7 25) scale(.65)">{SUIT[suit]}</g>'
        f'<g transform="translate(21 39) scale(1.15)">{SUIT[suit]}</g></g></g>'
    )


def back(x: float, y: float) -> str:
    """One card, face down."""
    return (
        f'<g transform="translate({x:g} {y:g})"><rect width="{WIDE}" height="{HIGH}" rx="6" '
        f'fill="#fff" stroke="{SOFT}"/><rect x="5" y="5" width="{WIDE - 10}" '
        f'height="{HIGH - 10}" rx="3" fill="#8fa3b8"/></g>'
    )


def row(x: float, y: float, cards: str) -> str:
    """Cards side by side; + before a card marks it as laid off and lifts it a little."""
    drawn: list[str] = []
    for at, name in enumerate(cards.split()):
        marked = name.startswith("+")
        drawn.append(card(x + at * STEP, y - 8 * marked, name[-2:], marked))
    return "".join(drawn)


def groups(x: float, y: float, melds: str, gap: int = 34) -> str:
    """Rows of cards with room between them, separated by | in `melds`."""
    drawn = ""
    for meld in melds.split("|"):
        drawn += row(x, y, meld)
        x += (len(meld.split()) - 1) * STEP + WIDE + gap
    return drawn


def rule(x: float, y: float, width: float, more: str = "") -> str:
    """A horizontal line."""
    return f'<path d="M{x:g} {y:g}h{width:g}" stroke="{more or LINE}"/>'


def melds() -> tuple[int, int, str]:
    """Sets, runs, and what is neither."""
    return (
        760,
        388,
        headed(24, 38, "Sets", "three or four cards of one rank")
        + groups(24, 54, "8C 8D 8H | QC QD QH QS")
        + headed(24, 158, "Runs", "three or more cards of one suit in sequence")
        + groups(24, 174, "4S 5S 6S | 9H TH JH QH KH")
        + headed(24, 278, "No melds")
        + groups(24, 294, "QS KS AS | KD AD 2D", 150)
        + soft(156, 318, "the ace is low;", 13)
        + soft(156, 335, "a run only with", 13)
        + soft(156, 352, "ace_high_runs", 13)
        + soft(428, 325, "round the corner:", 13)
        + soft(428, 342, "never a run", 13),
    )


def knock() -> tuple[int, int, str]:
    """A knock with 2 against 61; scenario knock-difference."""
    return (
        760,
        368,
        headed(24, 36, "Upcard")
        + card(24, 48, "6H")
        + soft(88, 78, "It sets the limit:")
        + soft(88, 97, "six points or fewer may knock.")
        + headed(400, 36, "Last discard")
        + back(400, 48)
        + soft(464, 78, "Face down until the deal is scored")
        + soft(464, 97, "where knock_discard_face_down is on.")
        + headed(24, 152, "The knocker", "deadwood 2")
        + groups(24, 164, "8C 8D 8H | QC QD QH | 4S 5S 6S | 2D")
        + headed(24, 262, "The opponent", "5 + 7 + 9 + 10 × 4 = 61; the knocker scores 61 − 2 = 59")
        + groups(24, 274, "AC 2C 3C | 5D 7D 9H TH JC KD KS"),
    )


def layoff() -> tuple[int, int, str]:
    """Four cards laid off; scenario layoff-set-and-run."""
    return (
        760,
        368,
        headed(24, 36, "The opponent", "no meld, deadwood 73")
        + row(24, 48, "AC 3S 5D 7S 8S 9H TH JC QS KD")
        + headed(24, 152, "The knocker", "with what is laid off on the melds; deadwood 2")
        + groups(24, 172, "8C 8D 8H | QC QD QH +QS | +3S 4S 5S 6S +7S +8S | 2C", 20)
        + headed(24, 274, "Left", "1 + 5 + 9 + 10 × 3 = 45; the knocker scores 45 − 2 = 43")
        + row(24, 286, "AC 5D 9H TH JC KD"),
    )


def sheet() -> tuple[int, int, str]:
    """A game to 200 with boxes; scenario spade-not-the-bonuses."""
    deals = (
        ("1", "7 of diamonds", "Seat 1 knocks, 30 − 5", "", "25"),
        ("2", "10 of spades", "Seat 0 knocks, (65 − 5) × 2", "120", ""),
        ("3", "9 of spades", "Seat 0 knocks, (50 − 4) × 2", "92", ""),
    )
    ends = (
        ("Points", "212", "25"),
        ("Boxes, 25 each", "50", "25"),
        ("Game bonus", "100", ""),
        ("Total", "362", "50"),
    )
    bold = 'font-weight="700"'
    drawn = text(24, 38, "Deal", 15, bold) + text(80, 38, "Upcard", 15, bold)
    drawn += number(590, 38, "Seat 0", 15, bold) + number(716, 38, "Seat 1", 15, bold)
    drawn += rule(24, 50, 712, INK)
    for at, (deal, upcard, how, first, second) in enumerate(deals):
        y = 76 + at * 32
        drawn += text(24, y, deal) + text(80, y, upcard) + soft(220, y, how)
        drawn += number(590, y, first) + number(716, y, second) + rule(24, y + 10, 712)
        drawn += box(600 if first else 726, y - 12)
    for at, (what, first, second) in enumerate(ends):
        y = 192 + at * 30
        weight = bold if what == "Total" else ""
        drawn += text(220, y, what, 15, weight)
        drawn += number(590, y, first, 15, weight) + number(716, y, second, 15, weight)
    drawn += rule(220, 262, 516, INK)
    return 760, 304, drawn + box(24, 273) + soft(44, 285, "a box: one deal won", 13)


def box(x: float, y: float) -> str:
    """The mark of a deal won."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="13" height="13" fill="none" stroke="{MARK}" '
        f'stroke-width="2"/>'
    )


def hollywood() -> tuple[int, int, str]:
    """Three columns to their ends; scenario hollywood-german."""
    columns = (
        ("1", (("1", 160, ""), ("2", 220, "")), (220, ""), (50, ""), 100, True, (740, 0)),
        (
            "2",
            (("2", 60, ""), ("3", "", 20), ("4", 160, ""), ("5", 210, "")),
            (210, 20),
            (75, 25),
            100,
            False,
            (385, 45),
        ),
        (
            "3",
            (("4", 100, ""), ("5", 150, ""), ("6", 205, "")),
            (205, ""),
            (75, ""),
            100,
            True,
            (760, 0),
        ),
    )
    bold = 'font-weight="700"'
    drawn = ""
    for at, (name, entries, points, boxes, bonus, doubled, totals) in enumerate(columns):
        x = 24 + at * 244
        drawn += text(x, 38, f"Column {name}", 16, bold)
        drawn += number(x + 150, 62, "Seat 0", 14) + number(x + 212, 62, "Seat 1", 14)
        drawn += rule(x, 70, 220, INK)
        for line, (deal, first, second) in enumerate(entries):
            y = 92 + line * 26
            drawn += soft(x, y, f"deal {deal}", 13)
            drawn += number(x + 150, y, first) + number(x + 212, y, second)
        drawn += rule(x, 182, 220, INK)
        rows = (("points", points), ("boxes", boxes), ("game", (bonus, "")))
        for line, (what, (first, second)) in enumerate(rows):
            y = 204 + line * 24
            drawn += soft(x, y, what, 13)
            drawn += number(x + 150, y, first) + number(x + 212, y, second)
        drawn += soft(x, 276, "shutout", 13) + number(x + 150, 276, "× 2" if doubled else "")
        drawn += rule(x, 286, 220, INK) + text(x, 308, "total", 15, bold)
        drawn += number(x + 150, 308, totals[0], 15, bold)
        drawn += number(x + 212, 308, totals[1], 15, bold)
    sums = "Seat 0: 740 + 385 + 760 = 1885      Seat 1: 0 + 45 + 0 = 45"
    return 760, 360, drawn + text(24, 342, sums, 15, 'xml:space="preserve"')


PICTURES: dict[str, tuple[str, Callable[[], tuple[int, int, str]]]] = {
    "melds": ("Sets, runs, and three cards that are neither", melds),
    "knock": ("A knock with 2 under a limit of 6", knock),
    "layoff": ("Four cards laid off on the knocker's melds", layoff),
    "score-sheet": ("A score sheet with boxes and the game bonus", sheet),
    "hollywood": ("Three columns of Hollywood scoring", hollywood),
}


def picture(name: str) -> str:
    """The SVG text of one picture."""
    title, draw = PICTURES[name]
    width, height, drawn = draw()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" {FONT}>\n<title>{title}</title>\n'
        f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>\n'
        + drawn.replace("<g transform", "\n<g transform").replace("<text", "\n<text")
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    for name in PICTURES:
        (Path(__file__).parent / f"{name}.svg").write_text(picture(name), encoding="utf-8")
