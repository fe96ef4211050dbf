package knockbox;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.UnixDomainSocketAddress;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The way to the referee: Java's own sockets, no native library, and one thread. */
final class Door {
    private static final EventLoopGroup LOOP =
            new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory("knockbox", true), NioIoHandler.newFactory());

    // In a sandbox the transport misses interfaces and options that it does not need, and says so at
    // length; what matters comes back as the call's status. Kept here, or the setting is collected.
    private static final Logger QUIET = Logger.getLogger("io.grpc");

    static {
        QUIET.setLevel(Level.OFF);
    }

    private Door() {}

    /** A channel to unix:///ABS/PATH or dns:///host:port. It connects when it is used. */
    static ManagedChannel open(String address) {
        NettyChannelBuilder builder =
                address.startsWith("unix:")
                        ? NettyChannelBuilder.forAddress(socket(address))
                                .channelFactory(NioDomainSocketChannel::new)
                        : NettyChannelBuilder.forTarget(address)
                                .channelFactory(NioSocketChannel::new);
        return builder.eventLoopGroup(LOOP)
                .usePlaintext()
                .overrideAuthority("localhost")
                .proxyDetector(target -> null)
                .directExecutor()
                .build();
    }

    private static UnixDomainSocketAddress socket(String address) {
        return UnixDomainSocketAddress.of(address.replaceFirst("^unix:(//(?=/))?", ""));
    }
}
