"""Certificates as they are compared: by the SHA-256 of their bytes. No gRPC here."""

import hashlib
import ssl

_BEGIN = "-----BEGIN CERTIFICATE-----"
_END = "-----END CERTIFICATE-----"


def fingerprint(pem: bytes) -> bytes:
    """SHA-256 of the first certificate of a text, whatever else is in it. Raises ValueError."""
    _, begin, rest = pem.decode().partition(_BEGIN)
    first, end, _ = rest.partition(_END)
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(f"{begin}{first}{end}")).digest()
