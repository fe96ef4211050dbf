/** Writes all that it is told to stdout, a line of JSON each, and answers by `chance`. */

import { run, type Action, type DealResult, type State } from "knockbox";

/** One game. */
class Conformance {
  /** One of the legal answers. */
  answer(state: State): Action {
    console.log(state.json());
    return state.legal[state.chance % state.legal.length];
  }

  /** How a deal ended, without the hands. */
  dealOver({ board, deal, end, winner, points, deadwood }: DealResult): void {
    console.log(JSON.stringify({ deal_over: { board, deal, end, winner, points, deadwood } }));
  }
}

run(Conformance);
