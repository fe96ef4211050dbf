/** Questions made by hand, for a bot's own tests: no referee, no rules, only what the test says. */

import { Board } from "./board";
import { bit, number, type Card } from "./cards";
import { State } from "./state";
import { Phase } from "./stubs/cards";
import { DealStarted, Options, Turn } from "./stubs/play";
import { Ruleset } from "./stubs/rules";

type Counts = Readonly<Partial<Record<Card, number>>>;

/** What a question may say besides its phase and the hand. */
export interface Facts {
  top?: Card;
  stock?: number;
  limit?: number;
  deadwood?: number;
  /** With it the top of the pile may be taken. */
  deadwoodIfTaken?: number;
  /** The cards that may be discarded, with the deadwood after each. */
  discards?: Counts;
  /** The cards that may be knocked with, with the deadwood after each. */
  knocks?: Counts;
}

/**
 * A state to call a bot with, for seat 0 of two. `hand` is cards with spaces between them:
 *
 *     const state = question("discard", "AC 2C … KS", { discards: { KS: 20, AC: 29 } });
 */
export function question(
  phase: "offer" | "draw" | "discard" | "layoff",
  hand: string,
  facts: Facts = {},
): State {
  const seat = { seat: 0, rules: { ...empty(Ruleset), players: 2 }, untimed: false };
  const top = facts.top && number(facts.top);
  const deal = {
    ...empty(DealStarted),
    deal: 1,
    upcard: top ?? 0,
    knockLimit: facts.limit ?? 10,
    multiplier: 1,
    dealer: 1,
    scores: [0, 0],
    boxes: [0, 0],
  };
  const turn = {
    ...empty(Turn),
    phase: Phase[phase.toUpperCase() as keyof typeof Phase],
    hand: mask(hand.split(" ")),
    top,
    stock: facts.stock ?? 20,
    options: options(phase, facts),
  };
  return new State(seat, new Board(deal), turn, 5000);
}

function options(phase: string, facts: Facts): Options {
  const [discards, discardDeadwood] = counted(facts.discards ?? {});
  const [knocks, knockDeadwood] = counted(facts.knocks ?? {});
  return {
    ...empty(Options),
    mayDraw: phase === "draw",
    mayDecline: phase === "offer",
    mayTake: facts.deadwoodIfTaken !== undefined,
    deadwood: facts.deadwood ?? 0,
    deadwoodIfTaken: facts.deadwoodIfTaken ?? 0,
    discards,
    discardDeadwood,
    knocks,
    knockDeadwood,
  };
}

/** A message with nothing set. */
function empty<T>(type: { decode(bytes: Uint8Array): T }): T {
  return type.decode(new Uint8Array());
}

function mask(cards: readonly string[]): bigint {
  return cards.reduce((sum, card) => sum | bit(card), 0n);
}

/** A mask, and the number beside each of its cards, cards ascending. */
function counted(counts: Counts): [bigint, Buffer] {
  const ascending = Object.entries(counts).sort(([one], [two]) => number(one) - number(two));
  return [mask(ascending.map(([card]) => card)), Buffer.from(ascending.map(([, left]) => left))];
}
