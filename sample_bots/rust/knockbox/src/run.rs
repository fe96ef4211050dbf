//! How a bot is started: what bots are, what they may wish, and what is said where none can play.

use std::env;
use std::process::exit;

use crate::actions::Answer;
use crate::board::DealResult;
use crate::leg::Leg;
use crate::play;
use crate::view::State;

const BY_HAND: &str = "\
This program is a Knockbox bot: Knockbox starts it and tells it where the referee is
(KNOCKBOX_REFEREE, KNOCKBOX_TICKET). To see it play:

    knockbox match THIS_FOLDER OTHER_BOTS_FOLDER";

/// A bot with a memory: one object plays one game.
pub trait Bot {
    /// The answer to a question, made by the state.
    fn decide(&mut self, state: &State) -> Answer;

    /// Hear how a deal ended.
    fn deal_over(&mut self, _result: &DealResult) {}
}

impl Bot for fn(&State) -> Answer {
    fn decide(&mut self, state: &State) -> Answer {
        self(state)
    }
}

/// What a bot asks of the referee.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// Most games at once; 0 for no limit.
    pub max_boards: u32,
    /// Send the deadwood after each discard.
    pub want_deadwood: bool,
}

impl Default for Wishes {
    fn default() -> Self {
        Wishes { max_boards: 0, want_deadwood: true }
    }
}

/// Play the leg that Knockbox started this program for, and return when it is over.
///
/// An answer that is an error ends the program with its text and exit code 1; so does a leg that
/// breaks off, and a start by hand.
pub fn run(bot: fn(&State) -> Answer) {
    run_each(move || bot)
}

/// Play the leg with an object for each game, which `make` makes.
pub fn run_each<B: Bot + 'static>(make: impl Fn() -> B + 'static) {
    run_with(Wishes::default(), make)
}

/// Play the leg with wishes of your own.
pub fn run_with<B: Bot + 'static>(wishes: Wishes, make: impl Fn() -> B + 'static) {
    let leg = Leg::new(wishes, Box::new(move || Box::new(make())));
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let played = match variable("KNOCKBOX_REFEREE").zip(variable("KNOCKBOX_TICKET")) {
        Some((address, ticket)) => play::leg(leg, &address, &ticket),
        None => Err(BY_HAND.to_string()),
    };
    if let Err(text) = played {
        eprintln!("{text}");
        exit(1);
    }
}
