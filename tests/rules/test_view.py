"""What a seat sees: all that it may, and nothing that depends on hidden cards."""

from hypothesis import given
from hypothesis import strategies as st
from rules_models import (
    DEAL_RULES,
    cards,
    dealing_of,
    eager,
    every_action,
    offered,
    packs,
    row,
    whims,
)

from referee.rules.actions import Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import FULL, mask, members, parse
from referee.rules.deal import Dealing, Illegal, Phase, act, decide, start
from referee.rules.ruleset import resolve
from referee.rules.view import seen, view

rulesets = st.sampled_from(DEAL_RULES).map(resolve)


def _swap_hidden(order, hidden, permuted):
    """The pack with the hidden cards exchanged among their places."""
    swap = dict(zip(hidden, permuted, strict=True))
    return [swap.get(card, card) for card in order], swap


def _refusals(deal):
    texts = []
    for action in every_action():
        try:
            decide(deal, action)
        except Illegal as illegal:
            texts.append((action, illegal.code, illegal.message))
    return texts


def _known_to(deal, seat, own):
    """Every card whose place a seat has learned, `own` being those it has held."""
    known = own | mask(seen(deal, seat).pile) | 1 << deal.upcard
    for card in deal.public[1::2]:
        known |= 1 << card if card < 52 else 0
    for shown in deal.spreads:
        known |= shown.unmatched | sum(shown.melds)
    return known


@given(rules=rulesets, order=packs, steps=whims, data=st.data())
def test_hidden_cards_make_no_difference(rules, order, steps, data):
    """Two deals that agree on what a seat knows look the same to it, refusals and all."""
    seat = data.draw(st.integers(0, rules.players - 1))
    # No reshuffle in this test: its piles would be another choice of what is hidden.
    deal = start(rules, 1, 0, dealing_of(order, rules), lambda k, pile: (tuple(pile),))
    own = deal.hands[seat]
    actions = []
    for whim in steps:
        if deal.outcome or (deal.stock_count <= 1 and rules.stock_end == "reshuffle"):
            break
        if deal.phase is Phase.LAYOFF and data.draw(st.booleans()):
            break
        choices = list(offered(deal))
        action = eager(deal) if whim == 0 else choices[whim % len(choices)]
        if isinstance(action, (Knock, LayOff)) and action.melds is None:
            action = _as_declared(deal, action)
        act(deal, action)
        actions.append(action)
        own |= deal.hands[seat]
    hidden = members(FULL & ~_known_to(deal, seat, own))
    permuted = data.draw(st.permutations(hidden))

    swapped, swap = _swap_hidden(order, hidden, permuted)
    other = start(rules, 1, 0, dealing_of(swapped, rules), lambda k, pile: (tuple(pile),))
    for action in actions:
        if isinstance(action, (Knock, Discard)):
            action = action._replace(card=swap.get(action.card, action.card))
        act(other, action)

    assert seen(other, seat) == seen(deal, seat)
    if deal.turn == seat:
        assert view(other, seat, 0, True) == view(deal, seat, 0, True)
        assert _refusals(other) == _refusals(deal)


def _as_declared(deal, action):
    """The same action with its arrangement named, so that it can be repeated."""
    (event, *_) = decide(deal, action)
    if isinstance(action, Knock):
        return action._replace(melds=event.melds)
    return LayOff(event.melds, event.layoffs)


DEALT = Dealing(
    (cards("2H 3H 4H 9C 9D 9S KC KD QS 5C"), cards("AC 3D 5D 6C 8D 8H TH QC QD KS")),
    parse("7S"),
    (row("KH 2C AS 7D"),),
    (0, 0),
)


