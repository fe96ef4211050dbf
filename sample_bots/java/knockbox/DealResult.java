package knockbox;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import knockbox.v1.Play.DealOver;

/**
 * How a deal ended. {@code board} is the game's number, as in the state; {@code end} is knock, gin,
 * big_gin, undercut, void_stock, void_turn_cap or broken_off; {@code winner} a side, absent when the
 * deal was void; {@code points} are by side, {@code deadwood} by seat, {@code hands} as they were
 * shown (none after a void).
 */
public record DealResult(
        int board,
        int deal,
        String end,
        OptionalInt winner,
        List<Integer> points,
        List<Integer> deadwood,
        List<Spread> hands) {
    static DealResult of(DealOver from) {
        List<Integer> deadwood = new ArrayList<>();
        for (byte points : from.getDeadwood()) deadwood.add(points & 0xFF);
        return new DealResult(
                from.getBoard(),
                from.getDeal(),
                Leg.word(from.getEnd(), "DEAL_END_"),
                from.hasWinner() ? OptionalInt.of(from.getWinner()) : OptionalInt.empty(),
                from.getPointsList(),
                deadwood,
                from.getSpreadsList().stream().map(Spread::of).toList());
    }
}
