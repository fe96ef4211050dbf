//! The least deadwood now: knocks as soon as it may, takes what lowers its count at once.

use knockbox::{Answer, State, run};

#[cfg(test)]
mod tests;

/// Knock if possible, else keep the hand with the least deadwood.
fn bot(state: &State) -> Answer {
    if let Some(card) = state.best_knock() {
        return state.knock(card);
    }
    if let Some(card) = state.best_discard() {
        return state.discard(card);
    }
    if state.deadwood_if_taken().is_some_and(|left| left < state.deadwood()) {
        return state.take();
    }
    state.otherwise()
}

fn main() {
    run(bot)
}
