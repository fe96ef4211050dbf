//! The game as a seat sees it when it is asked, with names for people.
//!
//! Everything comes from the referee (which cards may go, what deadwood they leave); nothing here
//! knows the rules. What is legal: options.rs. Each answer is worked out when it is asked for, and
//! not kept.

use std::rc::Rc;
use std::time::Duration;

use crate::board::{Board, Spread, TOOK};
use crate::cards::{Card, name, names};
use crate::chance::crc32;
use crate::stubs::{Options, Phase, Ruleset, Turn};

/// What holds for a whole leg: the seat, the rules and the clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seat {
    pub seat: u32,
    pub rules: Ruleset,
    pub untimed: bool,
}

/// What a bot is called with: what its seat sees at one question. Cards are texts like "KC".
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) me: Rc<Seat>,
    pub(crate) table: Rc<Board>,
    pub(crate) turn: Turn,
    pub(crate) options: Options,
    pub(crate) clock_left_ms: u32,
}

impl State {
    pub(crate) fn new(me: Rc<Seat>, table: Rc<Board>, mut turn: Turn, clock_left_ms: u32) -> Self {
        let options = turn.options.take().unwrap_or_default();
        State { me, table, turn, options, clock_left_ms }
    }

    // The table.

    /// What is asked.
    pub fn phase(&self) -> Phase {
        self.turn.phase()
    }

    /// Your cards now, clubs to spades: eleven when a discard is asked, else ten.
    pub fn hand(&self) -> Vec<Card> {
        names(self.turn.hand)
    }

    /// The top of the discard pile.
    pub fn top(&self) -> Option<Card> {
        self.turn.top.map(name)
    }

    /// The whole discard pile, bottom to top.
    pub fn pile(&self) -> Vec<Card> {
        self.table.pile()
    }

    /// How many cards are left in the stock.
    pub fn stock(&self) -> u32 {
        self.turn.stock
    }

    /// The seats you play against.
    pub fn opponents(&self) -> Vec<u32> {
        let step = if self.me.rules.partnership { 2 } else { self.seats() };
        (0..self.seats()).filter(|seat| seat % step != self.me.seat % step).collect()
    }

    pub(crate) fn seats(&self) -> u32 {
        self.me.rules.players.max(2)
    }

    /// Your partner's seat; None where everybody plays alone.
    pub fn partner(&self) -> Option<u32> {
        self.me.rules.partnership.then_some((self.me.seat + 2) % 4)
    }

    /// Cards that opponents hold for certain: taken from the pile and not discarded since.
    pub fn opponent_known(&self) -> Vec<Card> {
        names(self.opponents().into_iter().fold(0, |mask, seat| mask | self.table.known(seat)))
    }

    /// Cards that this seat holds for certain.
    pub fn known(&self, seat: u32) -> Vec<Card> {
        names(self.table.known(seat))
    }

    /// What everybody has seen in this deal, in words: ["seat 0 declined", …].
    pub fn history(&self) -> Vec<String> {
        self.table.story()
    }

    /// The card that you have just taken from the pile, when a discard is asked.
    pub fn taken(&self) -> Option<Card> {
        let last = self.table.events().next_back()?;
        let mine = last.kind == TOOK && last.seat == self.me.seat;
        (mine && self.phase() == Phase::Discard).then(|| last.card.map(name))?
    }

    /// In a layoff: the hands shown so far.
    pub fn spreads(&self) -> Vec<Spread> {
        self.turn.spreads.iter().map(Spread::from).collect()
    }

    /// In a layoff: the melds that you may lay off on; the place here is a meld's number. They are
    /// the knocker's, or, where your partner has knocked, those of both opponents.
    pub fn table(&self) -> Vec<Vec<Card>> {
        // The hands that are open come first. A partner is asked when both opponents have answered.
        let partners = self.me.rules.partnership && self.turn.spreads.len() == 3;
        let open = if !self.may_lay_off() { 0 } else { 1 + usize::from(partners) };
        self.spreads().into_iter().take(open).flat_map(|spread| spread.melds).collect()
    }

    // The deal and the game.

    /// Your seat, 0-3.
    pub fn seat(&self) -> u32 {
        self.me.seat
    }

    /// Your side: the place in `scores` that is yours.
    pub fn side(&self) -> u32 {
        if self.me.rules.partnership { self.me.seat % 2 } else { self.me.seat }
    }

    /// The game's number in its leg.
    pub fn board(&self) -> u32 {
        self.turn.board
    }

    /// The ruleset: `rules().gin_bonus`, `rules().target`…
    pub fn rules(&self) -> &Ruleset {
        &self.me.rules
    }

    /// The dealer's seat.
    pub fn dealer(&self) -> u32 {
        self.table.deal.dealer
    }

    /// The deal's number in its game, from 1.
    pub fn deal(&self) -> u32 {
        self.table.deal.deal
    }

    /// Most deadwood to knock; 0: only gin.
    pub fn limit(&self) -> u32 {
        self.table.deal.knock_limit
    }

    /// Factor on the points.
    pub fn multiplier(&self) -> u32 {
        self.table.deal.multiplier
    }

    /// The first card of the discard pile.
    pub fn upcard(&self) -> Card {
        name(self.table.deal.upcard)
    }

    /// Points of the game by side.
    pub fn scores(&self) -> &[u32] {
        &self.table.deal.scores
    }

    /// Deals won by side.
    pub fn boxes(&self) -> &[u32] {
        &self.table.deal.boxes
    }

    /// What the bank held when the message was written; None when untimed.
    pub fn clock_left(&self) -> Option<Duration> {
        (!self.me.untimed).then_some(Duration::from_millis(u64::from(self.clock_left_ms)))
    }

    /// A number made of all that you see: chance that can be repeated. It is the same in every
    /// language: CRC-32 of the facts below, in ASCII, spaces between them.
    pub fn chance(&self) -> u32 {
        let list =
            |numbers: &[u32]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let or_none = |text: String| if text.is_empty() { "-".to_string() } else { text };
        let (deal, turn) = (&self.table.deal, &self.turn);
        let history = self.table.history.iter().map(|byte| format!("{byte:02x}")).collect();
        let melds = turn.spreads.iter().flat_map(|spread| &spread.melds);
        let melds: Vec<_> = melds.map(ToString::to_string).collect();
        let facts = format!(
            "{} {} {} {} {} {} {} {} {}",
            self.me.seat,
            deal.dealer,
            deal.upcard,
            turn.phase,
            turn.hand,
            or_none(history),
            list(&deal.scores),
            list(&deal.boxes),
            or_none(melds.join(",")),
        );
        crc32(facts.as_bytes())
    }
}
