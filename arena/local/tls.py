"""The certificate of the network address: the operator's own, or one that is made here.

One that is made here is signed by itself: who connects compares its fingerprint, which `up` and
`status` print.
"""

import datetime
import ipaddress
import os
import socket
import ssl
from pathlib import Path
from typing import NamedTuple

from arena.settings import Settings
from referee.certificates import fingerprint

NAME = "knockbox"
"""A name that every certificate made here has, whatever address its machine is reached at."""

LIFETIME = datetime.timedelta(days=3650)
_SKEW = datetime.timedelta(days=1)


class CertificateError(Exception):
    """A certificate or its key cannot be used; the message says why."""


class Certificate(NamedTuple):
    """Files in PEM, and the SHA-256 of the certificate in hex."""

    certificate: Path
    key: Path
    fingerprint: str


def ready(settings: Settings) -> Certificate:
    """The certificate to serve with, made where there is none yet. Raises CertificateError."""
    folder = settings.data / "tls"
    certificate, key = settings.tls or (folder / "certificate.pem", folder / "key.pem")
    try:
        if settings.tls is None and not _lives(certificate, key):
            folder.mkdir(mode=0o700, exist_ok=True)
            _make(certificate, key, (settings.listen or "").rpartition(":")[0].strip("[]"))
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
        return Certificate(certificate, key, fingerprint(certificate.read_bytes()).hex())
    except ssl.SSLError as error:
        why = error.reason or error
        raise CertificateError(
            f"{certificate} and {key} are no certificate and its key in PEM: {why}"
        ) from None
    except (OSError, ValueError) as error:
        raise CertificateError(f"the certificate {certificate} cannot be used: {error}") from None


def _lives(certificate: Path, key: Path) -> bool:
    """Whether there is one that is still valid tomorrow."""
    from cryptography import x509

    if not certificate.exists() or not key.exists():
        return False
    found = x509.load_pem_x509_certificate(certificate.read_bytes())
    return found.not_valid_after_utc > datetime.datetime.now(datetime.UTC) + _SKEW


def _make(certificate: Path, key: Path, host: str) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    names: list[x509.GeneralName] = [x509.DNSName(NAME), x509.DNSName("localhost")]
    names += [x509.DNSName(name) for name in {socket.gethostname()} if name.isascii()]
    try:
        names.append(x509.IPAddress(ipaddress.ip_address(host)))
    except ValueError:
        names.append(x509.DNSName(host))
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
    key.unlink(missing_ok=True)
    handle = os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(
            private.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
