//! Cards as people write them ("KC": rank, then suit) and as the wire counts them (0-51).
//!
//! Sets of cards travel as masks with bit `card` set. No rules here: not even what a card is worth.

use crate::actions::IllegalAction;

/// A card as people write it, such as "KC".
pub type Card = &'static str;

/// All cards, clubs to spades, ace to king; the place of a card is its number on the wire.
#[rustfmt::skip]
pub const CARDS: [Card; 52] = [
    "AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC",
    "AD", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD",
    "AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH",
    "AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS",
];

/// The place of a card in its suit: 1 for the ace, 13 for the king. Panics for what is no card.
pub fn rank(card: &str) -> u32 {
    place(card) % 13 + 1
}

/// One of C, D, H and S. Panics for what is no card.
pub fn suit(card: &str) -> char {
    ['C', 'D', 'H', 'S'][place(card) as usize / 13]
}

fn place(card: &str) -> u32 {
    number(card).unwrap_or_else(|error| panic!("{error}"))
}

/// The number of a card such as "KC"; an error for anything else.
pub(crate) fn number(card: &str) -> Result<u32, IllegalAction> {
    match CARDS.iter().position(|name| *name == card) {
        Some(place) => Ok(place as u32),
        None => Err(IllegalAction::new(format!(
            "{card:?} is not a card; write rank (A23456789TJQK) then suit (CDHS), like \"KC\""
        ))),
    }
}

/// The name of a number from the wire.
pub(crate) fn name(number: u32) -> Card {
    CARDS[number as usize]
}

/// The numbers of a mask's cards, ascending.
pub(crate) fn numbers(mask: u64) -> impl Iterator<Item = u32> {
    (0..52).filter(move |card| has(mask, *card))
}

/// The cards of a mask, clubs to spades, ace to king.
pub(crate) fn names(mask: u64) -> Vec<Card> {
    numbers(mask).map(name).collect()
}

/// Whether a card is in a mask.
pub(crate) fn has(mask: u64, card: u32) -> bool {
    mask >> card & 1 == 1
}
