//! Writes every question as a line, and answers by what it sees alone.

use knockbox::{Answer, Bot, DealResult, State, run_each};

struct Conformance;

impl Bot for Conformance {
    fn decide(&mut self, state: &State) -> Answer {
        println!("{}", state.json());
        let legal = state.legal();
        Ok(legal[state.chance() as usize % legal.len()].clone())
    }

    fn deal_over(&mut self, result: &DealResult) {
        println!(
            r#"{{"deal_over":{{"board":{},"deal":{},"end":"{}","winner":{},"points":[{}],"deadwood":[{}]}}}}"#,
            result.board,
            result.deal,
            result.end.as_str_name().trim_start_matches("DEAL_END_").to_lowercase(),
            result.winner.map_or("null".to_string(), |side| side.to_string()),
            list(&result.points),
            list(&result.deadwood),
        );
    }
}

fn list(numbers: &[impl ToString]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn main() {
    run_each(|| Conformance)
}
