//! What the bot answers to a few questions: `cargo test --release`.

use knockbox::{Phase, Question};

use super::bot;

const ELEVEN: &str = "AC 2C 3C KC 4D QD 4H 4S 7S 8S 9S";
const TEN: &str = "AC 2C 3C 5C 4D QD 4H 7S 8S KS";

/// Of two knocks the one that leaves less.
#[test]
fn it_knocks_as_soon_as_it_may() {
    let state = Question {
        phase: Phase::Discard,
        hand: ELEVEN,
        discards: &[("QD", 10), ("KC", 10)],
        knocks: &[("QD", 9), ("KC", 8)],
        ..Question::default()
    }
    .state();
    assert_eq!(bot(&state), state.knock("KC"));
}

/// Where two discards leave the same, the higher card goes.
#[test]
fn it_keeps_the_least_deadwood() {
    let state = Question {
        phase: Phase::Discard,
        hand: ELEVEN,
        discards: &[("9S", 30), ("QD", 22), ("KC", 22)],
        ..Question::default()
    }
    .state();
    assert_eq!(bot(&state), state.discard("KC"));
}

/// The top of the pile where it helps, else a card from the stock.
#[test]
fn it_takes_what_lowers_its_count() {
    let question = Question {
        hand: TEN,
        top: Some("6C"),
        deadwood: 41,
        deadwood_if_taken: Some(31),
        ..Question::default()
    };
    let state = question.state();
    assert_eq!(bot(&state), state.take());
    let state = Question { top: Some("KH"), deadwood_if_taken: Some(41), ..question }.state();
    assert_eq!(bot(&state), state.draw());
}

/// The first card on offer is declined where it does not help.
#[test]
fn it_leaves_an_upcard_that_does_not_help() {
    let state = Question {
        phase: Phase::Offer,
        hand: TEN,
        top: Some("KH"),
        deadwood: 41,
        deadwood_if_taken: Some(41),
        ..Question::default()
    }
    .state();
    assert_eq!(bot(&state), state.decline());
}
