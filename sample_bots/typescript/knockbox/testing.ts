/**
 * States for a bot's own tests, from the same fields that `state.json()` writes: what a test leaves
 * out is empty. A line that a bot has logged is a test's state too: `stateOf(JSON.parse(line))`.
 */

import { Board, VERBS } from "./board";
import { bit, number, type Card } from "./cards";
import { State } from "./state";
import { Phase } from "./stubs/cards";
import { DealStarted, Options, Turn } from "./stubs/play";
import { Ruleset } from "./stubs/rules";

type Counts = Partial<Record<Card, number | null>>;

/** The fields of `state.json()`; those that follow from others (best_discard, …) are not read. */
export interface Fields {
  board?: number;
  deal?: number;
  seat?: number;
  dealer?: number;
  phase: "offer" | "draw" | "discard" | "layoff";
  hand?: Card[];
  top?: Card | null;
  stock?: number;
  upcard?: Card;
  limit?: number;
  multiplier?: number;
  scores?: number[];
  boxes?: number[];
  may_take?: boolean;
  may_draw?: boolean;
  may_decline?: boolean;
  may_big_gin?: boolean;
  may_lay_off?: boolean;
  deadwood?: number;
  deadwood_if_taken?: number | null;
  discards?: Counts;
  knocks?: Counts;
  known?: Card[][];
  spreads?: { seat: number; melds: Card[][]; unmatched: Card[]; deadwood: number }[];
  history?: string[];
  clock_left_ms?: number | null;
}

/** The state that a bot would be called with. */
export function stateOf(fields: Fields): State {
  const seat = {
    seat: fields.seat ?? 0,
    rules: { ...decoded(Ruleset), players: fields.known?.length ?? 2 },
    untimed: fields.clock_left_ms === null,
  };
  const board = new Board({
    ...decoded(DealStarted),
    board: fields.board ?? 0,
    deal: fields.deal ?? 1,
    dealer: fields.dealer ?? 1,
    upcard: number(fields.upcard ?? "AC"),
    knockLimit: fields.limit ?? 10,
    multiplier: fields.multiplier ?? 1,
    scores: fields.scores ?? [0, 0],
    boxes: fields.boxes ?? [0, 0],
    events: Buffer.from((fields.history ?? []).flatMap(event)),
  });
  const turn = {
    ...decoded(Turn),
    board: fields.board ?? 0,
    phase: Phase[fields.phase.toUpperCase() as keyof typeof Phase],
    hand: mask(fields.hand ?? []),
    top: fields.top ? number(fields.top) : undefined,
    stock: fields.stock ?? 31,
    options: optionsOf(fields),
    spreads: (fields.spreads ?? []).map((spread) => ({
      ...spread,
      melds: spread.melds.map(mask),
      unmatched: mask(spread.unmatched),
    })),
  };
  return new State(seat, board, turn, fields.clock_left_ms ?? 0);
}

function optionsOf(fields: Fields): Options {
  const [discards, discardDeadwood] = counts(fields.discards ?? {});
  const [knocks, knockDeadwood] = counts(fields.knocks ?? {});
  return {
    mayDecline: fields.may_decline ?? false,
    mayTake: fields.may_take ?? false,
    mayDraw: fields.may_draw ?? false,
    mayBigGin: fields.may_big_gin ?? false,
    mayLayOff: fields.may_lay_off ?? false,
    discards,
    discardDeadwood,
    knocks,
    knockDeadwood,
    deadwood: fields.deadwood ?? 0,
    deadwoodIfTaken: fields.deadwood_if_taken ?? 0,
  };
}

/** A message with nothing set. */
function decoded<T>(type: { decode(bytes: Uint8Array): T }): T {
  return type.decode(new Uint8Array());
}

function mask(cards: readonly string[]): bigint {
  return cards.reduce((sum, card) => sum | bit(card), 0n);
}

function counts(of: Counts): [bigint, Buffer] {
  const cards = Object.keys(of).sort((one, other) => number(one) - number(other)) as Card[];
  const left = cards.map((card) => of[card]).filter((count) => typeof count === "number");
  return [mask(cards), Buffer.from(left)];
}

/** "seat 0 took KC" as the wire has it. */
function event(words: string): [number, number] {
  const [, seat, verb, card] = words.split(" ");
  const kind = VERBS.findIndex((each) => each === verb);
  return [kind * 16 + Number(seat), card ? number(card) : 255];
}
