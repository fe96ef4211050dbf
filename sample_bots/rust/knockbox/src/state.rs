//! The makers of legal answers: every answer is made by the state that it answers.

use crate::actions::{Action, Answer, meld_masks};
use crate::cards::{has, number};
use crate::explain;
use crate::stubs::action::Choice;
use crate::stubs::{BigGin, Decline, Discard, Draw, Knock, LayOff, Phase, Take};
use crate::view::State;

impl State {
    /// Every legal answer, where melds and layoffs are left to the referee.
    pub fn legal(&self) -> Vec<Action> {
        let simple = [self.decline(), self.take(), self.draw(), self.big_gin(), self.lay_off()];
        let discards = self.discards().into_iter().map(|card| self.discard(card));
        let knocks = self.knocks().into_iter().map(|(card, _)| self.knock(card));
        // What is not legal was refused by its maker.
        simple.into_iter().chain(discards).chain(knocks).flatten().collect()
    }

    /// Leave the offered upcard.
    pub fn decline(&self) -> Answer {
        self.plain("decline", self.options.may_decline, Choice::Decline(Decline {}))
    }

    /// Take the top of the discard pile.
    pub fn take(&self) -> Answer {
        self.plain("take", self.options.may_take, Choice::Take(Take {}))
    }

    /// Draw from the stock.
    pub fn draw(&self) -> Answer {
        self.plain("draw", self.options.may_draw, Choice::Draw(Draw {}))
    }

    /// Discard a card and play on.
    pub fn discard(&self, card: &str) -> Answer {
        let at = number(card)?;
        if !has(self.options.discards, at) {
            return Err(explain::refused_card(self, "discard", card));
        }
        Ok(self.answer(Choice::Discard(Discard { card: at })))
    }

    /// Discard a card and knock, or go gin. The referee arranges for least deadwood.
    pub fn knock(&self, card: &str) -> Answer {
        self.knock_with(card, &[])
    }

    /// Knock, or go gin, with an arrangement of your own: lists of cards.
    pub fn knock_with(&self, card: &str, melds: &[Vec<&str>]) -> Answer {
        let at = number(card)?;
        if !has(self.options.knocks, at) {
            return Err(explain::refused_card(self, "knock", card));
        }
        let melds = meld_masks(melds, self.turn.hand, Some(at))?;
        Ok(self.answer(Choice::Knock(Knock { card: at, melds })))
    }

    /// Declare eleven melded cards.
    pub fn big_gin(&self) -> Answer {
        self.big_gin_with(&[])
    }

    /// Declare eleven melded cards in an arrangement of your own.
    pub fn big_gin_with(&self, melds: &[Vec<&str>]) -> Answer {
        self.plain("big_gin", self.options.may_big_gin, Choice::BigGin(BigGin::default()))?;
        let melds = meld_masks(melds, self.turn.hand, None)?;
        Ok(self.answer(Choice::BigGin(BigGin { melds })))
    }

    /// Arrange your hand after a knock, as the referee finds best.
    pub fn lay_off(&self) -> Answer {
        let asked = self.phase() == Phase::Layoff;
        self.plain("lay_off", asked, Choice::LayOff(LayOff::default()))
    }

    /// Arrange your hand after a knock yourself. `layoffs` names for each card laid off its meld's
    /// number in `table`.
    pub fn lay_off_with(&self, melds: &[Vec<&str>], layoffs: &[(&str, usize)]) -> Answer {
        self.lay_off()?;
        let melds = meld_masks(melds, self.turn.hand, None)?;
        let layoffs = explain::checked_layoffs(self, layoffs, &melds)?;
        Ok(self.answer(Choice::LayOff(LayOff { melds, layoffs, as_declared: true })))
    }

    /// What is left when you do not want the pile's card: draw, decline, lay off at best, or (when
    /// a discard is asked) the best discard.
    pub fn otherwise(&self) -> Answer {
        if self.options.may_draw {
            return self.draw();
        }
        if self.options.may_decline {
            return self.decline();
        }
        if self.phase() == Phase::Layoff {
            return self.lay_off();
        }
        self.best_discard().map_or_else(|| self.take(), |card| self.discard(card))
    }

    fn plain(&self, kind: &str, allowed: bool, choice: Choice) -> Answer {
        if allowed { Ok(self.answer(choice)) } else { Err(explain::not_now(self, kind)) }
    }

    fn answer(&self, choice: Choice) -> Action {
        Action::new(self.turn.decision, choice)
    }
}
