//! One leg as the bot's side plays it: what is said to each message of the referee.
//!
//! Knows no wire, no clock and no chance: the same messages get the same answers.

use std::collections::HashMap;
use std::rc::Rc;

use crate::actions::Action;
use crate::board::{Board, DealResult};
use crate::explain;
use crate::run::{Bot, Wishes};
use crate::stubs::play_request::Message as Say;
use crate::stubs::play_response::Message as Hear;
use crate::stubs::{Actions, DealOver, DealStarted, MatchOver, Ready, Reason, Turn, Turns};
use crate::view::{Seat, State};

type Make = Box<dyn Fn() -> Box<dyn Bot>>;

/// One game, and the bot that plays it.
struct Game {
    bot: Box<dyn Bot>,
    board: Rc<Board>,
}

/// One leg of a match for one seat, over as many connections as it takes.
pub(crate) struct Leg {
    make: Make,
    wishes: Wishes,
    seat: Option<Rc<Seat>>,
    games: HashMap<u32, Game>,
    /// What was answered last, by decision.
    last: HashMap<u32, Action>,
    pub over: bool,
}

impl Leg {
    pub fn new(wishes: Wishes, make: Make) -> Self {
        let (games, last) = (HashMap::new(), HashMap::new());
        Leg { make, wishes, seat: None, games, last, over: false }
    }

    /// Whether the referee has told the seat.
    pub fn started(&self) -> bool {
        self.seat.is_some()
    }

    /// What to say to a message; None half-closes.
    pub fn answer(
        &mut self,
        message: Hear,
        nonce: impl Fn() -> Vec<u8>,
    ) -> Result<Option<Say>, String> {
        match message {
            Hear::Turns(turns) => Ok(Some(Say::Actions(self.decide(turns)?))),
            Hear::Welcome(welcome) => {
                self.seat = Some(Rc::new(Seat {
                    seat: welcome.seat,
                    rules: welcome.rules.unwrap_or_default(),
                    untimed: welcome.clock.is_some_and(|clock| clock.untimed),
                }));
                Ok(Some(Say::Ready(Ready {
                    nonce: nonce(),
                    max_boards: self.wishes.max_boards,
                    want_deadwood: self.wishes.want_deadwood,
                })))
            }
            Hear::MatchOver(over) => {
                self.finish(over);
                Ok(None)
            }
        }
    }

    fn finish(&mut self, over: MatchOver) {
        if over.reason() != Reason::Played {
            let reason = explain::word(over.reason().as_str_name(), "REASON_");
            eprintln!("knockbox: the leg ended by {reason}");
        }
        self.hear(over.deals_started, over.deals_over);
        self.over = true;
    }

    fn decide(&mut self, turns: Turns) -> Result<Actions, String> {
        for refused in turns.refused {
            let code = explain::word(refused.code().as_str_name(), "REFUSAL_CODE_");
            let answer = refused.decision.and_then(|decision| self.last.get(&decision));
            eprintln!("{}", explain::refusal(answer, &code));
        }
        self.hear(turns.deals_started, turns.deals_over);
        self.last.clear();
        let mut out = Actions::default();
        for turn in turns.turns {
            let action = self.ask(turn, turns.clock_left_ms)?;
            out.actions.push(action.0.clone());
            self.last.insert(action.0.decision, action);
        }
        Ok(out)
    }

    /// The bot's answer, or what to say where it has none.
    fn ask(&mut self, turn: Turn, clock_left_ms: u32) -> Result<Action, String> {
        let game = self.games.get_mut(&turn.board).expect("a deal starts before it is asked about");
        Rc::make_mut(&mut game.board).hear(&turn);
        let me = self.seat.clone().expect("Welcome comes first");
        let state = State::new(me, game.board.clone(), turn, clock_left_ms);
        let asked = Asked(&state);
        let answer = game.bot.decide(asked.0).and_then(|action| {
            let mine = action.0.decision == state.turn.decision;
            if mine { Ok(action) } else { Err(explain::no_answer(&state, &action)) }
        });
        answer.map_err(|error| format!("{}\n{error:?}", explain::context(&state)))
    }

    fn hear(&mut self, started: Vec<DealStarted>, over: Vec<DealOver>) {
        for deal in started {
            let fresh = || Game { bot: (self.make)(), board: Rc::default() };
            let game = self.games.entry(deal.board).or_insert_with(fresh);
            Rc::make_mut(&mut game.board).begin(deal);
        }
        for deal in over {
            if let Some(game) = self.games.get_mut(&deal.board) {
                game.bot.deal_over(&DealResult::from(&deal));
            }
        }
    }
}

/// A state while the bot is asked: where the bot panics, what was asked is printed.
struct Asked<'a>(&'a State);

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", explain::context(self.0));
        }
    }
}
