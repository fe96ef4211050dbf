/**
 * Cards as people write them ("KC": rank, then suit) and as the wire counts them (0-51).
 *
 * Sets of cards travel as masks with bit `card` set, here BigInts: JavaScript's `&` and `>>` on
 * numbers cut at 32 bits. No rules here: not even what a card is worth.
 */

export type Rank = "A" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "T" | "J" | "Q" | "K";
export type Suit = "C" | "D" | "H" | "S";
export type Card = `${Rank}${Suit}`;

export const RANKS = "A23456789TJQK";
export const SUITS = "CDHS";
export const CARDS: readonly Card[] = [...SUITS].flatMap((suit) =>
  [...RANKS].map((rank) => (rank + suit) as Card),
);
export const ALL = (1n << 52n) - 1n;

const NUMBERS = new Map<string, number>(CARDS.map((card, number) => [card, number]));
const HALF = 26n; // two suits: what JavaScript's operators on numbers can hold

/** The numbers of a mask's cards, ascending. */
export function numbers(mask: bigint): number[] {
  const cards: number[] = [];
  let half = Number(mask & ((1n << HALF) - 1n));
  for (let base = 0; base <= 26; base += 26) {
    for (; half; half &= half - 1) cards.push(base + 31 - Math.clz32(half & -half));
    half = Number(mask >> HALF);
  }
  return cards;
}

/** The cards of a mask, clubs to spades, ace to king. */
export function names(mask: bigint): Card[] {
  return numbers(mask).map((number) => CARDS[number]);
}

/** The number of a card such as "KC". Throws a RangeError for anything else. */
export function number(card: string): number {
  const found = NUMBERS.get(card);
  if (found === undefined) {
    const way = `write rank (${RANKS}) then suit (${SUITS}), like "KC"`;
    throw new RangeError(`${JSON.stringify(card)} is not a card; ${way}`);
  }
  return found;
}

/** The mask of one card. */
export function bit(card: string): bigint {
  return 1n << BigInt(number(card));
}

/** The place of a card in its suit: 1 for the ace, 13 for the king. */
export function rank(card: Card): number {
  return (number(card) % 13) + 1;
}

/** One of C D H S. */
export function suit(card: Card): Suit {
  return SUITS[Math.floor(number(card) / 13)] as Suit;
}
