//! Why an answer cannot be, in words: where the card is, and what would be legal.
//!
//! Works from what the seat sees alone, and only when something has gone wrong.

use crate::actions::{Action, IllegalAction};
use crate::cards::{Card, has, number};
use crate::stubs::{Layoff, Phase};
use crate::view::State;

/// The last part of an enum value's name on the wire, in small letters: DEAL_END_GIN is "gin".
pub(crate) fn word(name: &str, prefix: &str) -> String {
    name.strip_prefix(prefix).unwrap_or(name).to_lowercase()
}

pub(crate) fn phase_word(state: &State) -> String {
    word(state.phase().as_str_name(), "PHASE_")
}

/// What the state would take, in one line.
fn choices(state: &State) -> String {
    let options = &state.options;
    let one_of = |cards: Vec<Card>| cards.join(" ");
    let knocks = state.knocks().into_iter().map(|(card, _)| card).collect();
    let legal: Vec<String> = [
        (options.may_decline, "decline()".to_string()),
        (options.may_take, format!("take() {}", state.top().unwrap_or_default())),
        (options.may_draw, "draw()".to_string()),
        (options.may_big_gin, "big_gin()".to_string()),
        (options.discards != 0, format!("discard() one of {}", one_of(state.discards()))),
        (options.knocks != 0, format!("knock() with one of {}", one_of(knocks))),
        (state.phase() == Phase::Layoff, "lay_off()".to_string()),
    ]
    .into_iter()
    .filter_map(|(may, how)| may.then_some(how))
    .collect();
    let legal = if legal.is_empty() { "do nothing".to_string() } else { legal.join(", or ") };
    format!("in phase {} you may {legal}", phase_word(state))
}

/// Where a card is, as far as the seat knows.
fn whereabouts(state: &State, card: &str) -> String {
    let pile = state.pile();
    if state.taken() == Some(card) {
        "was taken from the pile in this turn".to_string()
    } else if state.hand().contains(&card) {
        "is in your hand".to_string()
    } else if let Some(below) = pile.iter().rev().position(|each| *each == card) {
        match below {
            0 => "is the top of the discard pile".to_string(),
            _ => format!("lies {below} deep in the pile"),
        }
    } else if state.opponent_known().contains(&card) {
        "is in an opponent's hand, taken from the pile".to_string()
    } else {
        "is not in your hand, and you have not seen it".to_string()
    }
}

/// This kind of answer is not legal now.
pub(crate) fn not_now(state: &State, kind: &str) -> IllegalAction {
    IllegalAction::new(format!("{kind} is not legal now: {}", choices(state)))
}

/// Why this card cannot be discarded or knocked with.
pub(crate) fn refused_card(state: &State, kind: &str, card: &str) -> IllegalAction {
    let mut text = format!("cannot {kind} {card}: it {}", whereabouts(state, card));
    if kind == "knock" && state.discards().contains(&card) {
        text += &match state.limit() {
            0 => ", and only gin ends this deal".to_string(),
            limit => format!(", and the limit is {limit}"),
        };
        let after = state.deadwood_after();
        if let Some((_, left)) = after.iter().find(|(each, _)| *each == card) {
            text += &format!(", it would leave {left}");
        }
    }
    IllegalAction::new(format!("{text}; {}", choices(state)))
}

/// Layoffs as the wire has them; an error for a card or a meld that is not there.
pub(crate) fn checked_layoffs(
    state: &State,
    layoffs: &[(&str, usize)],
    own: &[u64],
) -> Result<Vec<Layoff>, IllegalAction> {
    let table = state.table();
    let mut checked = Vec::new();
    for (card, meld) in layoffs {
        let at = number(card)?;
        let wrong = if !has(state.turn.hand, at) {
            format!(": it {}", whereabouts(state, card))
        } else if own.iter().any(|mask| has(*mask, at)) {
            ": it is in one of your own melds".to_string()
        } else if *meld >= table.len() {
            let melds = table.iter().enumerate();
            let melds: Vec<_> =
                melds.map(|(n, cards)| format!("{n}: {}", cards.join(" "))).collect();
            format!(" on meld {meld}; on the table are {}", melds.join("; "))
        } else {
            checked.push(Layoff { card: at, meld: *meld as u32 });
            continue;
        };
        return Err(IllegalAction::new(format!("cannot lay off {card}{wrong}")));
    }
    Ok(checked)
}

/// What a bot gave back is an answer to something else than it was asked.
pub(crate) fn no_answer(state: &State, answer: &Action) -> IllegalAction {
    IllegalAction::new(format!(
        "the bot answered with an answer to another question ({answer}); give back what one of the \
         state's makers makes, like state.draw(): {}",
        choices(state)
    ))
}

/// Where a bot failed, for the line below what it says.
pub(crate) fn context(state: &State) -> String {
    let pile = state.pile();
    format!(
        "(asked in deal {}, phase {}: hand {}; pile …{}; {})",
        state.deal(),
        phase_word(state),
        state.hand().join(" "),
        pile[pile.len().saturating_sub(5)..].join(" "),
        choices(state)
    )
}

/// The line that tells of an answer that the referee did not take.
pub(crate) fn refusal(answer: Option<&Action>, code: &str) -> String {
    let what = answer.map_or("message".to_string(), |action| format!("answer {action}"));
    let melds = if answer.is_some_and(Action::arranges) {
        "; are its melds sets and runs, and do they leave as much as you think?"
    } else {
        ""
    };
    format!("knockbox: the referee refused the {what} ({code}){melds}")
}
