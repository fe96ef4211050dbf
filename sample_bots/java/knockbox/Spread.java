package knockbox;

import java.util.List;

/** Cards that a seat has shown: its melds with what was laid off on them, and the rest. */
public record Spread(int seat, List<List<String>> melds, List<String> unmatched, int deadwood) {
    static Spread of(knockbox.v1.Cards.SpreadOrBuilder from) {
        List<List<String>> melds = from.getMeldsList().stream().map(Cards::names).toList();
        return new Spread(from.getSeat(), melds, Cards.names(from.getUnmatched()), from.getDeadwood());
    }
}
