package knockbox;

import com.google.protobuf.ByteString;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.Supplier;
import knockbox.v1.Play.Ready;

/**
 * Play Oklahoma Gin on Knockbox. A bot is a function from a state to an action:
 *
 * <pre>{@code
 * public static void main(String[] args) {
 *     Knockbox.run(state -> state.knocks().isEmpty() ? state.otherwise() : state.knock(state.bestKnock()));
 * }
 * }</pre>
 *
 * What a state has: View.java. What a bot can answer: State.java. States for a bot's own tests:
 * Question.java.
 */
public final class Knockbox {
    private static final String BY_HAND =
            """
            This program is a Knockbox bot: Knockbox starts it and tells it where the referee is
            (KNOCKBOX_REFEREE, KNOCKBOX_TICKET). To see it play:

                knockbox match THIS_FOLDER OTHER_BOTS_FOLDER""";

    private Knockbox() {}

    /**
     * Play the leg that Knockbox started this program for, and return when it is over. Where the bot
     * throws or the leg breaks off the program ends with code 1.
     */
    public static void run(Player player) {
        run(() -> player);
    }

    /** The same with one player a game: `factory` is asked for each. */
    public static void run(Supplier<? extends Player> factory) {
        run(factory, 0, true);
    }

    /**
     * The same. `maxBoards` is the most games wanted at once, 0 for no limit; without
     * `wantDeadwood` the referee sends no deadwood.
     */
    public static void run(
            Supplier<? extends Player> factory, int maxBoards, boolean wantDeadwood) {
        String address = System.getenv("KNOCKBOX_REFEREE");
        String ticket = System.getenv("KNOCKBOX_TICKET");
        if (address == null || ticket == null || address.isEmpty() || ticket.isEmpty()) end(BY_HAND);
        byte[] nonce = new byte[16];
        new SecureRandom().nextBytes(nonce);
        Ready ready =
                Ready.newBuilder()
                        .setNonce(ByteString.copyFrom(nonce))
                        .setMaxBoards(maxBoards)
                        .setWantDeadwood(wantDeadwood)
                        .build();
        try {
            new Leg(factory, ready).play(address, ticket);
        } catch (Leg.BotFault fault) {
            System.err.println(fault.getMessage());
            end(report(fault.getCause()));
        } catch (Leg.Fault fault) {
            end("knockbox: " + fault.getMessage());
        } catch (InterruptedException stopped) {
            end("knockbox: interrupted");
        }
    }

    private static void end(String words) {
        System.err.println(words);
        System.exit(1);
    }

    /** The bot's own lines, without those of this SDK, and the message last; causes first. */
    private static String report(Throwable error) {
        StringBuilder text = new StringBuilder();
        if (error.getCause() != null) text.append(report(error.getCause())).append('\n');
        Arrays.stream(error.getStackTrace())
                .filter(frame -> !frame.getClassName().startsWith("knockbox."))
                .filter(frame -> frame.getModuleName() == null)
                .forEach(frame -> text.append("    at ").append(frame).append('\n'));
        return text.append(error).toString();
    }
}
