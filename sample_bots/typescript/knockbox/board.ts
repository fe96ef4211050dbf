/**
 * What the SDK keeps of one board between two questions: the deal's facts and its public history.
 *
 * The history is only collected here; what follows from it (the pile, the known cards) is worked
 * out when a bot asks for it, so that a bot that does not ask does not pay.
 */

import { CARDS, names, type Card } from "./cards";
import { DealEnd, type Spread as SpreadMessage } from "./stubs/cards";
import type { DealOver, DealStarted, Turn } from "./stubs/play";

/** The kinds of public events. */
export const Event = { DECLINED: 1, TOOK: 2, DREW: 3, DISCARDED: 4, SHUFFLED: 5 } as const;
export const VERBS = ["", "declined", "took", "drew", "discarded", "shuffled"] as const;

/** Cards that a seat has shown: its melds with what was laid off on them, and the rest. */
export interface Spread {
  readonly seat: number;
  readonly melds: readonly (readonly Card[])[];
  readonly unmatched: readonly Card[];
  readonly deadwood: number;
}

/** How a deal ended, for a bot's `dealOver`. */
export interface DealResult {
  /** The game, as in `state.board`. */
  readonly board: number;
  readonly deal: number;
  /** knock, gin, big_gin, undercut, void_stock, void_turn_cap or broken_off. */
  readonly end: string;
  /** The side that won it; null when it was void. */
  readonly winner: number | null;
  /** By side. */
  readonly points: readonly number[];
  /** By seat. */
  readonly deadwood: readonly number[];
  /** The hands as they were shown; none after a void. */
  readonly hands: readonly Spread[];
}

/** A spread with the cards as people write them. */
export function spreadOf({ seat, melds, unmatched, deadwood }: SpreadMessage): Spread {
  return { seat, melds: melds.map(names), unmatched: names(unmatched), deadwood };
}

/** A deal's result with names for people. */
export function resultOf(message: DealOver): DealResult {
  return {
    board: message.board,
    deal: message.deal,
    end: (DealEnd[message.end] ?? "unknown").toLowerCase(),
    winner: message.winner ?? null,
    points: message.points,
    deadwood: [...message.deadwood],
    hands: message.spreads.map(spreadOf),
  };
}

/** One game in flight as one seat sees it. */
export class Board {
  /** The deal's public events, two bytes each. */
  history: Buffer;
  private answered = -1; // the decision whose events were added last; -1: none since the deal's

  constructor(public deal: DealStarted) {
    this.history = deal.events;
  }

  /** A deal starts, or is told again after a reconnection with all that was public. */
  begin(deal: DealStarted): void {
    this.deal = deal;
    this.history = deal.events;
    this.answered = -1;
  }

  /** Add what has happened since the last question; a repeated question adds nothing. */
  hear(turn: Turn): void {
    if (turn.decision === this.answered) return;
    this.answered = turn.decision;
    this.history = Buffer.concat([this.history, turn.events]);
  }

  /** The discard pile, bottom to top. */
  pile(): Card[] {
    let pile = [this.deal.upcard];
    for (const [kind, , card] of this.events()) {
      if (kind === Event.DISCARDED) pile.push(card);
      else if (kind === Event.TOOK) pile.pop();
      else if (kind === Event.SHUFFLED) pile = pile.slice(-1);
    }
    return pile.map((card) => CARDS[card]);
  }

  /** Cards that a seat has taken from the pile and not discarded since. */
  known(seat: number): Card[] {
    let mask = 0n;
    for (const [kind, by, card] of this.events()) {
      if (by !== seat) continue;
      if (kind === Event.TOOK) mask |= 1n << BigInt(card);
      else if (kind === Event.DISCARDED) mask &= ~(1n << BigInt(card));
    }
    return names(mask);
  }

  /** The history in words, for people and for messages. */
  story(): string[] {
    return [...this.events()].map(([kind, seat, card]) => {
      const what = `seat ${seat} ${VERBS[kind] ?? "shuffled"}`;
      return card < CARDS.length ? `${what} ${CARDS[card]}` : what;
    });
  }

  /** The public events: kind, seat, and the card or 255. */
  private *events(): Generator<readonly [kind: number, seat: number, card: number]> {
    for (let at = 0; at < this.history.length; at += 2) {
      const code = this.history[at];
      yield [code >> 4, code & 15, this.history[at + 1]];
    }
  }
}
