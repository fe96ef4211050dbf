"""Dealt cards and played deals for the tests of the rules."""

from hypothesis import strategies as st

from referee.rules.actions import (
    BigGin,
    Decline,
    Discard,
    Draw,
    Knock,
    LayOff,
    Take,
)
from referee.rules.cards import PACK, mask, members, parse
from referee.rules.deal import Deal, Dealing, act, start
from referee.rules.view import options_of

# Rulesets between them cover every field of a deal; those not served yet are composed all the same.
DEAL_RULES = (
    "danish",
    "spanish",
    "german",
    "straight",
    {"preset": "danish", "hand_size": 7, "may_return_taken_card": True},
    {"preset": "standard", "big_gin_bonus": 31, "ace_high_runs": True},
    {"preset": "no_layoff", "turn_cap": 9},
    "three_handed",
    {"preset": "three_handed", "first_turn": "offer", "stock_end": "reshuffle"},
    {"preset": "four_handed", "hand_size": 9},
    "partnership",
    {"preset": "partnership", "layoff": "all", "knock_discard_face_down": False},
)


def cards(text: str) -> int:
    return mask(map(parse, text.split()))


def row(text: str) -> tuple[int, ...]:
    """Cards in their order."""
    return tuple(map(parse, text.split()))


def dealing_of(order, rules) -> Dealing:
    """Deal a shuffled pack: hands, then the upcard, then a pile for each seat."""
    size, players = rules.hand_size, rules.players
    hands = tuple(mask(order[seat * size : (seat + 1) * size]) for seat in range(players))
    rest = order[size * players :]
    piles = tuple(tuple(rest[1 + seat :: players]) for seat in range(players))
    return Dealing(hands, rest[0], piles, tuple(range(players)))


def started(order, rules, dealer: int = 0) -> Deal:
    return start(rules, 1, dealer, dealing_of(order, rules), lambda k, pile: (tuple(pile),))


def every_action():
    """Every action without arrangements, those that name no card of the pack included."""
    yield from (Decline(), Take(), Draw(), BigGin(), LayOff())
    for card in (-1, *range(PACK), PACK, 255):
        yield Discard(card)
        yield Knock(card)


def offered(deal: Deal):
    """The actions that the seat to decide is offered, as `every_action` names them."""
    options = options_of(deal, deal.turn, want_deadwood=False)
    if options.may_decline:
        yield Decline()
    if options.may_take:
        yield Take()
    if options.may_draw:
        yield Draw()
    if options.may_big_gin:
        yield BigGin()
    if deal.phase.name == "LAYOFF":
        yield LayOff()
    yield from map(Discard, members(options.discards))
    yield from map(Knock, members(options.knocks))


def eager(deal: Deal):
    """What a seat does that keeps low deadwood, and knocks when it may."""
    options = options_of(deal, deal.turn, want_deadwood=True)
    if options.knocks:
        at = options.knock_deadwood.index(min(options.knock_deadwood))
        return Knock(members(options.knocks)[at])
    if options.discards:
        at = options.discard_deadwood.index(min(options.discard_deadwood))
        return Discard(members(options.discards)[at])
    if options.may_take and options.deadwood_if_taken < options.deadwood:
        return Take()
    if deal.phase.name == "LAYOFF":
        return LayOff()
    return Draw() if options.may_draw else Decline()


def advance(deal: Deal, whims) -> list:
    """Play on, one action for each whim: 0 is the eager one, else one of those offered."""
    done = []
    for whim in whims:
        if deal.outcome is not None:
            break
        choices = list(offered(deal))
        action = eager(deal) if whim == 0 else choices[whim % len(choices)]
        act(deal, action)
        done.append(action)
    return done


packs = st.permutations(range(PACK))
# Mostly eager, so that deals meet knocks; now and then anything else that is legal.
whims = st.lists(st.sampled_from((0, 0, 0, 0, 1, 2, 5, 7)), max_size=130)


@st.composite
def rich_cards(draw, count: int):
    """So many different cards, often out of a few ranks or suits, so that melds compete."""
    first = draw(st.integers(0, 12))
    width = draw(st.sampled_from((3, 4, 5, 6, 8, 13)))
    pool = [suit * 13 + (first + step) % 13 for suit in range(4) for step in range(width)]
    if len(pool) < count:
        pool = list(range(PACK))
    return draw(st.permutations(pool))[:count]
