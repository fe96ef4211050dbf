package knockbox;

import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.util.List;
import knockbox.v1.Cards;
import knockbox.v1.Play.ClockSettings;
import knockbox.v1.Play.DealStarted;
import knockbox.v1.Play.MatchOver;
import knockbox.v1.Play.Options;
import knockbox.v1.Play.PlayRequest;
import knockbox.v1.Play.PlayResponse;
import knockbox.v1.Play.Reason;
import knockbox.v1.Play.Turn;
import knockbox.v1.Play.Turns;
import knockbox.v1.Play.Welcome;
import knockbox.v1.Rules.Ruleset;

/**
 * A referee that asks a bot one question at unix:PATH, so that the classes are known which every
 * bot needs: they are kept in its image as the machine wants them, and it starts in half the time.
 */
final class Rehearsal {
    public static void main(String[] args) throws Exception {
        var loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Server server =
                NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(args[0]))
                        .channelType(NioServerDomainSocketChannel.class)
                        .bossEventLoopGroup(loop)
                        .workerEventLoopGroup(loop)
                        .addService(
                                ServerServiceDefinition.builder("knockbox.v1.PlayService")
                                        .addMethod(Leg.PLAY, Rehearsal::play)
                                        .build())
                        .build()
                        .start();
        server.awaitTermination();
    }

    private static ServerCall.Listener<PlayRequest> play(
            ServerCall<PlayRequest, PlayResponse> call, Metadata headers) {
        call.sendHeaders(new Metadata());
        call.request(4);
        return new ServerCall.Listener<>() {
            @Override
            public void onMessage(PlayRequest request) {
                call.sendMessage(answer(request));
            }

            @Override
            public void onHalfClose() {
                call.close(Status.OK, new Metadata());
            }

            @Override
            public void onComplete() {
                System.exit(0);
            }
        };
    }

    private static PlayResponse answer(PlayRequest request) {
        PlayResponse.Builder response = PlayResponse.newBuilder();
        return switch (request.getMessageCase()) {
            case JOIN ->
                    response.setWelcome(
                                    Welcome.newBuilder()
                                            .setRules(Ruleset.newBuilder().setPlayers(2))
                                            .setClock(ClockSettings.getDefaultInstance()))
                            .build();
            case READY -> response.setTurns(question()).build();
            default ->
                    response.setMatchOver(MatchOver.newBuilder().setReason(Reason.REASON_PLAYED))
                            .build();
        };
    }

    private static Turns question() {
        return Turns.newBuilder()
                .addDealsStarted(
                        DealStarted.newBuilder().setHand(1023).addAllScores(List.of(0, 0)).setDeal(1))
                .addTurns(
                        Turn.newBuilder()
                                .setPhase(Cards.Phase.PHASE_DRAW)
                                .setHand(1023)
                                .setTop(20)
                                .setOptions(Options.newBuilder().setMayDraw(true)))
                .build();
    }
}
