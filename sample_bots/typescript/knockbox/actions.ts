/**
 * What a bot answers, and what it hears when the answer cannot be.
 *
 * Actions are made by the state that asks (`state.discard("KC")`), which knows what is legal; this
 * module holds their shape and their way onto the wire.
 */

import { ALL, bit, CARDS, names, type Card } from "./cards";
import type { Action as Message } from "./stubs/play";

/** The action cannot be: the text names the card, where it is, and what would be legal. */
export class IllegalAction extends Error {
  override name = "IllegalAction";
}

export type Kind = "decline" | "take" | "draw" | "discard" | "knock" | "bigGin" | "layOff";

/** A card laid off, by its number, and the number of the meld that it goes to. */
export type Layoff = readonly [card: number, meld: number];

/** What an answer may say besides its kind. `card` and `melds` are numbers and masks. */
export interface Details {
  card?: number;
  melds?: readonly bigint[];
  layoffs?: readonly Layoff[];
  declared?: boolean;
  note?: string;
}

/** One answer to one question. */
export class Action {
  readonly card: number;
  readonly melds: readonly bigint[];
  readonly layoffs: readonly Layoff[];
  readonly declared: boolean;
  readonly note: string;

  constructor(
    readonly decision: number,
    readonly kind: Kind,
    details: Details = {},
  ) {
    this.card = details.card ?? -1;
    this.melds = details.melds ?? [];
    this.layoffs = details.layoffs ?? [];
    this.declared = details.declared ?? false;
    this.note = checkedNote(details.note ?? "");
  }

  toString(): string {
    const words: string[] = [this.kind];
    if (this.card >= 0) words.push(CARDS[this.card]);
    words.push(...this.melds.map((meld) => `[${names(meld & ALL).join(" ")}]`));
    words.push(...this.layoffs.map(([card, meld]) => `${CARDS[card]}>${meld}`));
    return words.join(" ");
  }
}

function checkedNote(note: string): string {
  const size = note && Buffer.byteLength(note);
  if (size && size > 200) {
    const begin = JSON.stringify(note.slice(0, 40));
    throw new IllegalAction(`a note has at most 200 bytes, this one has ${size}: ${begin}…`);
  }
  return note;
}

/**
 * Melds given as lists of cards, as masks. Throws IllegalAction for a card that is not there.
 *
 * Whether they are sets and runs is for the referee to say.
 */
export function meldMasks(melds: Iterable<Iterable<Card>>, hand: bigint, without?: Card): bigint[] {
  let used = 0n;
  return [...melds].map((meld) => {
    if (typeof meld === "string") {
      const like = '["4C", "4D", "4S"]';
      throw new IllegalAction(
        `a meld is a list of cards like ${like}, not ${JSON.stringify(meld)}`,
      );
    }
    let mask = 0n;
    for (const card of meld) {
      const one = bit(card);
      if (!(hand & one)) {
        throw new IllegalAction(`${card} is not in your hand: ${names(hand).join(" ")}`);
      }
      if (card === without) {
        throw new IllegalAction(`${card} is the card you discard; it cannot be in a meld`);
      }
      if (used & one) throw new IllegalAction(`${card} is in two melds`);
      used |= one;
      mask |= one;
    }
    return mask;
  });
}

/** The action as the wire has it. */
export function toMessage(action: Action): Message {
  return { decision: action.decision, choice: choice(action), note: action.note };
}

function choice(action: Action): NonNullable<Message["choice"]> {
  const { card, declared } = action;
  const melds = [...action.melds];
  switch (action.kind) {
    case "decline":
      return { $case: "decline", value: {} };
    case "take":
      return { $case: "take", value: {} };
    case "draw":
      return { $case: "draw", value: {} };
    case "discard":
      return { $case: "discard", value: { card } };
    case "knock":
      return { $case: "knock", value: { card, melds } };
    case "bigGin":
      return { $case: "bigGin", value: { melds } };
    case "layOff": {
      const layoffs = action.layoffs.map(([at, meld]) => ({ card: at, meld }));
      return { $case: "layOff", value: { melds, layoffs, asDeclared: declared } };
    }
  }
}
