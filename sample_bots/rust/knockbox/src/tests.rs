//! What a bot is asked with: names for people, errors that help, and the line of JSON.

use std::rc::Rc;

use crate::board::{Board, DISCARDED, DREW, TOOK};
use crate::cards::{names, number};
use crate::stubs::action::Choice;
use crate::stubs::{DealStarted, Options, Phase, Ruleset, Spread, Turn};
use crate::view::{Seat, State};
use crate::{Answer, Question};

const HAND: &str = "AC 2C 3C 4D 4H 4S 7S 8S 9S KC QD";

fn at(card: &str) -> u32 {
    number(card).unwrap()
}

fn mask(cards: &str) -> u64 {
    cards.split_whitespace().fold(0, |mask, card| mask | 1 << at(card))
}

fn events(told: &[(u8, u8, &str)]) -> Vec<u8> {
    let card = |name: &str| if name.is_empty() { 255 } else { at(name) as u8 };
    told.iter().flat_map(|(kind, seat, name)| [kind * 16 + seat, card(name)]).collect()
}

fn seated(seat: u32, rules: Ruleset, turn: Turn) -> State {
    let mut board = Board::default();
    board.begin(DealStarted {
        upcard: at("9H"),
        knock_limit: 9,
        deal: 2,
        multiplier: 1,
        scores: vec![5, 0],
        boxes: vec![1, 0],
        ..DealStarted::default()
    });
    board.hear(&turn);
    State::new(Rc::new(Seat { seat, rules, untimed: false }), Rc::new(board), turn, 1500)
}

fn asked(turn: Turn) -> State {
    seated(0, Ruleset { players: 2, ..Ruleset::default() }, turn)
}

fn discard_turn() -> Turn {
    let options = Options {
        discards: mask(HAND) & !mask("QD"),
        knocks: mask("KC"),
        knock_deadwood: vec![10],
        discard_deadwood: vec![20, 21, 22, 10, 30, 31, 32, 33, 34, 35],
        ..Options::default()
    };
    Turn {
        decision: 7,
        phase: Phase::Discard.into(),
        hand: mask(HAND),
        top: Some(at("9H")),
        stock: 20,
        options: Some(options),
        ..Turn::default()
    }
}

/// Pile and known cards are what the events leave: taken cards are known until discarded.
#[test]
fn the_pile_and_known_cards_follow_the_events() {
    let told = events(&[
        (TOOK, 1, "9H"),
        (DISCARDED, 1, "KC"),
        (DREW, 0, ""),
        (DISCARDED, 0, "2D"),
        (TOOK, 1, "2D"),
        (DISCARDED, 1, "9H"),
    ]);
    let state = asked(Turn { phase: Phase::Draw.into(), events: told, ..Turn::default() });
    assert_eq!(state.pile(), ["KC", "9H"]);
    assert_eq!(state.opponent_known(), ["2D"]);
    assert_eq!(state.history()[1..3], ["seat 1 discarded KC", "seat 0 drew"]);
}

/// The same question under the same id adds no events; a deal told again replaces them.
#[test]
fn a_question_that_comes_again_is_told_once() {
    let mut board = Board::default();
    let told = events(&[(DREW, 1, ""), (DISCARDED, 1, "KC")]);
    let turn = Turn { decision: 4, events: told.clone(), ..Turn::default() };
    board.hear(&turn);
    board.hear(&turn);
    assert_eq!(board.pile(), ["AC", "KC"]);
    board.begin(DealStarted { events: events(&[(TOOK, 1, "AC")]), ..DealStarted::default() });
    board.hear(&turn);
    assert_eq!(board.history, [events(&[(TOOK, 1, "AC")]), told].concat());
}

/// A knock with an arrangement and a note is the message that the protocol describes.
#[test]
fn an_action_reaches_the_wire() {
    let melds = [vec!["AC", "2C", "3C"], vec!["4D", "4H", "4S"], vec!["7S", "8S", "9S"]];
    let knock = asked(discard_turn()).knock_with("KC", &melds).unwrap().note("near").unwrap();
    assert_eq!(knock.to_string(), "knock KC [AC 2C 3C] [4D 4H 4S] [7S 8S 9S]");
    assert_eq!((knock.0.decision, knock.0.note.as_str()), (7, "near"));
    let Some(Choice::Knock(message)) = knock.0.choice else { panic!("it is no knock") };
    assert_eq!(message.card, at("KC"));
    assert_eq!(message.melds.into_iter().map(names).collect::<Vec<_>>(), melds);
}

/// `legal` holds each discard and each knock, made and ready.
#[test]
fn every_legal_answer_is_listed() {
    let legal = asked(discard_turn()).legal();
    assert_eq!(legal.len(), 11);
    assert_eq!(legal[0].to_string(), "discard AC");
    assert_eq!(legal[10].to_string(), "knock KC");
}

