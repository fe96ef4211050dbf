/**
 * Why an answer cannot be, in words: where the card is, and what would be legal.
 *
 * Works from what the seat sees alone, and only when something has gone wrong.
 */

import { Action, IllegalAction, type Layoff } from "./actions";
import { number, type Card } from "./cards";
import type { View } from "./view";

/** What the state would take, in one line. */
export function choices(state: View): string {
  const legal: string[] = [];
  if (state.mayDecline) legal.push("decline()");
  if (state.mayTake) legal.push(`take() ${state.top}`);
  if (state.mayDraw) legal.push("draw()");
  if (state.mayBigGin) legal.push("bigGin()");
  if (state.discards.length) legal.push(`discard() one of ${state.discards.join(" ")}`);
  if (state.knocks.size) legal.push(`knock() with one of ${[...state.knocks.keys()].join(" ")}`);
  if (state.phase === "layoff") legal.push("layOff()");
  return `in phase ${state.phase} you may ${legal.join(", or ") || "do nothing"}`;
}

/** Where a card is, as far as the seat knows. */
export function where(state: View, card: Card): string {
  if (card === state.taken) return "was taken from the pile in this turn";
  if (state.hand.includes(card)) return "is in your hand";
  const at = state.pile.lastIndexOf(card);
  if (at >= 0) {
    const below = state.pile.length - 1 - at;
    return below ? `lies ${below} deep in the pile` : "is the top of the discard pile";
  }
  if (state.opponentKnown.includes(card)) return "is in an opponent's hand, taken from the pile";
  return "is not in your hand, and you have not seen it";
}

/** Why this card cannot be discarded or knocked with. */
export function refusedCard(state: View, kind: "discard" | "knock", card: Card): IllegalAction {
  let text = `cannot ${kind} ${card}: it ${where(state, card)}`;
  if (kind === "knock" && state.discards.includes(card)) {
    const left = state.deadwoodAfter.get(card);
    text += state.limit ? `, and the limit is ${state.limit}` : ", and only gin ends this deal";
    if (left !== undefined) text += `, it would leave ${left}`;
  }
  return new IllegalAction(`${text}; ${choices(state)}`);
}

/** Layoffs as pairs of numbers. Throws IllegalAction for a card or a meld that is not there. */
export function checkedLayoffs(
  state: View,
  layoffs: Readonly<Partial<Record<Card, number>>>,
  own: readonly bigint[],
): Layoff[] {
  return (Object.entries(layoffs) as [Card, number][]).map(([card, meld]) => {
    const at = number(card);
    if (!state.hand.includes(card)) {
      throw new IllegalAction(`cannot lay off ${card}: it ${where(state, card)}`);
    }
    if (own.some((mask) => (mask >> BigInt(at)) & 1n)) {
      throw new IllegalAction(`cannot lay off ${card}: it is in one of your own melds`);
    }
    if (!(meld in state.table)) {
      const melds = state.table.map((cards, place) => `${place}: ${cards.join(" ")}`).join("; ");
      throw new IllegalAction(`cannot lay off ${card} on meld ${meld}; on the table are ${melds}`);
    }
    return [at, meld];
  });
}

/** What a bot gave back is no answer to what it was asked. */
export function noAnswer(state: View, answer: unknown): IllegalAction {
  const what =
    answer instanceof Action
      ? `an answer to another question (${answer})`
      : (JSON.stringify(answer) ?? String(answer)).slice(0, 80);
  return new IllegalAction(
    `the bot answered with ${what}; give back what one of the state's makers makes, ` +
      `like state.draw(): ${choices(state)}`,
  );
}

/** Where a bot's exception happened, for the line above its trace. */
export function context(state: View): string {
  const pile = state.pile.slice(-5).join(" ");
  return (
    `(asked in deal ${state.deal}, phase ${state.phase}: hand ${state.hand.join(" ")}; ` +
    `pile …${pile}; ${choices(state)})`
  );
}

/** The line that tells of an answer that the referee did not take. */
export function refusal(answer: Action | undefined, code: string): string {
  const what = answer ? `answer ${answer}` : "message";
  const named = answer && (answer.melds.length || answer.layoffs.length || answer.declared);
  const melds = named
    ? "; are its melds sets and runs, and do they leave as much as you think?"
    : "";
  return `knockbox: the referee refused the ${what} (${code})${melds}`;
}
