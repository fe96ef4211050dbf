"""One deal: what is legal, what comes of it, and that nothing gets lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rules_models import (
    DEAL_RULES,
    advance,
    cards,
    dealing_of,
    every_action,
    offered,
    packs,
    row,
    started,
    whims,
)

from referee.rules.actions import Decline, Discard, Draw, Knock, LayOff, Take
from referee.rules.cards import FULL, PACK, mask, parse, show
from referee.rules.deal import (
    DealError,
    Dealing,
    Illegal,
    Phase,
    act,
    action_of,
    apply,
    decide,
    start,
)
from referee.rules.events import Knocked, LaidOff
from referee.rules.ruleset import resolve

rulesets = st.sampled_from(DEAL_RULES).map(resolve)
DEALT = Dealing(
    (cards("2H 3H 4H 9C 9D 9S KC KD QS 5C"), cards("AC 3D 5D 6C 8D 8H TH QC QD KS")),
    parse("7S"),
    (row("KH 2C AS 7D"),),
    (0, 0),
)


def dealt(rules="danish", dealer: int = 1, **changes):
    return start(resolve(rules), 1, dealer, DEALT._replace(**changes))


def refused(deal, action) -> str:
    with pytest.raises(Illegal) as illegal:
        decide(deal, action)
    return illegal.value.code


def knocked(rules="danish", melds=None):
    """Seat 0 draws the king of hearts, sheds the queen and knocks with 5."""
    deal = dealt(rules)
    if deal.phase is Phase.OFFER:
        act(deal, Decline())
        act(deal, Decline())
    act(deal, Draw())
    return deal, act(deal, Knock(parse("QS"), melds))


@given(rules=rulesets, order=packs, steps=whims)
def test_offered_is_what_is_accepted(rules, order, steps):
    """At every step exactly the offered actions are accepted, and none of the others."""
    deal = started(order, rules)
    advance(deal, steps)
    # Actions without fields are equal as tuples, so the type is compared as well.
    allowed = set() if deal.outcome else {(type(action), action) for action in offered(deal)}
    for action in every_action():
        if (type(action), action) in allowed:
            decide(deal, action)
        else:
            with pytest.raises(Illegal):
                decide(deal, action)


@given(rules=rulesets, order=packs, steps=whims)
def test_cards_are_conserved(rules, order, steps):
    """Hands, discards and piles hold all 52 cards after every event, each card once."""
    deal = started(order, rules)
    for whim in [*steps, *[0] * 900]:
        if deal.outcome:
            break
        advance(deal, [whim])
        places = [*deal.hands, mask(deal.discards), *map(mask, deal.piles)]
        assert sum(places) == FULL
        assert sum(hand.bit_count() for hand in places) == PACK
        assert deal.stock_count == sum(map(len, deal.piles))
    assert deal.outcome


@settings(max_examples=30)
@given(rules=rulesets, order=packs, whim=st.sampled_from((0, 1, 7)))
def test_every_deal_ends(rules, order, whim):
    """A deal ends whatever the seats do, at the latest with the last turn that is allowed."""
    deal = started(order, rules)
    advance(deal, [whim] * 2_000)
    assert deal.outcome
    assert deal.turns <= rules.turn_cap


@given(rules=rulesets, order=packs, steps=whims)
def test_a_deal_is_a_fold_over_its_events(rules, order, steps):
    """The events of a deal, judged and applied again, lead to the same deal."""
    first = started(order, rules)
    events = []
    for whim in [*steps, *[0] * 300]:
        if first.outcome:
            break
        choices = list(offered(first))
        action = choices[whim % len(choices)]
        done = decide(first, action)
        for event in done:
            apply(first, event)
        events += done

    again = started(order, rules)
    for event in events:
        action = action_of(event)
        if action is not None:
            assert event in decide(again, action)
        apply(again, event)
    assert again.outcome == first.outcome
    assert (again.hands, again.discards, again.public) == (
        first.hands,
        first.discards,
        first.public,
    )


def test_offer_goes_round_and_then_the_stock():
    """After everybody has passed, the seat left of the dealer can only draw from the stock."""
    deal = dealt()
    assert (deal.phase, deal.turn) == (Phase.OFFER, 0)
    assert refused(deal, Draw()) == "phase"
    act(deal, Decline())
    act(deal, Decline())
    assert (deal.phase, deal.turn) == (Phase.DRAW, 0)
    assert refused(deal, Take()) == "must_draw"
    assert refused(deal, Decline()) == "phase"


@pytest.mark.parametrize("action", [Discard, Knock])
def test_taken_card_stays_this_turn(action):
    """The card just taken is neither discarded nor knocked with in the same turn."""
    deal = dealt()
    act(deal, Take())
    assert refused(deal, action(parse("7S"))) == "taken"


def test_taken_card_may_go_back_where_the_rules_say_so():
    """With `may_return_taken_card` the card just taken is a discard like any other."""
    deal = dealt({"preset": "danish", "may_return_taken_card": True})
    act(deal, Take())
    act(deal, Discard(parse("7S")))
    assert deal.top == parse("7S")


@pytest.mark.parametrize("card", ["AC", "KH", "7S"])
def test_cards_that_are_not_held_are_all_alike(card):
    """A card of the other hand, of the stock or of the pile gives one and the same refusal."""
    deal = dealt("german")
    act(deal, Draw())
    deal.hands[0] &= ~mask([parse(card)])
    texts = set()
    for other in (parse(card), parse("AS"), PACK, -1):
        with pytest.raises(Illegal) as illegal:
            decide(deal, Discard(other))
        texts.add((illegal.value.code, illegal.value.message))
    assert texts == {("not_held", "the card is not in the hand")}


def test_declared_melds_are_scored_as_declared():
    """A declaration counts as it stands, even where the referee would arrange better."""
    deal, events = knocked(melds=(cards("KC KD KH"), cards("9C 9D 9S"), cards("2H 3H 4H")))
    assert events == [
        Knocked(0, parse("QS"), (cards("KC KD KH"), cards("9C 9D 9S"), cards("2H 3H 4H")))
    ]
    assert deal.spreads[0].deadwood == 5


@pytest.mark.parametrize(
    "melds",
    [
        (cards("9C 9D 9S"), cards("2H 3H 4H")),  # 35 is over the limit of 7
        (),  # no melds at all
    ],
)
def test_declared_count_must_be_within_the_limit(melds):
    """Melds that leave more than the limit are refused, whatever the cards could do."""
    deal = dealt("german")
    act(deal, Draw())
    assert refused(deal, Knock(parse("QS"), melds)) == "limit"


@pytest.mark.parametrize(
    "melds",
    [
        (cards("9C 9D 9S"), cards("9C 9D 9S")),  # twice
        (cards("KC KD"),),  # no meld
        (cards("AC 3D 5D"),),  # the other hand's
        (cards("QC QD QS"),),  # partly the other hand's
        (cards("QS"), cards("KC KD KH")),  # the discard
        (0,),
        (1 << 60,),
    ],
)
def test_declared_melds_must_be_melds_of_the_hand(melds):
    """Declared melds are sets and runs of the cards kept, each card in one at most."""
    deal = dealt("german")
    act(deal, Draw())
    assert refused(deal, Knock(parse("QS"), melds)) == "melds"


def test_gin_cards_declared_as_less_are_a_knock():
    """Declared deadwood that is not 0 is a knock, open to an answer, even of gin cards."""
    hand = cards("2H 3H 4H 5H 9C 9D 9S KC KD QS")
    changes = {"hands": (hand, DEALT.hands[1] ^ cards("5D") | cards("JC"))}
    for melds, phase in (
        (None, Phase.OVER),
        ((cards("2H 3H 4H"), cards("9C 9D 9S"), cards("KC KD KH")), Phase.LAYOFF),
    ):
        deal = dealt("german", **changes)
        act(deal, Draw())
        act(deal, Knock(parse("QS"), melds))
        assert deal.phase is phase


def test_gin_asks_nobody():
    """After gin all hands are shown at once, and the gin player's side alone scores."""
    hand = cards("2H 3H 4H 5H 9C 9D 9S KC KD QS")
    deal = dealt("german", hands=(hand, DEALT.hands[1]))
    act(deal, Draw())
    act(deal, Knock(parse("QS")))
    assert deal.outcome and deal.outcome.end == "gin"
    assert [shown.seat for shown in deal.spreads] == [0, 1]
    # 5D and 5H make no pair with a third: 1+3+5+6+8+8+10+10+10+10, and a spade doubles.
    assert deal.outcome.points == ((25 + 71) * 2, 0)