def test_question_holds_all_that_the_seat_needs():
    """A question shows hand, top, stock, what happened since, and the counts asked for."""
    deal = start(resolve("danish"), 1, 1, DEALT)
    act(deal, Take())
    found = view(deal, 0, 0, want_deadwood=True)
    assert found.hand == DEALT.hands[0] | mask([parse("7S")])
    assert (found.top, found.stock) == (-1, 4)
    assert found.events == bytes((0x20, parse("7S")))
    assert found.options.discards == DEALT.hands[0]
    counts = dict(zip(members(found.options.discards), found.options.discard_deadwood, strict=True))
    assert counts[parse("QS")] == 5 + 7 + 20
    assert counts[parse("2H")] == 5 + 7 + 30 + 3 + 4
    assert view(deal, 0, 2, want_deadwood=True).events == b""


def test_counts_before_the_draw():
    """Before the draw a seat is told its count, and the least after taking the pile's top."""
    deal = start(
        resolve("german"), 1, 1, DEALT._replace(upcard=parse("KH"), piles=(row("7S 2C AS"),))
    )
    options = view(deal, 0, 0, want_deadwood=True).options
    assert (options.deadwood, options.deadwood_if_taken) == (35, 5)
    plain = view(deal, 0, 0, want_deadwood=False).options
    assert (plain.deadwood, plain.deadwood_if_taken) == (0, 0)
    assert (plain.may_take, plain.may_draw) == (True, True)


def test_knocks_come_with_the_count_after_each():
    """The cards that may be knocked with carry the deadwood after each, cards ascending."""
    deal = start(resolve("german"), 1, 1, DEALT._replace(piles=(row("KH AD 2C 3C"),)))
    act(deal, Draw())
    options = view(deal, 0, 0, want_deadwood=False).options
    assert options.knocks == mask([parse("QS")])
    assert options.knock_deadwood == b"\x05"
    assert options.discard_deadwood == b""


def test_an_opponent_sees_the_knocker_before_answering():
    """The question after a knock shows the knocker's melds, the rest and the count."""
    deal = start(resolve("german"), 1, 1, DEALT)
    act(deal, Draw())
    act(deal, Knock(parse("QS")))
    found = view(deal, 1, 0, want_deadwood=True)
    (shown,) = found.spreads
    assert found.phase is Phase.LAYOFF and found.options.may_lay_off
    assert (shown.seat, shown.unmatched, shown.deadwood) == (0, cards("5C"), 5)
    assert shown.melds == (cards("9C 9D 9S"), cards("KC KD KH"), cards("2H 3H 4H"))


def test_nothing_is_shown_after_a_void_deal():
    """After a void deal a seat knows its own hand and no other."""
    rules = resolve({"preset": "german", "turn_cap": 1})
    deal = start(rules, 1, 1, DEALT)
    act(deal, Draw())
    act(deal, Discard(parse("KH")))
    found = seen(deal, 1)
    assert found.outcome and found.outcome.end == "void"
    assert found.spreads == ()
    assert found.hand == DEALT.hands[1]


def test_partner_lays_off_on_the_opponents_melds():
    """With partners the melds that may be laid off on come first, as meld numbers count them."""
    rules = resolve("partnership")
    hands = (
        "2C 3C 4C 9D 9H 9S KC KD KH 5S",
        "5H 6H 7H JC JD JS 9C AD 2D 3S",
        "8H 4H JH TS 3D QC QH QS 5C 2S",
        "TC TD TH 4D 5D 6D KS 3H 8S AC",
    )
    rest = FULL ^ sum(map(cards, hands)) ^ cards("7D QD")
    piles = ((parse("QD"), *members(rest)),)
    deal = start(rules, 1, 3, Dealing(tuple(map(cards, hands)), parse("7D"), piles, (0, 0, 0, 0)))
    act(deal, Draw())
    act(deal, Knock(parse("QD")))
    asked = []
    while deal.phase is Phase.LAYOFF:
        found = view(deal, deal.turn, 0, want_deadwood=False)
        asked.append((deal.turn, found.options.may_lay_off, [s.seat for s in found.spreads]))
        act(deal, LayOff())
    assert asked == [(1, False, [0]), (3, False, [0, 1]), (2, True, [1, 3, 0])]
