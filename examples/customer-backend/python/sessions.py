"""Mints session tokens. The server key never leaves this process; the browser gets the token."""

import json
import time
import urllib.error
import urllib.request
from datetime import datetime

TIMEOUT_SECONDS = 5
# A page gets a kept token only if the token is valid for at least this time.
MIN_LIFE_SECONDS = 5 * 60
KEPT_USERS = 10_000


class SessionError(Exception):
    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SessionClient:
    """Its methods take the body of session create."""

    def __init__(self, base_url: str, server_key: str) -> None:
        self._url = f"{base_url}/api/widget/session/create"
        self._headers = {"X-Server-Key": server_key, "Content-Type": "application/json"}
        self._kept: dict[str, tuple[str, float]] = {}

    def mint(self, session: dict) -> str:
        """Mints a new token. Raises SessionError."""
        request = urllib.request.Request(self._url, json.dumps(session).encode(), self._headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            said = error.read(1000).decode(errors="replace")
            raise SessionError(f"Session create answered {error.code}: {said}", error.headers["Retry-After"]) from error
        except (OSError, ValueError) as error:
            raise SessionError(f"Session create did not answer: {error}") from error
        if len(self._kept) >= KEPT_USERS:
            self._kept.clear()
        token, expires_at = answer["session_token"], datetime.fromisoformat(answer["expires_at"]).timestamp()
        self._kept[session["user_id"]] = (token, expires_at)
        return token

    def token_for(self, session: dict) -> str:
        """Returns a token for a page. It reuses tokens: the service accepts 20 session creates per minute from one IP address."""
        token, expires_at = self._kept.get(session["user_id"], ("", 0.0))
        return token if expires_at - time.time() > MIN_LIFE_SECONDS else self.mint(session)
