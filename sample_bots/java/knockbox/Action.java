package knockbox;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import knockbox.v1.Cards.Layoff;
import knockbox.v1.Play;

/**
 * One answer to one question, made by the state that asks, which knows what is legal. {@code card}
 * and the cards of {@code melds} and {@code layoffs} are numbers and masks; card -1: none.
 */
public record Action(
        int decision,
        Kind kind,
        int card,
        List<Long> melds,
        Map<Integer, Integer> layoffs,
        boolean declared,
        String note) {

    /** What is done. */
    public enum Kind {
        DECLINE("decline"),
        TAKE("take"),
        DRAW("draw"),
        DISCARD("discard"),
        KNOCK("knock"),
        BIG_GIN("bigGin"),
        LAY_OFF("layOff");

        final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    Action(int decision, Kind kind, int card, List<Long> melds) {
        this(decision, kind, card, melds, Map.of(), false, "");
    }

    /** The same with a note of at most 200 bytes, kept in the replay beside the decision. */
    public Action withNote(String text) {
        int size = text.getBytes(StandardCharsets.UTF_8).length;
        if (size > 200) {
            throw new IllegalAction(
                    "a note has at most 200 bytes, this one has %d: '%.40s'…".formatted(size, text));
        }
        return new Action(decision, kind, card, melds, layoffs, declared, text);
    }

    @Override
    public String toString() {
        List<String> words = new ArrayList<>(List.of(kind.word));
        if (card >= 0) words.add(Cards.ALL.get(card));
        for (long meld : melds) words.add("[" + String.join(" ", Cards.names(meld)) + "]");
        layoffs.forEach((laid, meld) -> words.add(Cards.ALL.get(laid) + ">" + meld));
        return String.join(" ", words);
    }

    /** The action as the wire has it. */
    Play.Action message() {
        Play.Action.Builder out = Play.Action.newBuilder().setDecision(decision).setNote(note);
        switch (kind) {
            case DECLINE -> out.setDecline(Play.Decline.getDefaultInstance());
            case TAKE -> out.setTake(Play.Take.getDefaultInstance());
            case DRAW -> out.setDraw(Play.Draw.getDefaultInstance());
            case DISCARD -> out.setDiscard(Play.Discard.newBuilder().setCard(card));
            case KNOCK -> out.setKnock(Play.Knock.newBuilder().setCard(card).addAllMelds(melds));
            case BIG_GIN -> out.setBigGin(Play.BigGin.newBuilder().addAllMelds(melds));
            case LAY_OFF -> out.setLayOff(layOff());
        }
        return out.build();
    }

    private Play.LayOff layOff() {
        Play.LayOff.Builder out = Play.LayOff.newBuilder().addAllMelds(melds).setAsDeclared(declared);
        layoffs.forEach((laid, meld) -> out.addLayoffs(Layoff.newBuilder().setCard(laid).setMeld(meld)));
        return out.build();
    }
}