def test_undercut_with_nothing_left_is_no_gin():
    """An opponent who is left with nothing after a knock undercuts, without any gin bonus."""
    deal = dealt(
        "danish",
        hands=(DEALT.hands[0], cards("AH AC AD 6C 7C 8C 8D 8H 8S 5H")),
    )
    act(deal, Decline())
    act(deal, Decline())
    act(deal, Draw())
    act(deal, Knock(parse("QS")))
    act(deal, LayOff())
    assert deal.outcome
    assert (deal.outcome.end, deal.outcome.points, deal.outcome.deadwood) == (
        "undercut",
        (0, 15),
        (5, 0),
    )


def test_layoffs_do_not_change_the_declared_melds():
    """The knock's event keeps its melds; the spread on the table shows them with the layoffs."""
    deal, events = knocked()
    act(deal, LayOff())
    assert isinstance(events[0], Knocked)
    assert [show(meld) for meld in events[0].melds] == ["9C 9D 9S", "KC KD KH", "2H 3H 4H"]
    assert [show(meld) for meld in deal.spreads[0].melds] == [
        "9C 9D 9S",
        "KC KD KH KS",
        "2H 3H 4H",
    ]


def test_declared_answer_counts_as_declared():
    """An opponent may meld and lay off less than possible, and is scored so."""
    deal, _ = knocked()
    (event,) = act(deal, LayOff((), ((parse("KS"), 1),)))
    assert event == LaidOff(1, (), ((parse("KS"), 1),))
    assert show(deal.spreads[0].melds[1]) == "KC KD KH KS"
    assert deal.outcome and deal.outcome.deadwood == (5, 61)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (LayOff((), ((parse("KS"), 3),)), "layoffs"),
        (LayOff((), ((parse("KS"), -1),)), "layoffs"),
        (LayOff((), ((parse("KS"), 0),)), "layoffs"),
        (LayOff((), ((parse("KS"), 1), (parse("KS"), 1))), "not_held"),
        (LayOff((), ((parse("5H"), 2),)), "not_held"),
        (LayOff((), ((99, 0),)), "not_held"),
        (LayOff((cards("QC QD KS"),), ()), "melds"),
        (LayOff(None, ((parse("KS"), 1),)), "layoffs"),
        (Discard(parse("KS")), "phase"),
    ],
)
def test_answers_that_are_refused(action, code):
    """An answer to a knock names own cards, once each, on melds that take them."""
    deal, _ = knocked()
    assert refused(deal, action) == code


