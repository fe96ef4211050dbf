//! What a bot answers, and what it hears when the answer cannot be.
//!
//! Actions are made by the state that asks (`state.discard("KC")`), which knows what is legal; this
//! module holds their shape.

use std::error::Error;
use std::fmt;

use crate::cards::{has, name, names, number};
use crate::stubs;
use crate::stubs::action::Choice;

/// What a bot gives back: an action, or why there is none, which ends the program.
pub type Answer = Result<Action, IllegalAction>;

/// The action cannot be: the text names the card, where it is, and what would be legal.
#[derive(Clone, PartialEq, Eq)]
pub struct IllegalAction(String);

impl IllegalAction {
    pub(crate) fn new(text: String) -> Self {
        IllegalAction(text)
    }
}

impl fmt::Display for IllegalAction {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Debug for IllegalAction {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "IllegalAction: {}", self.0)
    }
}

impl Error for IllegalAction {}

/// One answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Action(pub(crate) stubs::Action);

impl Action {
    pub(crate) fn new(decision: u32, choice: Choice) -> Self {
        Action(stubs::Action { decision, choice: Some(choice), ..Default::default() })
    }

    /// With a note of at most 200 bytes, which is kept in the replay.
    pub fn note(mut self, note: &str) -> Answer {
        if note.len() > 200 {
            let start: String = note.chars().take(40).collect();
            return Err(IllegalAction(format!(
                "a note has at most 200 bytes, this one has {}: {start:?}…",
                note.len()
            )));
        }
        self.0.note = note.to_string();
        Ok(self)
    }

    /// Whether it names melds or layoffs, which the referee may find wrong.
    pub(crate) fn arranges(&self) -> bool {
        match &self.0.choice {
            Some(Choice::Knock(knock)) => !knock.melds.is_empty(),
            Some(Choice::BigGin(big_gin)) => !big_gin.melds.is_empty(),
            Some(Choice::LayOff(lay_off)) => lay_off.as_declared,
            _ => false,
        }
    }
}

/// As people say it: "knock KC [AC 2C 3C]".
impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let brackets = |melds: &[u64]| -> String {
            melds.iter().map(|meld| format!(" [{}]", names(*meld).join(" "))).collect()
        };
        match self.0.choice.as_ref().expect("it is made with one") {
            Choice::Decline(_) => out.write_str("decline"),
            Choice::Take(_) => out.write_str("take"),
            Choice::Draw(_) => out.write_str("draw"),
            Choice::Discard(discard) => write!(out, "discard {}", name(discard.card)),
            Choice::Knock(knock) => {
                write!(out, "knock {}{}", name(knock.card), brackets(&knock.melds))
            }
            Choice::BigGin(big_gin) => write!(out, "big_gin{}", brackets(&big_gin.melds)),
            Choice::LayOff(lay_off) => {
                write!(out, "lay_off{}", brackets(&lay_off.melds))?;
                let laid = &lay_off.layoffs;
                laid.iter().try_for_each(|one| write!(out, " {}>{}", name(one.card), one.meld))
            }
        }
    }
}

/// Melds given as lists of cards, as masks; an error for a card that is not there. `without` is the
/// card that is discarded. Whether they are sets and runs is for the referee to say.
pub(crate) fn meld_masks(
    melds: &[Vec<&str>],
    hand: u64,
    without: Option<u32>,
) -> Result<Vec<u64>, IllegalAction> {
    let mut used = 0;
    let mut masks = Vec::new();
    for meld in melds {
        let mut mask = 0;
        for card in meld {
            let at = number(card)?;
            let wrong = if !has(hand, at) {
                format!("is not in your hand: {}", names(hand).join(" "))
            } else if without == Some(at) {
                "is the card you discard; it cannot be in a meld".to_string()
            } else if has(used, at) {
                "is in two melds".to_string()
            } else {
                used |= 1 << at;
                mask |= 1 << at;
                continue;
            };
            return Err(IllegalAction(format!("{card} {wrong}")));
        }
        masks.push(mask);
    }
    Ok(masks)
}
