"""Verifies the X-Service-Signature header of an Action request."""

import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def problem_with(raw_body: bytes, header: str | None, secret: str) -> tuple[int, str] | None:
    """Returns the status and message of a refusal, or None when the signature matches and the timestamp is fresh."""
    if header is None:
        return 400, "X-Service-Signature is missing"
    pairs = [part.strip().partition("=")[::2] for part in header.split(",")]
    parts = dict(pairs)
    t, v1 = parts.get("t", ""), parts.get("v1", "")
    # fullmatch and [0-9], because "$" would allow a line feed, and \d the digits of other scripts.
    repeated = len(parts) < len(pairs)
    if repeated or not re.fullmatch("[0-9]{1,12}", t) or not re.fullmatch("[0-9a-f]{64}", v1):
        return 400, "X-Service-Signature is malformed"
    if abs(time.time() - int(t)) > TOLERANCE_SECONDS:
        return 400, "The timestamp is stale"

    expected = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).digest()
    if not hmac.compare_digest(bytes.fromhex(v1), expected):
        return 401, "The signature does not match"
    return None
