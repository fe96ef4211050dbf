package knockbox;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import knockbox.Action.Kind;
import knockbox.v1.Play.Turn;

/** One question to a bot: what its seat sees, and the makers of legal answers. */
public final class State extends View {
    State(Seat me, Board game, Turn turn, int bankMs) {
        super(me, game, turn, bankMs);
    }

    /** Every legal answer, where melds and layoffs are left to the referee. */
    public List<Action> legal() {
        if (phase().equals("layoff")) return List.of(layOff());
        List<Action> legal = new ArrayList<>();
        if (mayDecline()) legal.add(decline());
        if (mayTake()) legal.add(take());
        if (mayDraw()) legal.add(draw());
        if (mayBigGin()) legal.add(bigGin());
        for (String card : discards()) legal.add(discard(card));
        for (String card : knocks().keySet()) legal.add(knock(card));
        return legal;
    }

    /** Leave the offered upcard. */
    public Action decline() {
        return plain(Kind.DECLINE, mayDecline(), List.of());
    }

    /** Take the top of the discard pile. */
    public Action take() {
        return plain(Kind.TAKE, mayTake(), List.of());
    }

    /** Draw from the stock. */
    public Action draw() {
        return plain(Kind.DRAW, mayDraw(), List.of());
    }

    /** Discard a card and play on. */
    public Action discard(String card) {
        int at = Cards.number(card);
        if (!discards().contains(card)) throw Explain.refusedCard(this, "discard", card);
        return new Action(turn.getDecision(), Kind.DISCARD, at, List.of());
    }

    /** Discard a card and knock, or go gin; the referee arranges for least deadwood. */
    public Action knock(String card) {
        return knock(card, List.of());
    }

    /** Discard a card and knock, or go gin, with these melds, lists of cards. */
    public Action knock(String card, List<List<String>> melds) {
        int at = Cards.number(card);
        if (!knocks().containsKey(card)) throw Explain.refusedCard(this, "knock", card);
        return new Action(turn.getDecision(), Kind.KNOCK, at, masks(melds, card));
    }

    /** Declare eleven melded cards; the referee arranges. */
    public Action bigGin() {
        return bigGin(List.of());
    }

    /** Declare eleven melded cards in these melds. */
    public Action bigGin(List<List<String>> melds) {
        return plain(Kind.BIG_GIN, mayBigGin(), masks(melds, null));
    }

    /** Arrange your hand after a knock; the referee chooses what leaves the least deadwood. */
    public Action layOff() {
        return plain(Kind.LAY_OFF, phase().equals("layoff"), List.of());
    }

    /**
     * Arrange your hand after a knock as is said here. {@code layoffs} names for each card laid off
     * its meld's number in {@code table}.
     */
    public Action layOff(List<List<String>> melds, Map<String, Integer> layoffs) {
        Action plain = layOff();
        List<Long> own = masks(melds, null);
        Map<Integer, Integer> laid = new LinkedHashMap<>();
        layoffs.forEach(
                (card, meld) -> {
                    String why = Explain.refusedLayoff(this, card, meld, own);
                    if (!why.isEmpty()) throw new IllegalAction("cannot lay off " + why);
                    laid.put(Cards.number(card), meld);
                });
        return new Action(plain.decision(), Kind.LAY_OFF, -1, own, laid, true, "");
    }

    /**
     * What is left when you do not want the pile's card: draw, decline, lay off at best, or (when a
     * discard is asked) the best discard.
     */
    public Action otherwise() {
        if (mayDraw()) return draw();
        if (mayDecline()) return decline();
        if (phase().equals("layoff")) return layOff();
        return discards().isEmpty() ? take() : discard(bestDiscard());
    }

    private Action plain(Kind kind, boolean allowed, List<Long> melds) {
        if (!allowed) {
            throw new IllegalAction(kind.word + " is not legal now: " + Explain.choices(this));
        }
        return new Action(turn.getDecision(), kind, -1, melds);
    }

    /**
     * Melds given as lists of cards, as masks. Throws IllegalAction for a card that is not there;
     * whether they are sets and runs is for the referee to say.
     */
    private List<Long> masks(List<List<String>> melds, String without) {
        long used = 0;
        for (List<String> meld : melds) {
            for (String card : meld) {
                long bit = 1L << Cards.number(card);
                if (!hand().contains(card)) {
                    throw new IllegalAction(
                            card + " is not in your hand: " + String.join(" ", hand()));
                }
                if (card.equals(without)) {
                    throw new IllegalAction(card + " is the card you discard; it cannot be in a meld");
                }
                if ((used & bit) != 0) throw new IllegalAction(card + " is in two melds");
                used |= bit;
            }
        }
        return melds.stream().map(Cards::mask).toList();
    }
}
