//! What is legal at a question, and the deadwood that each choice leaves.

use std::cmp::Reverse;

use crate::cards::{Card, names, rank};
use crate::view::State;

/// What is legal, and what it leaves.
impl State {
    /// You may take the pile's top.
    pub fn may_take(&self) -> bool {
        self.options.may_take
    }

    /// You may draw from the stock.
    pub fn may_draw(&self) -> bool {
        self.options.may_draw
    }

    /// You may leave the upcard.
    pub fn may_decline(&self) -> bool {
        self.options.may_decline
    }

    /// All eleven are melded.
    pub fn may_big_gin(&self) -> bool {
        self.options.may_big_gin
    }

    /// Laying off is allowed.
    pub fn may_lay_off(&self) -> bool {
        self.options.may_lay_off
    }

    /// The cards that you may discard.
    pub fn discards(&self) -> Vec<Card> {
        names(self.options.discards)
    }

    /// Least deadwood after each discard; empty where the referee was not asked for it.
    pub fn deadwood_after(&self) -> Vec<(Card, u32)> {
        counted(self.options.discards, &self.options.discard_deadwood)
    }

    /// The cards that you may knock with, each with the deadwood it leaves; 0 is gin.
    pub fn knocks(&self) -> Vec<(Card, u32)> {
        counted(self.options.knocks, &self.options.knock_deadwood)
    }

    /// Of the discards that leave the least deadwood the one of the highest rank.
    pub fn best_discard(&self) -> Option<Card> {
        let after = self.deadwood_after();
        if after.is_empty() {
            return best(self.discards().into_iter().map(|card| (card, 0)).collect());
        }
        best(after)
    }

    /// Of the knocks that leave the least deadwood the one of the highest rank.
    pub fn best_knock(&self) -> Option<Card> {
        best(self.knocks())
    }

    /// Least deadwood of your hand; when a discard is asked, after the best one.
    pub fn deadwood(&self) -> u32 {
        let least = self.options.discard_deadwood.iter().min();
        least.map_or(self.options.deadwood, |deadwood| u32::from(*deadwood))
    }

    /// Least deadwood after taking the pile's top and the best discard; None where you may not.
    pub fn deadwood_if_taken(&self) -> Option<u32> {
        self.options.may_take.then_some(self.options.deadwood_if_taken)
    }
}

/// The cards of a mask with the number that belongs to each.
fn counted(mask: u64, counts: &[u8]) -> Vec<(Card, u32)> {
    names(mask).into_iter().zip(counts.iter().map(|count| u32::from(*count))).collect()
}

fn best(after: Vec<(Card, u32)>) -> Option<Card> {
    let least = after.into_iter().min_by_key(|(card, left)| (*left, Reverse(rank(card))));
    least.map(|(card, _)| card)
}