def test_knock_discard_face_down_shows_when_the_deal_is_scored():
    """A hidden discard is nowhere to be seen until the deal is scored, and to all then."""
    deal, _ = knocked("german")
    assert deal.top == parse("7S")
    assert deal.pile == (parse("7S"),)
    assert bytes(deal.public) == bytes((3 << 4, 255))
    act(deal, LayOff())
    assert deal.top == parse("QS")
    assert bytes(deal.public) == bytes((3 << 4, 255, 4 << 4, parse("QS")))


def test_hidden_discard_over_a_taken_upcard_leaves_no_top():
    """Where the only upcard was taken and the discard is hidden, the pile shows no card."""
    deal = dealt(
        "german",
        hands=(cards("2H 3H 4H 7C 7D 9C 9D 9S KC 5C"), DEALT.hands[1]),
        piles=(row("KH 2C AS"),),
    )
    act(deal, Take())
    act(deal, Knock(parse("KC")))
    assert deal.phase is Phase.LAYOFF
    assert (deal.top, deal.pile) == (-1, ())


def test_public_events_tell_who_did_what():
    """Public events are two bytes each: kind and seat, and the card or 255."""
    deal = dealt()
    for action in (Decline(), Take(), Discard(parse("AC")), Draw(), Discard(parse("KH"))):
        act(deal, action)
    assert deal.public.hex(" ", 2) == bytes(
        (0x10, 255, 0x21, parse("7S"), 0x41, parse("AC"), 0x30, 255, 0x40, parse("KH"))
    ).hex(" ", 2)


