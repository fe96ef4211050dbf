//! What the SDK keeps of one board between two questions: the deal's facts and its public history.
//!
//! The history is only collected here; what follows from it (the pile, the known cards) is worked
//! out when a bot asks for it, so that a bot that does not ask does not pay.

use crate::cards::{CARDS, Card, name, names};
use crate::stubs;
use crate::stubs::{DealEnd, DealOver, DealStarted, Turn};

pub(crate) const DECLINED: u8 = 1;
pub(crate) const TOOK: u8 = 2;
pub(crate) const DREW: u8 = 3;
pub(crate) const DISCARDED: u8 = 4;
pub(crate) const SHUFFLED: u8 = 5;

/// Cards that a seat has shown: its melds with what was laid off on them, and the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    pub seat: u32,
    pub melds: Vec<Vec<Card>>,
    pub unmatched: Vec<Card>,
    pub deadwood: u32,
}

impl From<&stubs::Spread> for Spread {
    fn from(message: &stubs::Spread) -> Self {
        Spread {
            seat: message.seat,
            melds: message.melds.iter().map(|meld| names(*meld)).collect(),
            unmatched: names(message.unmatched),
            deadwood: message.deadwood,
        }
    }
}

/// How a deal ended, for a bot's `deal_over`. `board` is the game's number, as in the state;
/// `winner` is a side, None when the deal was void; `points` by side, `deadwood` by seat, `hands`
/// as they were shown (none after a void).
#[derive(Clone, Debug, PartialEq)]
pub struct DealResult {
    pub board: u32,
    pub deal: u32,
    pub end: DealEnd,
    pub winner: Option<u32>,
    pub points: Vec<u32>,
    pub deadwood: Vec<u8>,
    pub hands: Vec<Spread>,
}

impl From<&DealOver> for DealResult {
    fn from(message: &DealOver) -> Self {
        DealResult {
            board: message.board,
            deal: message.deal,
            end: message.end(),
            winner: message.winner,
            points: message.points.clone(),
            deadwood: message.deadwood.clone(),
            hands: message.spreads.iter().map(Spread::from).collect(),
        }
    }
}

/// One public event of a deal. `card` is absent where it was not seen.
pub(crate) struct Event {
    pub kind: u8,
    pub seat: u32,
    pub card: Option<u32>,
}

/// One game in flight as one seat sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Board {
    pub deal: DealStarted,
    /// The deal's public events, two bytes each, as on the wire.
    pub history: Vec<u8>,
    /// The decision whose events were added last.
    answered: Option<u32>,
}

impl Board {
    /// A deal starts, or is told again after a reconnection with all that was public.
    pub fn begin(&mut self, deal: DealStarted) {
        self.history = deal.events.clone();
        self.deal = deal;
        self.answered = None;
    }

    /// Add what has happened since the last question; a repeated question adds nothing.
    pub fn hear(&mut self, turn: &Turn) {
        if self.answered != Some(turn.decision) {
            self.answered = Some(turn.decision);
            self.history.extend_from_slice(&turn.events);
        }
    }

    /// The public events, in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = Event> {
        self.history.chunks_exact(2).map(|bytes| Event {
            kind: bytes[0] >> 4,
            seat: u32::from(bytes[0] & 15),
            card: Some(u32::from(bytes[1])).filter(|card| (*card as usize) < CARDS.len()),
        })
    }

    /// The discard pile, bottom to top.
    pub fn pile(&self) -> Vec<Card> {
        let mut pile = vec![name(self.deal.upcard)];
        for event in self.events() {
            match event.kind {
                DISCARDED => pile.extend(event.card.map(name)),
                TOOK => drop(pile.pop()),
                SHUFFLED => drop(pile.drain(..pile.len().saturating_sub(1))),
                _ => {}
            }
        }
        pile
    }

    /// Cards, as a mask, that a seat has taken from the pile and not discarded since.
    pub fn known(&self, seat: u32) -> u64 {
        let mut mask = 0;
        for event in self.events().filter(|event| event.seat == seat) {
            let card = event.card.map_or(0, |card| 1 << card);
            match event.kind {
                TOOK => mask |= card,
                DISCARDED => mask &= !card,
                _ => {}
            }
        }
        mask
    }

    /// The history in words, for people and for messages.
    pub fn story(&self) -> Vec<String> {
        let tell = |event: Event| {
            let what = match event.kind {
                DECLINED => "declined",
                TOOK => "took",
                DREW => "drew",
                DISCARDED => "discarded",
                _ => "shuffled",
            };
            let card = event.card.map(|card| format!(" {}", name(card))).unwrap_or_default();
            format!("seat {} {what}{card}", event.seat)
        };
        self.events().map(tell).collect()
    }
}
