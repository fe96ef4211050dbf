/** A question as one line of JSON, byte for byte the same in every language. */

import type { Card } from "./cards";
import type { View } from "./view";

/** ASCII without spaces, every key always there and in this order. */
export function toJson(state: View): string {
  return JSON.stringify({
    board: state.board,
    deal: state.deal,
    seat: state.seat,
    dealer: state.dealer,
    phase: state.phase,
    hand: state.hand,
    top: state.top,
    pile: state.pile,
    stock: state.stock,
    upcard: state.upcard,
    taken: state.taken,
    limit: state.limit,
    multiplier: state.multiplier,
    scores: state.scores,
    boxes: state.boxes,
    may_take: state.mayTake,
    may_draw: state.mayDraw,
    may_decline: state.mayDecline,
    may_big_gin: state.mayBigGin,
    may_lay_off: state.mayLayOff,
    deadwood: state.deadwood,
    deadwood_if_taken: state.mayTake ? state.deadwoodIfTaken : null,
    discards: counts(state.discards, state.deadwoodAfter),
    knocks: Object.fromEntries(state.knocks),
    best_discard: state.discards.length ? state.bestDiscard : null,
    best_knock: state.knocks.size ? state.bestKnock : null,
    known: Array.from({ length: state.players }, (_, seat) => state.known(seat)),
    spreads: state.spreads,
    table: state.table,
    history: state.history,
    chance: state.chance,
    clock_left_ms: state.clockLeftMs,
  });
}

/** null where the referee was not asked for the deadwood. */
function counts(cards: readonly Card[], left: ReadonlyMap<Card, number>) {
  return Object.fromEntries(cards.map((card) => [card, left.get(card) ?? null]));
}
