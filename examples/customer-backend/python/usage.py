"""Counts the tokens of each user and stops a conversation when its user has used up the budget."""

import hashlib
import hmac
import json
import re
import threading
import time

TOLERANCE_SECONDS = 300


class Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class UsageAccount:
    """Keeps the counts in memory. In production, use your database."""

    def __init__(self, key: str, tokens_per_user: int) -> None:
        self._key = key.encode()
        self._tokens_per_user = tokens_per_user
        self._spent: dict[str, int] = {}
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def secret_of(self, user_id: str) -> str:
        """Each user has a different secret, because the visitor can read the secret in the session token."""
        return hmac.new(self._key, user_id.encode(), hashlib.sha256).hexdigest()

    def report(self, raw_body: bytes, signature: str | None, timestamp: str | None) -> dict[str, bool]:
        """Verifies a usage webhook and returns the answer to it. Raises Refused."""
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
        expected = hmac.new(self.secret_of(str(user_id)).encode(), canonical, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, signature):
            raise Refused(401, "The signature does not match")
        with self._lock:
            if nonce not in self._seen:
                self._seen.add(nonce)
                self._spent[user_id] = self._spent.get(user_id, 0) + tokens
            return {"should_continue": self._spent[user_id] < self._tokens_per_user}
