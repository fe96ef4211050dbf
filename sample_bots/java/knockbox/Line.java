package knockbox;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A question as one line of JSON: for logs, for tests, and for programs behind the bridge. Every SDK
 * writes the very same bytes: ASCII without spaces, the keys in this order, each always there.
 */
final class Line {
    private final StringBuilder text = new StringBuilder("{");

    private Line() {}

    /** The line, without its end. */
    static String of(View state) {
        Line line = new Line();
        line.table(state);
        line.choices(state);
        line.seen(state);
        return line.text.append('}').toString();
    }

    private void table(View state) {
        put("board", state.board());
        put("deal", state.deal());
        put("seat", state.seat());
        put("dealer", state.dealer());
        put("phase", state.phase());
        put("hand", state.hand());
        put("top", state.top());
        put("pile", state.pile());
        put("stock", state.stock());
        put("upcard", state.upcard());
        put("taken", state.taken());
        put("limit", state.limit());
        put("multiplier", state.multiplier());
        put("scores", state.scores());
        put("boxes", state.boxes());
    }

    /** What is legal. Deadwood is null where the referee was not asked for it, or has none. */
    private void choices(View state) {
        put("may_take", state.mayTake());
        put("may_draw", state.mayDraw());
        put("may_decline", state.mayDecline());
        put("may_big_gin", state.mayBigGin());
        put("may_lay_off", state.mayLayOff());
        put("deadwood", state.deadwood());
        put("deadwood_if_taken", state.mayTake() ? state.deadwoodIfTaken() : null);
        put("discards", counts(state.discards(), state.deadwoodAfter()));
        put("knocks", counts(Cards.names(state.options().getKnocks()), state.knocks()));
        put("best_discard", state.discards().isEmpty() ? null : state.bestDiscard());
        put("best_knock", state.knocks().isEmpty() ? null : state.bestKnock());
    }

    private void seen(View state) {
        put("known", IntStream.range(0, state.players()).mapToObj(state::known).toList());
        put("spreads", state.spreads());
        put("table", state.table());
        put("history", state.history());
        put("chance", state.chance());
        put("clock_left_ms", state.clockLeftMs().isPresent() ? state.clockLeftMs().getAsInt() : null);
    }

    private void put(String key, Object value) {
        if (text.length() > 1) text.append(',');
        text.append('"').append(key).append("\":").append(json(value));
    }

    /** Nothing here needs escaping: cards, words of this SDK, numbers. */
    private static String json(Object value) {
        if (value instanceof String word) return '"' + word + '"';
        if (value instanceof Raw raw) return raw.json;
        if (value instanceof List<?> list) {
            return list.stream().map(Line::json).collect(Collectors.joining(",", "[", "]"));
        }
        if (value instanceof Spread spread) {
            return "{\"seat\":%d,\"melds\":%s,\"unmatched\":%s,\"deadwood\":%d}"
                    .formatted(
                            spread.seat(),
                            json(spread.melds()),
                            json(spread.unmatched()),
                            spread.deadwood());
        }
        return String.valueOf(value);
    }

    /** What is JSON already. */
    private record Raw(String json) {}

    private static Raw counts(List<String> cards, Map<String, Integer> left) {
        return new Raw(
                cards.stream()
                        .map(card -> '"' + card + "\":" + left.get(card))
                        .collect(Collectors.joining(",", "{", "}")));
    }
}
