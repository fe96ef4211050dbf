package knockbox;

import java.util.ArrayList;
import java.util.List;

/**
 * Cards as people write them ("KC": rank, then suit) and as the wire counts them (0-51).
 *
 * <p>Sets of cards travel as masks, a long with bit {@code card} set (write {@code 1L << card}). No
 * rules here: not even what a card is worth.
 */
public final class Cards {
    public static final String RANKS = "A23456789TJQK";
    public static final String SUITS = "CDHS";

    /** All cards, clubs to spades, ace to king. */
    public static final List<String> ALL = all();

    static final long MASK = (1L << 52) - 1;

    private Cards() {}

    private static List<String> all() {
        List<String> cards = new ArrayList<>();
        for (char suit : SUITS.toCharArray()) {
            for (char rank : RANKS.toCharArray()) cards.add("" + rank + suit);
        }
        return List.copyOf(cards);
    }

    /** The cards of a mask, clubs to spades, ace to king. */
    static List<String> names(long mask) {
        List<String> cards = new ArrayList<>(Long.bitCount(mask));
        for (long rest = mask; rest != 0; rest &= rest - 1) {
            cards.add(ALL.get(Long.numberOfTrailingZeros(rest)));
        }
        return cards;
    }

    /** The number of a card such as "KC". Throws IllegalArgumentException for anything else. */
    static int number(String card) {
        if (card != null && card.length() == 2) {
            int rank = RANKS.indexOf(card.charAt(0));
            int suit = SUITS.indexOf(card.charAt(1));
            if (rank >= 0 && suit >= 0) return suit * 13 + rank;
        }
        throw new IllegalArgumentException(
                "'%s' is not a card; write rank (%s) then suit (%s), like 'KC'"
                        .formatted(card, RANKS, SUITS));
    }

    /** The mask of these cards. */
    static long mask(Iterable<String> cards) {
        long mask = 0;
        for (String card : cards) mask |= 1L << number(card);
        return mask;
    }

    /** The place of a card in its suit: 1 for the ace, 13 for the king. */
    public static int rank(String card) {
        return number(card) % 13 + 1;
    }

    /** One of C D H S. */
    public static char suit(String card) {
        return SUITS.charAt(number(card) / 13);
    }
}
