package knockbox;

import com.google.protobuf.Internal.EnumLite;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.protobuf.lite.ProtoLiteUtils;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import knockbox.View.Seat;
import knockbox.v1.Play.Actions;
import knockbox.v1.Play.DealOver;
import knockbox.v1.Play.DealStarted;
import knockbox.v1.Play.Join;
import knockbox.v1.Play.MatchOver;
import knockbox.v1.Play.PlayRequest;
import knockbox.v1.Play.PlayResponse;
import knockbox.v1.Play.Ready;
import knockbox.v1.Play.Reason;
import knockbox.v1.Play.Refused;
import knockbox.v1.Play.Turn;
import knockbox.v1.Play.Turns;
import knockbox.v1.Play.Welcome;

/**
 * Plays one leg, over as many connections as it takes: asks the bot, answers the referee.
 *
 * <p>The loop knows nothing of clocks and chance: the same questions get the same answers. Time is
 * used to wait for a referee that is not there yet.
 */
final class Leg {
    private static final String SDK = "knockbox-java/1";
    private static final int PROTOCOL = 1;
    private static final long START_MS = 10_000;
    private static final int RECONNECTIONS = 20;
    private static final Set<Status.Code> LOST =
            EnumSet.of(
                    Status.Code.UNAVAILABLE,
                    Status.Code.UNKNOWN,
                    Status.Code.INTERNAL,
                    Status.Code.CANCELLED);
    static final MethodDescriptor<PlayRequest, PlayResponse> PLAY =
            MethodDescriptor.<PlayRequest, PlayResponse>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName("knockbox.v1.PlayService/Play")
                    .setRequestMarshaller(ProtoLiteUtils.marshaller(PlayRequest.getDefaultInstance()))
                    .setResponseMarshaller(ProtoLiteUtils.marshaller(PlayResponse.getDefaultInstance()))
                    .build();

    /** The leg has no result. */
    static final class Fault extends Exception {
        private static final long serialVersionUID = 1L;

        Fault(String message) {
            super(message);
        }
    }

    /** The bot threw: the message says what it was asked, the cause is what it threw. */
    static final class BotFault extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BotFault(String context, Throwable cause) {
            super(context, cause);
        }
    }

    private final Supplier<? extends Player> factory;
    private final Ready ready;
    private final Map<Integer, Board> boards = new HashMap<>();
    private Map<Integer, Action> last = Map.of();
    private Seat seat;
    private boolean over;

    Leg(Supplier<? extends Player> factory, Ready ready) {
        this.factory = factory;
        this.ready = ready;
    }

    /** Play to the end. Throws Fault where there is none, and BotFault. */
    void play(String address, String ticket) throws Fault, InterruptedException {
        long deadline = System.nanoTime() + START_MS * 1_000_000;
        int lost = 0;
        while (!over) {
            try {
                connect(address, ticket);
                if (!over) throw new Fault("the referee ended the leg without a result");
            } catch (StatusException error) {
                if (over) return;
                Status status = error.getStatus();
                if (seat != null) lost++;
                boolean late =
                        seat == null ? System.nanoTime() > deadline : lost > RECONNECTIONS;
                if (late || !LOST.contains(status.getCode())) {
                    throw new Fault(status.getCode() + ": " + status.getDescription());
                }
                Thread.sleep(seat == null ? 50 : 100);
            }
        }
    }

    private void connect(String address, String ticket)
            throws StatusException, InterruptedException {
        ManagedChannel channel = Door.open(address);
        try {
            BlockingClientCall<PlayRequest, PlayResponse> call =
                    ClientCalls.blockingBidiStreamingCall(channel, PLAY, CallOptions.DEFAULT);
            Join join = Join.newBuilder().setTicket(ticket).setSdk(SDK).setProtocol(PROTOCOL).build();
            call.write(PlayRequest.newBuilder().setJoin(join).build());
            for (PlayResponse response; (response = call.read()) != null; ) {
                PlayRequest request = answer(response);
                if (request != null) call.write(request);
                else call.halfClose();
            }
        } finally {
            channel.shutdownNow();
        }
    }

    /** The request that follows a response; null half-closes. */
    private PlayRequest answer(PlayResponse response) {
        PlayRequest.Builder request = PlayRequest.newBuilder();
        switch (response.getMessageCase()) {
            case TURNS -> {
                return request.setActions(decide(response.getTurns())).build();
            }
            case WELCOME -> {
                Welcome said = response.getWelcome();
                seat = new Seat(said.getSeat(), said.getRules(), said.getClock().getUntimed());
                return request.setReady(ready).build();
            }
            case MATCH_OVER -> {
                MatchOver end = response.getMatchOver();
                hear(end.getDealsStartedList(), end.getDealsOverList());
                over = true;
                if (end.getReason() != Reason.REASON_PLAYED) {
                    String reason = word(end.getReason(), "REASON_");
                    System.err.println("knockbox: the leg ended by " + reason);
                }
            }
            default -> {}
        }
        return null;
    }

    private Actions decide(Turns turns) {
        for (Refused refused : turns.getRefusedList()) {
            Action answer = refused.hasDecision() ? last.get(refused.getDecision()) : null;
            System.err.println(Explain.refusal(answer, word(refused.getCode(), "REFUSAL_CODE_")));
        }
        hear(turns.getDealsStartedList(), turns.getDealsOverList());
        Actions.Builder out = Actions.newBuilder();
        Map<Integer, Action> given = new HashMap<>();
        for (Turn turn : turns.getTurnsList()) {
            Action action = ask(turn, turns.getClockLeftMs());
            given.put(action.decision(), action);
            out.addActions(action.message());
        }
        last = given;
        return out.build();
    }

    /** The bot's answer, checked to be one. */
    private Action ask(Turn turn, int clockLeftMs) {
        Board board = boards.get(turn.getBoard());
        board.hear(turn);
        State state = new State(seat, board, turn, clockLeftMs);
        try {
            Action action = board.player.answer(state);
            if (action == null || action.decision() != turn.getDecision()) {
                throw Explain.noAnswer(state, action);
            }
            return action;
        } catch (RuntimeException | Error error) {
            throw new BotFault(Explain.context(state), error);
        }
    }

    private void hear(List<DealStarted> started, List<DealOver> over) {
        for (DealStarted deal : started) {
            Board board = boards.get(deal.getBoard());
            if (board == null) boards.put(deal.getBoard(), new Board(factory.get(), deal));
            else board.begin(deal);
        }
        for (DealOver deal : over) {
            Board board = boards.get(deal.getBoard());
            if (board != null) board.player.dealOver(DealResult.of(deal));
        }
    }

    /** An enum's value as people write it: DEAL_END_BIG_GIN is big_gin. */
    static String word(EnumLite value, String prefix) {
        return value.toString().replaceFirst("^" + prefix, "").toLowerCase(Locale.ROOT);
    }
}