/// An impossible answer names the card, where it is, and what would be legal.
#[test]
fn what_cannot_be_says_why_and_what_can() {
    let fails = |answer: Answer, words: &[&str]| {
        let text = answer.unwrap_err().to_string();
        words.iter().for_each(|word| assert!(text.contains(word), "{word} is not in: {text}"));
    };
    let state = asked(discard_turn());
    fails(state.discard("5H"), &["5H: it is not in your hand", "one of AC 2C 3C KC 4D"]);
    fails(state.discard("9H"), &["9H: it is the top of the discard pile"]);
    fails(state.knock("AC"), &["AC: it is in your hand, and the limit is 9, it would leave 20"]);
    fails(state.draw(), &["draw is not legal now: in phase discard you may discard() one of"]);
    fails(state.discard("10H"), &["\"10H\" is not a card"]);
    fails(state.knock_with("KC", &[vec!["AC", "2H"]]), &["2H is not in your hand"]);
    fails(state.knock_with("KC", &[vec!["KC"]]), &["KC is the card you discard"]);
    fails(state.knock_with("KC", &[vec!["AC"], vec!["AC"]]), &["AC is in two melds"]);
    fails(state.discard("KC").unwrap().note(&"é".repeat(101)), &["200 bytes, this one has 202"]);
    fails(state.lay_off(), &["lay_off is not legal"]);
    let told = events(&[(TOOK, 1, "9H"), (DISCARDED, 1, "QD"), (TOOK, 0, "QD")]);
    let taken = asked(Turn { events: told, ..discard_turn() });
    assert_eq!(taken.taken(), Some("QD"));
    fails(taken.discard("QD"), &["QD: it was taken from the pile in this turn"]);
}

/// Layoffs name cards and meld numbers; a card or meld that is not there is refused.
#[test]
fn a_layoff_names_melds_by_their_place_on_the_table() {
    let spread =
        Spread { seat: 1, melds: vec![mask("AC 2C 3C"), mask("KC KD KH")], ..Spread::default() };
    let state = asked(Turn {
        phase: Phase::Layoff.into(),
        hand: mask("4C 5C 9D"),
        options: Some(Options { may_lay_off: true, ..Options::default() }),
        spreads: vec![spread],
        ..Turn::default()
    });
    assert_eq!(state.table()[0], ["AC", "2C", "3C"]);
    let action = state.lay_off_with(&[], &[("4C", 0), ("5C", 0)]).unwrap();
    assert_eq!(action.to_string(), "lay_off 4C>0 5C>0");
    assert!(action.arranges());
    assert!(!state.lay_off().unwrap().arranges());
    let error = state.lay_off_with(&[], &[("4C", 2)]).unwrap_err().to_string();
    assert!(error.contains("meld 2; on the table are 0: AC 2C 3C; 1: KC KD KH"), "{error}");
}

/// Opponents are all other seats, or those of the other side, where the partner is named too.
#[test]
fn who_plays_with_whom() {
    let of_four = |partnership| {
        seated(3, Ruleset { players: 4, partnership, ..Ruleset::default() }, Turn::default())
    };
    let alone = of_four(false);
    assert_eq!((alone.opponents(), alone.partner(), alone.side()), (vec![0, 1, 2], None, 3));
    let partners = of_four(true);
    assert_eq!(
        (partners.opponents(), partners.partner(), partners.side()),
        (vec![0, 2], Some(1), 1)
    );
}

/// The same sight under other ids gives the same chance, another hand another.
#[test]
fn chance_follows_what_is_seen_and_not_ids() {
    let state = asked(discard_turn());
    assert_eq!(asked(Turn { decision: 99, board: 12, ..discard_turn() }).chance(), state.chance());
    assert_ne!(asked(Turn { hand: mask("KD"), ..discard_turn() }).chance(), state.chance());
}

/// Every key is there, in its order, without spaces.
#[test]
fn a_question_is_one_line_of_json() {
    let question = Question {
        phase: Phase::Discard,
        hand: "AC 2C",
        top: Some("KD"),
        discards: &[("AC", 2)],
        ..Question::default()
    };
    let line = question.state().json();
    let chance = question.state().chance();
    let expected = r#"{"board":0,"deal":1,"seat":0,"dealer":1,"phase":"discard","hand":["AC","2C"],"top":"KD","pile":["KD"],"stock":20,"upcard":"KD","taken":null,"limit":10,"multiplier":1,"scores":[0,0],"boxes":[0,0],"may_take":false,"may_draw":false,"may_decline":false,"may_big_gin":false,"may_lay_off":false,"deadwood":2,"deadwood_if_taken":null,"discards":{"AC":2},"knocks":{},"best_discard":"AC","best_knock":null,"known":[[],[]],"spreads":[],"table":[],"history":[],"chance":CHANCE,"clock_left_ms":5000}"#;
    assert_eq!(line, expected.replace("CHANCE", &chance.to_string()));
}
