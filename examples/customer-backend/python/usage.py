"""Verifies usage webhooks."""

import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable

TOLERANCE_SECONDS = 300


class Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def verified_report(
    raw_body: bytes, signature: str | None, timestamp: str | None, secret_of: Callable[[str], str]
) -> tuple[str, str, int]:
    """Returns the user, the nonce and the total tokens of a genuine usage webhook. Raises Refused for any other."""
    if not re.fullmatch("[0-9a-f]{64}", signature or "") or not re.fullmatch("[0-9]{1,12}", timestamp or ""):
        raise Refused(400, "X-Webhook-Signature or X-Webhook-Timestamp is missing or malformed")
    try:
        body = json.loads(raw_body.decode("utf-8"))
        user_id, nonce, tokens = body["user_id"], body["nonce"], body["usage"]["total_tokens"]
        signed_at = body["timestamp"]
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(400, "The body is not a usage report") from error
    # The signature covers the body's timestamp, but not the header. An old body with a new header is a replay.
    if signed_at != int(timestamp) or abs(time.time() - signed_at) > TOLERANCE_SECONDS:
        raise Refused(400, "The timestamp is stale")
    # The signature covers the canonical form. The service sends that form, but a proxy may have reformatted the body.
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    expected = hmac.new(secret_of(str(user_id)).encode(), canonical, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, signature):
        raise Refused(401, "The signature does not match")
    return user_id, nonce, tokens
