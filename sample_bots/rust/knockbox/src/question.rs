//! Questions made by hand, for a bot's own tests: no referee, no rules, only what the test says.

use std::rc::Rc;

use crate::board::Board;
use crate::cards::number;
use crate::stubs::{DealStarted, Options, Phase, Ruleset, Turn};
use crate::view::{Seat, State};

/// A question for seat 0 of two. `hand` is cards with spaces between them; `discards` and `knocks`
/// have the deadwood after each card; with `deadwood_if_taken` the top of the pile may be taken.
///
/// ```
/// use knockbox::{Phase, Question};
///
/// let question = Question { phase: Phase::Draw, hand: "AC 2C 3C", ..Question::default() };
/// assert!(question.state().draw().is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Question<'a> {
    pub phase: Phase,
    pub hand: &'a str,
    pub top: Option<&'a str>,
    pub stock: u32,
    pub limit: u32,
    pub deadwood: u32,
    pub deadwood_if_taken: Option<u32>,
    pub discards: &'a [(&'a str, u8)],
    pub knocks: &'a [(&'a str, u8)],
}

impl Default for Question<'_> {
    fn default() -> Self {
        Question {
            phase: Phase::Draw,
            hand: "",
            top: None,
            stock: 20,
            limit: 10,
            deadwood: 0,
            deadwood_if_taken: None,
            discards: &[],
            knocks: &[],
        }
    }
}

impl Question<'_> {
    /// The state to call a bot with. Panics for what is no card.
    pub fn state(&self) -> State {
        let (discards, discard_deadwood) = counted(self.discards);
        let (knocks, knock_deadwood) = counted(self.knocks);
        let options = Options {
            may_decline: self.phase == Phase::Offer,
            may_take: self.deadwood_if_taken.is_some(),
            may_draw: self.phase == Phase::Draw,
            deadwood: self.deadwood,
            deadwood_if_taken: self.deadwood_if_taken.unwrap_or(0),
            discards,
            discard_deadwood,
            knocks,
            knock_deadwood,
            ..Options::default()
        };
        let top = self.top.map(place);
        let turn = Turn {
            phase: self.phase.into(),
            hand: self.hand.split_whitespace().fold(0, |mask, card| mask | 1 << place(card)),
            top,
            stock: self.stock,
            options: Some(options),
            ..Turn::default()
        };
        let mut board = Board::default();
        board.begin(DealStarted {
            deal: 1,
            upcard: top.unwrap_or(0),
            knock_limit: self.limit,
            multiplier: 1,
            dealer: 1,
            scores: vec![0, 0],
            boxes: vec![0, 0],
            ..DealStarted::default()
        });
        let rules = Ruleset { players: 2, ..Ruleset::default() };
        State::new(Rc::new(Seat { rules, ..Seat::default() }), Rc::new(board), turn, 5000)
    }
}

fn place(card: &str) -> u32 {
    number(card).unwrap_or_else(|error| panic!("{error}"))
}

/// A mask, and the number beside each of its cards, cards ascending.
fn counted(cards: &[(&str, u8)]) -> (u64, Vec<u8>) {
    let mut counted: Vec<_> = cards.iter().map(|(card, count)| (place(card), *count)).collect();
    counted.sort_unstable();
    let mask = counted.iter().fold(0, |mask, (card, _)| mask | 1 << card);
    (mask, counted.into_iter().map(|(_, count)| count).collect())
}
