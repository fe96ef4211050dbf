"""Actions as text."""

import pytest

from referee.rules.actions import BigGin, Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import mask, parse
from referee.rules.decide import Illegal
from referee.rules.script import ScriptError, read, write


def _cards(text: str) -> int:
    return mask(map(parse, text.split()))


TEXTS = [
    ("pass", Decline()),
    ("take", Take()),
    ("draw", Draw()),
    ("discard KC", Discard(12)),
    ("knock KC", Knock(12)),
    ("knock KC: ", Knock(12, ())),
    ("knock KC: AD 2D 3D | QC QD QH", Knock(12, (_cards("AD 2D 3D"), _cards("QC QD QH")))),
    ("big gin", BigGin()),
    ("big gin: AD 2D 3D", BigGin((_cards("AD 2D 3D"),))),
    ("layoff", LayOff()),
    ("layoff: ", LayOff(())),
    (
        "layoff: 4C 4D 4S | 5S 6S 7S ; 6H>0 5H>12",
        LayOff(
            (_cards("4C 4D 4S"), _cards("5S 6S 7S")),
            ((parse("6H"), 0), (parse("5H"), 12)),
        ),
    ),
    ("layoff:  ; 6H>0", LayOff((), ((parse("6H"), 0),))),
]


@pytest.mark.parametrize(("text", "action"), TEXTS)
def test_read(text, action):
    """Each action is read from its text."""
    found = read(text)
    assert (type(found), found) == (type(action), action)


@pytest.mark.parametrize(("text", "action"), TEXTS)
def test_write(text, action):
    """Each action is written as the text that it is read from."""
    assert write(action) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fold",
        "take KC",
        "discard",
        "discard KX",
        "discard kc",
        "discard KC KD",
        "discard KC: AD",
        "knock",
        "knock 1S",
        "knock KC: AD 2D 3",
        "layoff: ; 6H",
        "layoff: ; 6H>x",
        "layoff: ; 6H>-1",
        "layoff: ; 6H>" + "9" * 5000,
        "pass: KC",
        "big",
    ],
)
def test_texts_that_cannot_be_read(text):
    """What is no action is refused, not guessed."""
    with pytest.raises(ScriptError):
        read(text)


def test_a_card_named_twice_in_a_meld_is_illegal():
    """A meld that names a card twice is an illegal action, as no set of cards can say it."""
    with pytest.raises(Illegal):
        read("knock KC: 7C 7C 7D 7H")
