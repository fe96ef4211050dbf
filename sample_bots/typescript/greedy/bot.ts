/** The least deadwood now: knocks as soon as it may, takes what lowers its count at once. */

import type { Action, State } from "knockbox";

/** Knock if possible, else keep the hand with the least deadwood. */
export function bot(state: State): Action {
  if (state.knocks.size) return state.knock(state.bestKnock);
  if (state.discards.length) return state.discard(state.bestDiscard);
  if (state.mayTake && state.deadwoodIfTaken < state.deadwood) return state.take();
  return state.otherwise();
}
