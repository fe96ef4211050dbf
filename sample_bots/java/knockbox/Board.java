package knockbox;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import knockbox.v1.Play.DealStarted;
import knockbox.v1.Play.Turn;

/**
 * What the SDK keeps of one board between two questions: the deal's facts and its public history.
 *
 * <p>The history is only collected here; what follows from it (the pile, the known cards) is worked
 * out when a bot asks for it, so that a bot that does not ask does not pay.
 */
final class Board {
    static final int TOOK = 2;
    private static final int DISCARDED = 4;
    private static final int SHUFFLED = 5;
    private static final List<String> VERBS =
            List.of("shuffled", "declined", "took", "drew", "discarded", "shuffled");

    /** What plays this game. */
    final Player player;

    DealStarted deal;
    ByteString history;
    private int answered; // the decision whose events were added last; -1: none since the deal's

    Board(Player player, DealStarted deal) {
        this.player = player;
        begin(deal);
    }

    /** A deal starts, or is told again after a reconnection with all that was public. */
    void begin(DealStarted started) {
        deal = started;
        history = started.getEvents();
        answered = -1;
    }

    /** Add what has happened since the last question; a repeated question adds nothing. */
    void hear(Turn turn) {
        if (turn.getDecision() == answered) return;
        answered = turn.getDecision();
        history = history.concat(turn.getEvents());
    }

    /** One public event: `card` is a number, or 255. */
    private record Event(int kind, int seat, int card) {}

    private List<Event> events() {
        List<Event> events = new ArrayList<>(history.size() / 2);
        for (int at = 0; at < history.size(); at += 2) {
            int code = history.byteAt(at) & 0xFF;
            events.add(new Event(code >> 4, code & 15, history.byteAt(at + 1) & 0xFF));
        }
        return events;
    }

    /** The discard pile, bottom to top. */
    List<String> pile() {
        List<String> pile = new ArrayList<>(List.of(Cards.ALL.get(deal.getUpcard())));
        for (Event event : events()) {
            switch (event.kind) {
                case DISCARDED -> pile.add(Cards.ALL.get(event.card));
                case TOOK -> pile.remove(pile.size() - 1);
                case SHUFFLED -> pile.subList(0, Math.max(0, pile.size() - 1)).clear();
                default -> {}
            }
        }
        return pile;
    }

    /** Cards, as a mask, that a seat has taken from the pile and not discarded since. */
    long known(int seat) {
        long mask = 0;
        for (Event event : events()) {
            if (event.seat != seat) continue;
            if (event.kind == TOOK) mask |= 1L << event.card;
            else if (event.kind == DISCARDED) mask &= ~(1L << event.card);
        }
        return mask;
    }

    /** The history in words, for people and for messages. */
    List<String> story() {
        List<String> lines = new ArrayList<>();
        for (Event event : events()) {
            String what = VERBS.get(event.kind < VERBS.size() ? event.kind : 0);
            String card = event.card < 52 ? " " + Cards.ALL.get(event.card) : "";
            lines.add("seat " + event.seat + " " + what + card);
        }
        return lines;
    }
}
