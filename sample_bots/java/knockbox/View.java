package knockbox;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import knockbox.v1.Play.Options;
import knockbox.v1.Play.Turn;
import knockbox.v1.Rules.Ruleset;

/**
 * The game as a seat sees it when it is asked, with names for people. Cards are strings like "KC".
 *
 * <p>Everything comes from the referee (which cards may go, what deadwood they leave); nothing here
 * knows the rules. What is asked for often is kept when it is first read.
 */
public abstract class View {
    private static final List<String> PHASES =
            List.of("unspecified", "offer", "draw", "discard", "layoff");

    /** What holds for a whole leg: the seat, the rules and the clock. */
    record Seat(int seat, Ruleset rules, boolean untimed) {}

    final Turn turn;
    private final Seat me;
    private final Board game;
    private final int bankMs;
    private List<String> hand;
    private List<String> discards;
    private Map<String, Integer> deadwoodAfter;
    private Map<String, Integer> knocks;

    View(Seat me, Board game, Turn turn, int bankMs) {
        this.me = me;
        this.game = game;
        this.turn = turn;
        this.bankMs = bankMs;
    }

    // The table.

    /** The legal answers as the referee sent them. */
    Options options() {
        return turn.getOptions();
    }

    /** What is asked: "offer", "draw", "discard" or "layoff". */
    public String phase() {
        int phase = turn.getPhaseValue();
        return PHASES.get(phase < PHASES.size() ? phase : 0);
    }

    /** Your cards now, clubs to spades: eleven when a discard is asked, else ten. */
    public List<String> hand() {
        if (hand == null) hand = Cards.names(turn.getHand());
        return hand;
    }

    /** The top of the discard pile; null where there is none. */
    public String top() {
        return turn.hasTop() ? Cards.ALL.get(turn.getTop()) : null;
    }

    /** The whole discard pile, bottom to top. */
    public List<String> pile() {
        return game.pile();
    }

    /** How many cards are left in the stock. */
    public int stock() {
        return turn.getStock();
    }

    /** The seats you play against. */
    public List<Integer> opponents() {
        int step = rules().getPartnership() ? 2 : players();
        return IntStream.range(0, players()).filter(s -> s % step != seat() % step).boxed().toList();
    }

    /** Your partner's seat; absent where everybody plays alone. */
    public OptionalInt partner() {
        return rules().getPartnership() ? OptionalInt.of((seat() + 2) % 4) : OptionalInt.empty();
    }

    /** Cards that opponents hold for certain: taken from the pile and not discarded since. */
    public List<String> opponentKnown() {
        long mask = 0;
        for (int seat : opponents()) mask |= game.known(seat);
        return Cards.names(mask);
    }

    /** Cards that this seat holds for certain. */
    public List<String> known(int seat) {
        return Cards.names(game.known(seat));
    }

    /** What everybody has seen in this deal, in words: "seat 0 declined", … */
    public List<String> history() {
        return game.story();
    }

    /** The card that you have just taken from the pile, when a discard is asked; else null. */
    public String taken() {
        ByteString seen = game.history;
        int last = seen.size() - 2;
        boolean mine = last >= 0 && (seen.byteAt(last) & 0xFF) == Board.TOOK * 16 + seat();
        return mine && phase().equals("discard") ? Cards.ALL.get(seen.byteAt(last + 1)) : null;
    }

    /** In a layoff: the hands shown so far. */
    public List<Spread> spreads() {
        return turn.getSpreadsList().stream().map(Spread::of).toList();
    }

    /**
     * In a layoff: the melds that you may lay off on; the place here is a meld's number. They are
     * the knocker's, or, where your partner has knocked, those of both opponents.
     */
    public List<List<String>> table() {
        if (!mayLayOff()) return List.of();
        List<Spread> shown = spreads();
        // The hands that are open come first. A partner is asked when both opponents have answered.
        int open = rules().getPartnership() && shown.size() == 3 ? 2 : 1;
        return shown.stream().limit(open).flatMap(spread -> spread.melds().stream()).toList();
    }

    // The deal and the game.

    /** The game's number in its leg. */
    public int board() {
        return turn.getBoard();
    }

    /** Your seat, 0-3. */
    public int seat() {
        return me.seat;
    }

    /** The ruleset: rules().getGinBonus(), rules().getTarget(), … */
    public Ruleset rules() {
        return me.rules;
    }

    /** How many seats play. */
    public int players() {
        return rules().getPlayers() == 0 ? 2 : rules().getPlayers();
    }

    /** The dealer's seat. */
    public int dealer() {
        return game.deal.getDealer();
    }

    /** The deal's number in its game, from 1. */
    public int deal() {
        return game.deal.getDeal();
    }

    /** Most deadwood to knock; 0: only gin. */
    public int limit() {
        return game.deal.getKnockLimit();
    }

    /** Factor on the deal's points. */
    public int multiplier() {
        return game.deal.getMultiplier();
    }

    /** The first upcard. */
    public String upcard() {
        return Cards.ALL.get(game.deal.getUpcard());
    }

