/**
 * The game as a seat sees it when it is asked, with names for people.
 *
 * Everything comes from the referee (which cards may go, what deadwood they leave); nothing here
 * knows the rules. Lists and maps are made when they are first read, and then kept.
 */

import { crc32 } from "node:zlib";
import { Event, spreadOf, type Board, type Spread } from "./board";
import { CARDS, names, rank, type Card } from "./cards";
import { IllegalAction } from "./actions";
import { choices } from "./explain";
import { toJson } from "./json";
import type { Options, Turn } from "./stubs/play";
import type { Ruleset } from "./stubs/rules";

export type Phase = "unspecified" | "offer" | "draw" | "discard" | "layoff";
const PHASES: readonly Phase[] = ["unspecified", "offer", "draw", "discard", "layoff"];

/** What holds for a whole leg: the seat, the rules and the clock. */
export interface Seat {
  readonly seat: number;
  readonly rules: Ruleset;
  readonly untimed: boolean;
}

/** What a seat sees at one question. Cards are strings like "KC". */
export class View {
  private kept: {
    hand?: readonly Card[];
    pile?: readonly Card[];
    history?: readonly string[];
    spreads?: readonly Spread[];
    discards?: readonly Card[];
    deadwoodAfter?: ReadonlyMap<Card, number>;
    knocks?: ReadonlyMap<Card, number>;
  } = {};

  constructor(
    private readonly me: Seat,
    private readonly game: Board,
    /** The question as the referee sent it. */
    readonly turn: Turn,
    private readonly bankMs = 0,
  ) {}

  // The table.

  /** The legal answers as the referee sent them. */
  get options(): Options {
    return this.turn.options as Options;
  }

  /** What is asked: "offer", "draw", "discard" or "layoff". */
  get phase(): Phase {
    return PHASES[this.turn.phase] ?? "unspecified";
  }

  /** Your cards now, clubs to spades: eleven when a discard is asked, else ten. */
  get hand(): readonly Card[] {
    return (this.kept.hand ??= names(this.turn.hand));
  }

  /** The top of the discard pile. */
  get top(): Card | null {
    return this.turn.top === undefined ? null : CARDS[this.turn.top];
  }

  /** The whole discard pile, bottom to top. */
  get pile(): readonly Card[] {
    return (this.kept.pile ??= this.game.pile());
  }

  /** How many cards are left in the stock. */
  get stock(): number {
    return this.turn.stock;
  }

  /** The seats you play against. */
  get opponents(): readonly number[] {
    const step = this.rules.partnership ? 2 : this.players;
    const seats = Array.from({ length: this.players }, (_, seat) => seat);
    return seats.filter((seat) => seat % step !== this.seat % step);
  }

  /** Your partner's seat; null where everybody plays alone. */
  get partner(): number | null {
    return this.rules.partnership ? (this.seat + 2) % 4 : null;
  }

  /** Cards that opponents hold for certain: taken from the pile and not discarded since. */
  get opponentKnown(): readonly Card[] {
    const held = new Set(this.opponents.flatMap((seat) => this.game.known(seat)));
    return CARDS.filter((card) => held.has(card));
  }

  /** Cards that this seat holds for certain. */
  known(seat: number): readonly Card[] {
    return this.game.known(seat);
  }

  /** What everybody has seen in this deal, in words: ["seat 0 declined", …]. */
  get history(): readonly string[] {
    return (this.kept.history ??= this.game.story());
  }

  /** The card that you have just taken from the pile, when a discard is asked. */
  get taken(): Card | null {
    const [code, card] = this.game.history.subarray(-2);
    const mine = code === Event.TOOK * 16 + this.seat;
    return this.phase === "discard" && mine ? CARDS[card] : null;
  }

  /** In a layoff: the hands shown so far, each with seat, melds, unmatched, deadwood. */
  get spreads(): readonly Spread[] {
    return (this.kept.spreads ??= this.turn.spreads.map(spreadOf));
  }

  /**
   * In a layoff: the melds that you may lay off on; the place here is a meld's number.
   *
   * They are the knocker's, or, where your partner has knocked, those of both opponents.
   */
  get table(): readonly (readonly Card[])[] {
    if (!this.mayLayOff) return [];
    // The hands that are open come first. A partner is asked when both opponents have answered.
    const partners = this.rules.partnership && this.spreads.length === 3;
    return this.spreads.slice(0, partners ? 2 : 1).flatMap((spread) => spread.melds);
  }

  // The deal and the game.

  /** The game's number in this leg; says nothing about the cards. */
  get board(): number {
    return this.turn.board;
  }

  /** Your seat, 0-3. */
  get seat(): number {
    return this.me.seat;
  }

  /** The ruleset: rules.ginBonus, rules.target… */
  get rules(): Ruleset {
    return this.me.rules;
  }

