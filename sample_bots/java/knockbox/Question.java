package knockbox;

import com.google.protobuf.ByteString;
import java.util.List;
import java.util.Map;
import knockbox.v1.Cards.Phase;
import knockbox.v1.Play.DealStarted;
import knockbox.v1.Play.Options;
import knockbox.v1.Play.Turn;
import knockbox.v1.Rules.Ruleset;

/**
 * Questions made by hand, for a bot's own tests: no referee, no rules, only what the test says.
 *
 * <pre>{@code
 * State state = new Question("draw", "AC 2C … KS").top("6C").deadwood(41).deadwoodIfTaken(31).state();
 * }</pre>
 */
public final class Question {
    private final DealStarted.Builder deal =
            DealStarted.newBuilder()
                    .setDeal(1)
                    .setKnockLimit(10)
                    .setMultiplier(1)
                    .setDealer(1)
                    .addAllScores(List.of(0, 0))
                    .addAllBoxes(List.of(0, 0));
    private final Turn.Builder turn = Turn.newBuilder().setStock(20);
    private final Options.Builder options = Options.newBuilder();

    /** `phase` is offer, draw, discard or layoff, `hand` is cards with spaces between them. */
    public Question(String phase, String hand) {
        turn.setPhase(Phase.valueOf("PHASE_" + phase.toUpperCase(java.util.Locale.ROOT)));
        turn.setHand(Cards.mask(List.of(hand.split(" "))));
        options.setMayDraw(phase.equals("draw")).setMayDecline(phase.equals("offer"));
    }

    /** The top of the discard pile, its only card. */
    public Question top(String card) {
        deal.setUpcard(Cards.number(card));
        turn.setTop(Cards.number(card));
        return this;
    }

    /** Cards left in the stock; else 20. */
    public Question stock(int cards) {
        turn.setStock(cards);
        return this;
    }

    /** Most deadwood to knock; else 10. */
    public Question limit(int limit) {
        deal.setKnockLimit(limit);
        return this;
    }

    /** Least deadwood of the hand. */
    public Question deadwood(int points) {
        options.setDeadwood(points);
        return this;
    }

    /** The top of the pile may be taken, and this is left then. */
    public Question deadwoodIfTaken(int points) {
        options.setMayTake(true).setDeadwoodIfTaken(points);
        return this;
    }

    /** The cards that may be discarded, with the deadwood after each. */
    public Question discards(Map<String, Integer> after) {
        options.setDiscards(Cards.mask(after.keySet())).setDiscardDeadwood(counts(after));
        return this;
    }

    /** The cards that may be knocked with, with the deadwood after each. */
    public Question knocks(Map<String, Integer> after) {
        options.setKnocks(Cards.mask(after.keySet())).setKnockDeadwood(counts(after));
        return this;
    }

    /** A state to call a bot with, for seat 0 of two. */
    public State state() {
        View.Seat seat = new View.Seat(0, Ruleset.newBuilder().setPlayers(2).build(), false);
        Board board = new Board(State::otherwise, deal.build());
        return new State(seat, board, turn.setOptions(options).build(), 5000);
    }

    /** One byte for each card, cards ascending. */
    private static ByteString counts(Map<String, Integer> after) {
        ByteString.Output out = ByteString.newOutput();
        for (String card : Cards.names(Cards.mask(after.keySet()))) out.write(after.get(card));
        return out.toByteString();
    }
}