    /** Points of the game by side. */
    public List<Integer> scores() {
        return game.deal.getScoresList();
    }

    /** Deals won by side. */
    public List<Integer> boxes() {
        return game.deal.getBoxesList();
    }

    /** Your side: the place in {@code scores} that is yours. */
    public int side() {
        return rules().getPartnership() ? seat() % 2 : seat();
    }

    /** Seconds left in the bank when the message was written; infinite when untimed. */
    public double clockLeft() {
        return clockLeftMs().isPresent() ? bankMs / 1000.0 : Double.POSITIVE_INFINITY;
    }

    /** The same in milliseconds; absent when untimed. */
    OptionalInt clockLeftMs() {
        return me.untimed ? OptionalInt.empty() : OptionalInt.of(bankMs);
    }

    /**
     * A number 0 to 4,294,967,295 from all that you see: chance that can be repeated. It is the same
     * in every language: CRC-32 of the facts below, in ASCII, spaces between them.
     */
    public long chance() {
        List<Long> melds =
                turn.getSpreadsList().stream().flatMap(s -> s.getMeldsList().stream()).toList();
        StringBuilder events = new StringBuilder();
        for (byte each : game.history) events.append("%02x".formatted(each & 0xFF));
        String facts =
                "%d %d %d %d %d %s %s %s %s"
                        .formatted(
                                seat(),
                                dealer(),
                                game.deal.getUpcard(),
                                turn.getPhaseValue(),
                                turn.getHand(),
                                events.isEmpty() ? "-" : events,
                                joined(scores()),
                                joined(boxes()),
                                melds.isEmpty() ? "-" : joined(melds));
        CRC32 sum = new CRC32();
        sum.update(facts.getBytes(StandardCharsets.US_ASCII));
        return sum.getValue();
    }

    private static String joined(List<?> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    /** All of this as one line of JSON, the same bytes in every language. */
    public String json() {
        return Line.of(this);
    }

    @Override
    public String toString() {
        return "<deal %d, %s: hand %s, top %s>"
                .formatted(deal(), phase(), String.join(" ", hand()), top());
    }

    // What is legal, and what it leaves.

    /** You may take the pile's top. */
    public boolean mayTake() {
        return options().getMayTake();
    }

    /** You may draw from the stock. */
    public boolean mayDraw() {
        return options().getMayDraw();
    }

    /** You may leave the upcard. */
    public boolean mayDecline() {
        return options().getMayDecline();
    }

    /** All eleven are melded. */
    public boolean mayBigGin() {
        return options().getMayBigGin();
    }

    /** Laying off is allowed. */
    public boolean mayLayOff() {
        return options().getMayLayOff();
    }

    /** The cards that you may discard. */
    public List<String> discards() {
        if (discards == null) discards = Cards.names(options().getDiscards());
        return discards;
    }

    /** Least deadwood after each discard, in the order of the cards. */
    public Map<String, Integer> deadwoodAfter() {
        if (deadwoodAfter == null) {
            deadwoodAfter = counted(discards(), options().getDiscardDeadwood());
        }
        return deadwoodAfter;
    }

    /** The cards that you may knock with, each with the deadwood it leaves; 0 is gin. */
    public Map<String, Integer> knocks() {
        if (knocks == null) {
            knocks = counted(Cards.names(options().getKnocks()), options().getKnockDeadwood());
        }
        return knocks;
    }

    private static Map<String, Integer> counted(List<String> cards, ByteString counts) {
        Map<String, Integer> left = new LinkedHashMap<>();
        for (int at = 0; at < Math.min(cards.size(), counts.size()); at++) {
            left.put(cards.get(at), counts.byteAt(at) & 0xFF);
        }
        return Collections.unmodifiableMap(left);
    }

    /** Of the discards that leave the least deadwood the one of the highest rank. */
    public String bestDiscard() {
        return best("discard", discards(), deadwoodAfter());
    }

    /** Of the knocks that leave the least deadwood the one of the highest rank. */
    public String bestKnock() {
        return best("knock", knocks().keySet(), knocks());
    }

    private String best(String what, Iterable<String> cards, Map<String, Integer> left) {
        String best = null;
        int least = Integer.MAX_VALUE;
        for (String card : cards) {
            int cost = left.getOrDefault(card, 0) * 13 - Cards.rank(card);
            if (cost < least) {
                best = card;
                least = cost;
            }
        }
        if (best != null) return best;
        throw new IllegalAction("no " + what + " is legal now: " + Explain.choices(this));
    }

    /** Least deadwood of your hand; when a discard is asked, after the best one. */
    public int deadwood() {
        ByteString after = options().getDiscardDeadwood();
        if (after.isEmpty()) return options().getDeadwood();
        int least = 255;
        for (byte each : after) least = Math.min(least, each & 0xFF);
        return least;
    }

    /** Least deadwood after taking the pile's top and the best discard; mayTake must hold. */
    public int deadwoodIfTaken() {
        return options().getDeadwoodIfTaken();
    }
}