  /** How many seats play. */
  get players(): number {
    return this.rules.players || 2;
  }

  /** The dealer's seat. */
  get dealer(): number {
    return this.game.deal.dealer;
  }

  /** The deal's number in its game, from 1. */
  get deal(): number {
    return this.game.deal.deal;
  }

  /** Most deadwood to knock; 0: only gin. */
  get limit(): number {
    return this.game.deal.knockLimit;
  }

  /** Factor on the deal's points. */
  get multiplier(): number {
    return this.game.deal.multiplier;
  }

  /** The first upcard. */
  get upcard(): Card {
    return CARDS[this.game.deal.upcard];
  }

  /** Points of the game by side. */
  get scores(): readonly number[] {
    return this.game.deal.scores;
  }

  /** Deals won by side. */
  get boxes(): readonly number[] {
    return this.game.deal.boxes;
  }

  /** Your side: the place in `scores` that is yours. */
  get side(): number {
    return this.rules.partnership ? this.seat % 2 : this.seat;
  }

  /** Seconds left in the bank when the message was written; Infinity when untimed. */
  get clockLeft(): number {
    return this.clockLeftMs === null ? Infinity : this.clockLeftMs / 1000;
  }

  /** The same in milliseconds; null when untimed. */
  get clockLeftMs(): number | null {
    return this.me.untimed ? null : this.bankMs;
  }

  /** A number 0 to 4,294,967,295 from all that you see: chance that can be repeated. */
  get chance(): number {
    const { turn, game } = this;
    const melds = turn.spreads.flatMap((spread) => spread.melds);
    const seen = [
      this.seat,
      this.dealer,
      game.deal.upcard,
      turn.phase,
      turn.hand,
      game.history.toString("hex") || "-",
      this.scores.join(),
      this.boxes.join(),
      melds.join() || "-",
    ];
    return crc32(seen.join(" "));
  }

  /** All of this as one line of JSON, the same in every language; docs: the bridge. */
  json(): string {
    return toJson(this);
  }

  toString(): string {
    return `<deal ${this.deal}, ${this.phase}: hand ${this.hand.join(" ")}, top ${this.top}>`;
  }

  // What is legal, and what it leaves.

  /** You may take the pile's top. */
  get mayTake(): boolean {
    return this.options.mayTake;
  }

  /** You may draw from the stock. */
  get mayDraw(): boolean {
    return this.options.mayDraw;
  }

  /** You may leave the upcard. */
  get mayDecline(): boolean {
    return this.options.mayDecline;
  }

  /** All eleven are melded. */
  get mayBigGin(): boolean {
    return this.options.mayBigGin;
  }

  /** Laying off is allowed. */
  get mayLayOff(): boolean {
    return this.options.mayLayOff;
  }

  /** The cards that you may discard. */
  get discards(): readonly Card[] {
    return (this.kept.discards ??= names(this.options.discards));
  }

  /** Least deadwood after each discard: KC → 23, … */
  get deadwoodAfter(): ReadonlyMap<Card, number> {
    return (this.kept.deadwoodAfter ??= counted(this.discards, this.options.discardDeadwood));
  }

  /** The cards that you may knock with, each with the deadwood it leaves; 0 is gin. */
  get knocks(): ReadonlyMap<Card, number> {
    const { knocks, knockDeadwood } = this.options;
    return (this.kept.knocks ??= counted(names(knocks), knockDeadwood));
  }

  /** Of the discards that leave the least deadwood the one of the highest rank. */
  get bestDiscard(): Card {
    return this.best("discard", this.discards, this.deadwoodAfter);
  }

  /** Of the knocks that leave the least deadwood the one of the highest rank. */
  get bestKnock(): Card {
    return this.best("knock", [...this.knocks.keys()], this.knocks);
  }

  /** Least deadwood of your hand; when a discard is asked, after the best one. */
  get deadwood(): number {
    const after = this.options.discardDeadwood;
    return after.length ? Math.min(...after) : this.options.deadwood;
  }

  /** Least deadwood after taking the pile's top and the best discard; mayTake must hold. */
  get deadwoodIfTaken(): number {
    return this.options.deadwoodIfTaken;
  }

  private best(what: string, cards: readonly Card[], left: ReadonlyMap<Card, number>): Card {
    if (!cards.length) throw new IllegalAction(`no ${what} is legal now: ${choices(this)}`);
    const cost = (card: Card) => (left.get(card) ?? 0) * 13 - rank(card);
    return cards.reduce((best, card) => (cost(card) < cost(best) ? card : best));
  }
}

function counted(cards: readonly Card[], counts: Buffer): ReadonlyMap<Card, number> {
  return new Map(cards.slice(0, counts.length).map((card, at) => [card, counts[at]]));
}
