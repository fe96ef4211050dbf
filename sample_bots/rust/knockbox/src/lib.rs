//! Play Oklahoma Gin on Knockbox. A bot is a function from a state to an action:
//!
//! ```no_run
//! use knockbox::{Answer, State, run};
//!
//! fn bot(state: &State) -> Answer {
//!     if let Some(card) = state.best_knock() {
//!         return state.knock(card);
//!     }
//!     if let Some(card) = state.best_discard() {
//!         return state.discard(card);
//!     }
//!     if state.deadwood_if_taken().is_some_and(|left| left < state.deadwood()) {
//!         return state.take();
//!     }
//!     state.otherwise()
//! }
//!
//! fn main() {
//!     run(bot)
//! }
//! ```
//!
//! This folder is all there is: copy it beside the bot. What a state has: view.rs and options.rs.
//! What a bot can answer: state.rs. A state for a test: question.rs.

mod actions;
mod board;
mod cards;
mod chance;
mod explain;
mod leg;
mod line;
mod options;
mod play;
mod question;
mod run;
mod state;
#[rustfmt::skip]
#[allow(clippy::all)]
pub mod stubs;
#[cfg(test)]
mod tests;
mod view;

pub use actions::{Action, Answer, IllegalAction};
pub use board::{DealResult, Spread};
pub use cards::{CARDS, Card, rank, suit};
pub use question::Question;
pub use run::{Bot, Wishes, run, run_each, run_with};
pub use stubs::{DealEnd, Phase, Ruleset};
pub use view::State;
