//! A question as one line of JSON: for logs, for tests, and for programs behind the bridge.
//!
//! Every SDK writes the very same bytes: ASCII without spaces, the keys in this order, each always
//! there. All texts are the SDK's own words, so none needs escaping.

use crate::board::Spread;
use crate::cards::Card;
use crate::explain::phase_word;
use crate::view::State;

impl State {
    /// All of the question as one line of JSON: the same bytes in every language.
    pub fn json(&self) -> String {
        let known: Vec<_> = (0..self.seats()).map(|seat| self.known(seat)).collect();
        let clock = (!self.me.untimed).then_some(self.clock_left_ms);
        object([
            ("board", self.board().json()),
            ("deal", self.deal().json()),
            ("seat", self.seat().json()),
            ("dealer", self.dealer().json()),
            ("phase", phase_word(self).json()),
            ("hand", self.hand().json()),
            ("top", self.top().json()),
            ("pile", self.pile().json()),
            ("stock", self.stock().json()),
            ("upcard", self.upcard().json()),
            ("taken", self.taken().json()),
            ("limit", self.limit().json()),
            ("multiplier", self.multiplier().json()),
            ("scores", self.scores().json()),
            ("boxes", self.boxes().json()),
            ("may_take", self.may_take().json()),
            ("may_draw", self.may_draw().json()),
            ("may_decline", self.may_decline().json()),
            ("may_big_gin", self.may_big_gin().json()),
            ("may_lay_off", self.may_lay_off().json()),
            ("deadwood", self.deadwood().json()),
            ("deadwood_if_taken", self.deadwood_if_taken().json()),
            ("discards", counts(self.discards(), &self.deadwood_after())),
            ("knocks", object(self.knocks().iter().map(|(card, left)| (*card, left.json())))),
            ("best_discard", self.best_discard().json()),
            ("best_knock", self.best_knock().json()),
            ("known", known.json()),
            ("spreads", self.spreads().json()),
            ("table", self.table().json()),
            ("history", self.history().json()),
            ("chance", self.chance().json()),
            ("clock_left_ms", clock.json()),
        ])
    }
}

/// Each card with its number; null where there is none.
fn counts(cards: Vec<Card>, numbers: &[(Card, u32)]) -> String {
    let number = |at: usize| numbers.get(at).map(|(_, number)| *number).json();
    object(cards.iter().enumerate().map(|(at, card)| (*card, number(at))))
}

fn object<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    let fields = fields.into_iter().map(|(key, value)| format!("\"{key}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

trait Json {
    fn json(&self) -> String;
}

impl Json for bool {
    fn json(&self) -> String {
        self.to_string()
    }
}

impl Json for u32 {
    fn json(&self) -> String {
        self.to_string()
    }
}

impl Json for str {
    fn json(&self) -> String {
        format!("\"{self}\"")
    }
}

impl Json for String {
    fn json(&self) -> String {
        self.as_str().json()
    }
}

impl<T: Json + ?Sized> Json for &T {
    fn json(&self) -> String {
        (*self).json()
    }
}

impl<T: Json> Json for Option<T> {
    fn json(&self) -> String {
        self.as_ref().map_or("null".to_string(), T::json)
    }
}

impl<T: Json> Json for [T] {
    fn json(&self) -> String {
        format!("[{}]", self.iter().map(T::json).collect::<Vec<_>>().join(","))
    }
}

impl<T: Json> Json for Vec<T> {
    fn json(&self) -> String {
        self.as_slice().json()
    }
}

impl Json for Spread {
    fn json(&self) -> String {
        object([
            ("seat", self.seat.json()),
            ("melds", self.melds.json()),
            ("unmatched", self.unmatched.json()),
            ("deadwood", self.deadwood.json()),
        ])
    }
}
