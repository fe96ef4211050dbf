import knockbox.Action;
import knockbox.DealResult;
import knockbox.Knockbox;
import knockbox.Player;
import knockbox.State;

/** Writes all that it is told to stdout, a line of JSON each, and answers by `chance`. */
public class Bot implements Player {
    /** One of the legal answers. */
    @Override
    public Action answer(State state) {
        System.out.println(state.json());
        var legal = state.legal();
        return legal.get((int) (state.chance() % legal.size()));
    }

    /** How a deal ended, without the hands. */
    @Override
    public void dealOver(DealResult result) {
        String winner = result.winner().isPresent() ? "" + result.winner().getAsInt() : "null";
        String told =
                "{\"deal_over\":{\"board\":%d,\"deal\":%d,\"end\":\"%s\",\"winner\":%s,\"points\":%s,\"deadwood\":%s}}"
                        .formatted(
                                result.board(),
                                result.deal(),
                                result.end(),
                                winner,
                                result.points(),
                                result.deadwood());
        System.out.println(told.replace(", ", ","));
    }

    public static void main(String[] args) {
        Knockbox.run(Bot::new);
    }
}
