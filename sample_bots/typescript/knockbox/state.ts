/** One question to a bot: what its seat sees, and the makers of legal answers. */

import { Action, IllegalAction, meldMasks, type Details, type Kind } from "./actions";
import { number, type Card } from "./cards";
import { checkedLayoffs, choices, refusedCard } from "./explain";
import { View } from "./view";

/** At most 200 bytes, kept in the replay beside the decision. */
export interface Note {
  note?: string;
}

/** Melds as lists of cards. Left out: the referee arranges for least deadwood. */
export interface Melds extends Note {
  melds?: Iterable<Iterable<Card>>;
}

/** `layoffs` names for each card laid off its meld's number in `table`. */
export interface Layoffs extends Melds {
  layoffs?: Readonly<Partial<Record<Card, number>>>;
}

/** What a bot is called with. Every answer is made by the state that it answers. */
export class State extends View {
  private allowed?: readonly Action[];

  /** Every legal answer, where melds and layoffs are left to the referee. */
  get legal(): readonly Action[] {
    return (this.allowed ??= this.everyAnswer());
  }

  /** Leave the offered upcard. */
  decline({ note }: Note = {}): Action {
    return this.plain("decline", this.mayDecline, { note });
  }

  /** Take the top of the discard pile. */
  take({ note }: Note = {}): Action {
    return this.plain("take", this.mayTake, { note });
  }

  /** Draw from the stock. */
  draw({ note }: Note = {}): Action {
    return this.plain("draw", this.mayDraw, { note });
  }

  /** Discard a card and play on. */
  discard(card: Card, { note }: Note = {}): Action {
    const at = number(card);
    if (!this.discards.includes(card)) throw refusedCard(this, "discard", card);
    return new Action(this.turn.decision, "discard", { card: at, note });
  }

  /** Discard a card and knock, or go gin. */
  knock(card: Card, { melds, note }: Melds = {}): Action {
    const at = number(card);
    if (!this.knocks.has(card)) throw refusedCard(this, "knock", card);
    const masks = meldMasks(melds ?? [], this.turn.hand, card);
    return new Action(this.turn.decision, "knock", { card: at, melds: masks, note });
  }

  /** Declare eleven melded cards. */
  bigGin({ melds, note }: Melds = {}): Action {
    const masks = meldMasks(melds ?? [], this.turn.hand);
    return this.plain("bigGin", this.mayBigGin, { melds: masks, note });
  }

  /**
   * Arrange your hand after a knock. Without melds and layoffs the referee chooses what leaves the
   * least deadwood; with either, they count as they stand.
   */
  layOff({ melds, layoffs, note }: Layoffs = {}): Action {
    const own = meldMasks(melds ?? [], this.turn.hand);
    return this.plain("layOff", this.phase === "layoff", {
      melds: own,
      layoffs: checkedLayoffs(this, layoffs ?? {}, own),
      declared: melds !== undefined || layoffs !== undefined,
      note,
    });
  }

  /**
   * What is left when you do not want the pile's card: draw, decline, lay off at best, or (when a
   * discard is asked) the best discard.
   */
  otherwise({ note }: Note = {}): Action {
    if (this.mayDraw) return this.draw({ note });
    if (this.mayDecline) return this.decline({ note });
    if (this.phase === "layoff") return this.layOff({ note });
    return this.discards.length ? this.discard(this.bestDiscard, { note }) : this.take({ note });
  }

  private everyAnswer(): Action[] {
    if (this.phase === "layoff") return [this.layOff()];
    const legal: Action[] = [];
    if (this.mayDecline) legal.push(this.decline());
    if (this.mayTake) legal.push(this.take());
    if (this.mayDraw) legal.push(this.draw());
    if (this.mayBigGin) legal.push(this.bigGin());
    legal.push(...this.discards.map((card) => this.discard(card)));
    legal.push(...[...this.knocks.keys()].map((card) => this.knock(card)));
    return legal;
  }

  private plain(kind: Kind, allowed: boolean, details: Details): Action {
    if (!allowed) throw new IllegalAction(`${kind} is not legal now: ${choices(this)}`);
    return new Action(this.turn.decision, kind, details);
  }
}
