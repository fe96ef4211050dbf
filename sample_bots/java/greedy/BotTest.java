import java.util.Map;
import knockbox.Action;
import knockbox.Question;
import knockbox.State;

/** What the bot answers to a few questions. A plain program: it ends with 0 where all is well. */
public class BotTest {
    private static final String ELEVEN = "AC 2C 3C KC 4D QD 4H 4S 7S 8S 9S";
    private static final String TEN = "AC 2C 3C 5C 4D QD 4H 7S 8S KS";

    public static void main(String[] args) {
        State state =
                new Question("discard", ELEVEN)
                        .discards(Map.of("QD", 10, "KC", 10))
                        .knocks(Map.of("QD", 9, "KC", 8))
                        .state();
        check("of two knocks the one that leaves less", state, state.knock("KC"));

        state = new Question("discard", ELEVEN).discards(Map.of("9S", 30, "QD", 22, "KC", 22)).state();
        check("of two equal discards the higher card", state, state.discard("KC"));

        state = new Question("draw", TEN).top("6C").deadwood(41).deadwoodIfTaken(31).state();
        check("what lowers the count is taken", state, state.take());

        state = new Question("draw", TEN).top("KH").deadwood(41).deadwoodIfTaken(41).state();
        check("else a card from the stock", state, state.draw());

        state = new Question("offer", TEN).top("KH").deadwood(41).deadwoodIfTaken(41).state();
        check("an upcard that does not help is left", state, state.decline());
    }

    private static void check(String promise, State state, Action expected) {
        Action actual = Bot.answer(state);
        if (!actual.equals(expected)) {
            throw new AssertionError(promise + ": " + actual + ", not " + expected);
        }
        System.out.println("ok: " + promise);
    }
}
