"""Mints session tokens. The server key never leaves this process; the browser gets the token."""

import http.client
import json
import re
import time
import urllib.error
import urllib.request

TIMEOUT_SECONDS = 5
# A page gets a kept token only if the token is valid for at least this time.
MIN_LIFE_SECONDS = 5 * 60
KEPT_TOKENS = 10_000


class SessionError(Exception):
    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The server key is for one address only."""

    def redirect_request(self, *_: object) -> None:
        return None


class SessionClient:
    """Mints session tokens, and keeps those of users. Its methods take the body of session create."""

    def __init__(self, base_url: str, server_key: str) -> None:
        # The file of a secret often ends with a line break. An HTTP client that refuses a header prints its value.
        key = server_key.strip()
        if not re.fullmatch("ss_[A-Za-z0-9_-]+", key):
            raise ValueError("The server key is not a server secret: one begins with ss_ and has no quotes")
        self._url = f"{base_url}/api/widget/session/create"
        self._headers = {"X-Server-Key": key, "Content-Type": "application/json"}
        self._opener = urllib.request.build_opener(NoRedirects)
        # By the whole body, because a token holds all of it.
        self._kept: dict[str, tuple[str, float]] = {}

    def mint(self, session: dict) -> str:
        """Mints a new token. Raises SessionError."""
        body = json.dumps(session)
        request = urllib.request.Request(self._url, body.encode(), self._headers, method="POST")
        # Counts seconds from here, because the clock of this machine may be wrong.
        asked = time.monotonic()
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                answer = json.load(response)
            token, lifetime = answer["session_token"], float(answer["expires_in_seconds"])
        except urllib.error.HTTPError as error:
            said = error.read(1000).decode(errors="replace")
            raise SessionError(f"Session create answered {error.code}: {said}", error.headers["Retry-After"]) from error
        except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException) as error:
            raise SessionError(f"Session create did not answer: {error}") from error
        # Without a user_id, the token is of a new visitor, and of nobody else.
        if session.get("user_id"):
            if len(self._kept) >= KEPT_TOKENS:
                self._kept.clear()
            self._kept[body] = (token, asked + lifetime - MIN_LIFE_SECONDS)
        return token

    def token_for(self, session: dict) -> str:
        """Returns a token for a page. It reuses tokens: the service accepts 20 session creates per minute from one IP address."""
        token, good_until = self._kept.get(json.dumps(session), ("", 0.0))
        return token if good_until > time.monotonic() else self.mint(session)