def test_each_seat_draws_from_its_own_pile():
    """A seat draws from its pile, and when that is empty from the end of the next to the left."""
    piles = tuple(row(pile) for pile in ("KH", "2C AS 7D JC TS"))
    deal = dealt("german", piles=piles, pile_of=(0, 1))
    drawn = []
    for _ in range(4):
        (event,) = act(deal, Draw())
        drawn.append(event.card)
        if deal.stock_count > 2:
            act(deal, Discard(event.card))
    assert row("KH 2C TS AS") == tuple(drawn)


def test_last_two_cards_are_never_drawn():
    """The discard that leaves two cards voids the deal; a knock with it stands."""
    deal = dealt("german", piles=(row("KH AS 7D"),))
    act(deal, Draw())
    knocking = Knock(parse("QS"))
    decide(deal, knocking)
    act(deal, Discard(parse("QS")))
    assert deal.outcome
    assert (deal.outcome.end, deal.outcome.reason, deal.outcome.winner) == ("void", "stock", None)
    assert deal.outcome.points == (0, 0)
    assert refused(deal, Draw()) == "over"


def test_stock_is_the_reason_where_both_caps_are_met():
    """A discard that is the last one allowed and leaves two cards voids by the stock."""
    rules = {"preset": "german", "turn_cap": 1}
    for pile, reason in (("KH AS 7D", "stock"), ("KH AS 7D 2C", "turn_cap")):
        deal = dealt(rules, piles=(row(pile),))
        act(deal, Draw())
        act(deal, Discard(parse("QS")))
        assert deal.outcome and deal.outcome.reason == reason


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("hands", {"hands": DEALT.hands[:1]}),
        ("hands", {"hands": (DEALT.hands[0], DEALT.hands[0])}),
        ("hands", {"hands": (DEALT.hands[0], cards("AC 3D"))}),
        ("hands", {"hands": (DEALT.hands[0], -1)}),
        ("upcard", {"upcard": parse("2H")}),
        ("upcard", {"upcard": PACK}),
        ("piles", {"piles": ((parse("KH"), parse("2C")),)}),
        ("piles", {"piles": (row("KH KH 2C 7D"),)}),
        ("piles", {"piles": (row("KH 7S 2C 7D"),)}),
        ("piles", {"pile_of": (0, 1)}),
    ],
)
def test_cards_that_cannot_be_dealt(field, changes):
    """A dealing with cards missing, double, or too few is refused by the part that is wrong."""
    with pytest.raises(DealError) as error:
        dealt(**changes)
    assert error.value.field == field


@pytest.mark.parametrize("hand_size", [7, 8, 9, 10])
def test_hand_sizes(hand_size):
    """Deals of seven to ten cards a hand are played to their end."""
    rules = resolve({"preset": "german", "hand_size": hand_size})
    deal = start(rules, 1, 0, dealing_of(list(range(51, -1, -1)), rules))
    advance(deal, [0] * 400)
    assert deal.outcome
