package knockbox;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Why an answer cannot be, in words: where the card is, and what would be legal. Works from what the
 * seat sees alone, and only when something has gone wrong.
 */
final class Explain {
    private Explain() {}

    /** What the state would take, in one line. */
    static String choices(View state) {
        List<String> legal = new ArrayList<>();
        if (state.mayDecline()) legal.add("decline()");
        if (state.mayTake()) legal.add("take() " + state.top());
        if (state.mayDraw()) legal.add("draw()");
        if (state.mayBigGin()) legal.add("bigGin()");
        if (!state.discards().isEmpty()) {
            legal.add("discard() one of " + String.join(" ", state.discards()));
        }
        if (!state.knocks().isEmpty()) {
            legal.add("knock() with one of " + String.join(" ", state.knocks().keySet()));
        }
        if (state.phase().equals("layoff")) legal.add("layOff()");
        String all = legal.isEmpty() ? "do nothing" : String.join(", or ", legal);
        return "in phase " + state.phase() + " you may " + all;
    }

    /** Where a card is, as far as the seat knows. */
    static String where(View state, String card) {
        if (card.equals(state.taken())) return "was taken from the pile in this turn";
        if (state.hand().contains(card)) return "is in your hand";
        List<String> pile = state.pile();
        if (pile.contains(card)) {
            int below = pile.size() - 1 - pile.indexOf(card);
            return below == 0 ? "is the top of the discard pile" : "lies " + below + " deep in the pile";
        }
        if (state.opponentKnown().contains(card)) {
            return "is in an opponent's hand, taken from the pile";
        }
        return "is not in your hand, and you have not seen it";
    }

    /** Why this card cannot be discarded or knocked with. */
    static IllegalAction refusedCard(View state, String kind, String card) {
        String text = "cannot " + kind + " " + card + ": it " + where(state, card);
        if (kind.equals("knock") && state.discards().contains(card)) {
            Integer left = state.deadwoodAfter().get(card);
            text += ", and ";
            text += state.limit() > 0 ? "the limit is " + state.limit() : "only gin ends this deal";
            if (left != null) text += ", it would leave " + left;
        }
        return new IllegalAction(text + "; " + choices(state));
    }

    /** Why this card cannot be laid off, or "" where it can. */
    static String refusedLayoff(View state, String card, int meld, List<Long> own) {
        int at = Cards.number(card);
        List<List<String>> table = state.table();
        if (!state.hand().contains(card)) return card + ": it " + where(state, card);
        if (own.stream().anyMatch(mask -> (mask >> at & 1) == 1)) {
            return card + ": it is in one of your own melds";
        }
        if (meld >= 0 && meld < table.size()) return "";
        String melds =
                IntStream.range(0, table.size())
                        .mapToObj(place -> place + ": " + String.join(" ", table.get(place)))
                        .collect(Collectors.joining("; "));
        return card + " on meld " + meld + "; on the table are " + melds;
    }

    /** What a bot gave back is no answer to what it was asked. */
    static IllegalAction noAnswer(View state, Action answer) {
        String what = answer == null ? "null" : "an answer to another question (" + answer + ")";
        return new IllegalAction(
                "the bot answered with " + what + "; give back what one of the state's makers makes, "
                        + "like state.draw(): " + choices(state));
    }

    /** Where a bot's exception happened, for the line above its trace. */
    static String context(View state) {
        List<String> pile = state.pile();
        String end = String.join(" ", pile.subList(Math.max(0, pile.size() - 5), pile.size()));
        return "(asked in deal %d, phase %s: hand %s; pile …%s; %s)"
                .formatted(
                        state.deal(), state.phase(), String.join(" ", state.hand()), end, choices(state));
    }

    /** The line that tells of an answer that the referee did not take; null: all of the message. */
    static String refusal(Action answer, String code) {
        String text = "knockbox: the referee refused the ";
        text += (answer == null ? "message" : "answer " + answer) + " (" + code + ")";
        boolean named =
                answer != null
                        && (answer.declared() || !answer.melds().isEmpty());
        return named
                ? text + "; are its melds sets and runs, and do they leave as much as you think?"
                : text;
    }
}
