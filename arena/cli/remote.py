"""An arena of another machine: the options that name it, and the way there over TLS.

Whatever is wrong with the way there is found out beforehand, since gRPC cannot say it.
"""

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from socket import create_connection

import grpc

from arena.cli.errors import CommandError, Exit, unreachable, usage
from arena.local.tls import NAME
from arena.settings import Remote

PATIENCE_S = 10.0


@contextmanager
def channel(remote: Remote, options: Sequence[tuple[str, object]]) -> Iterator[grpc.Channel]:
    """A channel to it, each call with the token. Raises CommandError where there is no way."""
    credentials, named = way(remote)
    with grpc.secure_channel(remote.address, credentials, options=[*options, *named]) as opened:
        yield opened


def way(remote: Remote) -> tuple[grpc.ChannelCredentials, list[tuple[str, object]]]:
    """What a channel to it needs: credentials, and options of its own. Raises CommandError."""
    roots = _authorities(remote)
    named: list[tuple[str, object]] = []
    if remote.fingerprint:  # the certificate itself is known, whatever name is in it
        named = [("grpc.ssl_target_name_override", NAME)]
    credentials = grpc.composite_channel_credentials(
        grpc.ssl_channel_credentials(roots), grpc.access_token_call_credentials(remote.token)
    )
    return credentials, named


def _authorities(remote: Remote) -> bytes | None:
    """Whom to trust, in PEM; None: this system's. Raises CommandError."""
    context = ssl.create_default_context()
    if remote.fingerprint:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE  # compared below, and demanded by gRPC after that
    elif remote.ca:
        context = _of_file(remote)
    certificate = _shown(remote, context)
    if remote.fingerprint:
        found = sha256(certificate).hexdigest()
        if found != remote.fingerprint:
            raise CommandError(
                f"the certificate of {remote.address} is another one than was named: its "
                f"fingerprint is {found}"
            )
        return ssl.DER_cert_to_PEM_cert(certificate).encode()
    return remote.ca.read_bytes() if remote.ca else None


def _of_file(remote: Remote) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=remote.ca)
    except (OSError, ssl.SSLError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "no PEM"
        raise usage(f"--tls-ca {remote.ca}: {why}") from None


def _shown(remote: Remote, context: ssl.SSLContext) -> bytes:
    """The certificate that the other side shows, in DER, accepted by `context`."""
    host, _, port = remote.address.rpartition(":")
    context.set_alpn_protocols(["h2"])
    try:
        with (
            create_connection((host.strip("[]"), int(port)), PATIENCE_S) as connection,
            context.wrap_socket(connection, server_hostname=host.strip("[]")) as secured,
        ):
            return secured.getpeercert(binary_form=True) or b""
    except ssl.SSLCertVerificationError as error:
        raise CommandError(
            f"the certificate of {remote.address} is not trusted ({error.verify_message}): name "
            "its authority with --tls-ca FILE, or its fingerprint, which `knockbox status` prints "
            "on the arena's machine, with --tls-fingerprint"
        ) from None
    except ssl.SSLError as error:
        raise CommandError(
            f"{remote.address} does not speak TLS: {error.reason}", Exit.UNREACHABLE
        ) from None
    except OSError as error:
        raise unreachable(
            f"no arena answers at {remote.address}: {error.strerror or error}"
        ) from None
