"""Counts what every user's turns cost, and stops a conversation whose user has spent the budget."""

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
    """In production: your database."""

    def __init__(self, key: str, tokens_per_user: int) -> None:
        self._key = key.encode()
        self._tokens_per_user = tokens_per_user
        self._spent: dict[str, int] = {}
        self._seen: set[str] = set()
        self._lock = threading.Lock()

    def secret_of(self, user_id: str) -> str:
        """The session token shows the secret to its visitor, so each user has another one."""
        return hmac.new(self._key, user_id.encode(), hashlib.sha256).hexdigest()

    def report(self, raw_body: bytes, signature: str | None, timestamp: str | None) -> dict[str, bool]:
        """Verifies a usage webhook and says how to answer it. Raises Refused."""
        if not re.fullmatch("[0-9a-f]{64}", signature or "") or not re.fullmatch("[0-9]{1,12}", timestamp or ""):
            raise Refused(400, "X-Webhook-Signature or X-Webhook-Timestamp is missing or malformed")
        try:
            body = json.loads(raw_body.decode("utf-8"))
            user_id, nonce, tokens = body["user_id"], body["nonce"], body["usage"]["total_tokens"]
            signed_at = body["timestamp"]
        except (ValueError, KeyError, TypeError) as error:
            raise Refused(400, "The body is no usage report") from error
        # The header is not signed, the body's timestamp is: an old body under a new header would be a replay.
        if signed_at != int(timestamp) or abs(time.time() - signed_at) > TOLERANCE_SECONDS:
            raise Refused(400, "The timestamp is stale")
        # What is signed is the canonical form, which is also what is sent, unless something on the way formatted it.
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
        expected = hmac.new(self.secret_of(str(user_id)).encode(), canonical, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected, signature):
            raise Refused(401, "The signature does not match")
        with self._lock:
            if nonce not in self._seen:
                self._seen.add(nonce)
                self._spent[user_id] = self._spent.get(user_id, 0) + tokens
            return {"should_continue": self._spent[user_id] < self._tokens_per_user}
