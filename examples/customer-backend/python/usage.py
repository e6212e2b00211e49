"""Verifies usage webhooks."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable

TOLERANCE_SECONDS = 300
# Larger than any report of the service.
MAX_BYTES = 16 * 1024


class Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def verified_report(
    raw_body: bytes, signature: str | None, timestamp: str | None, secret_of: Callable[[str], str]
) -> tuple[str, str, int]:
    """Returns the user, the nonce and the total tokens of a genuine usage webhook. Raises Refused for any other.

    The visitor knows the secret, and so can sign: what the service never sends, such as a negative count, is refused as well."""
    if len(raw_body) > MAX_BYTES:
        raise Refused(413, "The body is too large")
    if not re.fullmatch("[0-9a-f]{64}", signature or "") or not re.fullmatch("[0-9]{1,12}", timestamp or ""):
        raise Refused(400, "X-Webhook-Signature or X-Webhook-Timestamp is missing or malformed")
    try:
        body = json.loads(raw_body.decode("utf-8"))
        # The signature covers this form. The service sends it, but a proxy may have reformatted the body.
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        user_id, nonce, usage, signed_at = body["user_id"], body["nonce"], body["usage"], body["timestamp"]
        counts = [usage[name] for name in ("input_tokens", "output_tokens", "total_tokens", "tts_chars")]
        # Half of a surrogate pair has no bytes.
        user_id.encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Refused(400, "The body is not a usage report") from error
    # `type` and not `isinstance`, because True is an int as well.
    wrong = [count for count in [*counts, signed_at] if type(count) is not int or not 0 <= count < 2**53]
    if wrong or not isinstance(nonce, str) or not nonce:
        raise Refused(400, "The body is not a usage report")
    # The signature covers the body's timestamp, but not the header. An old body with a new header is a replay.
    if signed_at != int(timestamp) or abs(time.time() - signed_at) > TOLERANCE_SECONDS:
        raise Refused(400, "The timestamp is stale")
    expected = hmac.new(secret_of(user_id).encode(), canonical, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, signature):
        raise Refused(401, "The signature does not match")
    return user_id, nonce, usage["total_tokens"]
