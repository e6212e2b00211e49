"""Verifies an Action request. It needs no other package."""

import hashlib
import hmac
import json
import re
import time
import uuid
from collections.abc import Mapping

TOLERANCE_SECONDS = 300


class Refused(Exception):
    """The request must not be acted upon. `status` is the HTTP status to answer."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def verify_action(raw_body: bytes, headers: Mapping[str, str], secret: str, trigger: str) -> str:
    """Returns the id to deduplicate on: that of an event or a form submission, and a new one for a request without such an id.

    Store `raw_body` under it: parsing and serializing again may change numbers. `trigger` is the kind of the Action: event, form or ai.
    Raises Refused, and ValueError without a secret.
    """
    headers = {name.lower(): value for name, value in headers.items()}
    verify_signature(raw_body, headers.get("x-service-signature"), secret)
    # The signature does not cover these headers: a signed event could arrive again as a call of the assistant.
    if headers.get("x-service-trigger") != trigger:
        raise Refused(400, "X-Service-Trigger is not the kind of this Action")
    if not raw_body:
        return str(uuid.uuid4())
    try:
        # No number is read, because Python limits the digits of an integer.
        body = json.loads(raw_body.decode("utf-8"), parse_int=lambda _: None, parse_float=lambda _: None)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Refused(400, "The body is not a JSON object")
    if trigger == "ai":
        return str(uuid.uuid4())
    id_field, ref_field = ("id", "event") if trigger == "event" else ("submission_id", "submission_id")
    ref = headers.get("x-service-trigger-ref")
    if not ref or body.get(ref_field) != ref or not isinstance(body.get(id_field), str):
        raise Refused(400, "The body is not the one that the headers announce")
    return body[id_field]


def verify_signature(raw_body: bytes, header: str | None, secret: str) -> None:
    """Raises Refused unless the signature matches and the timestamp is fresh, and ValueError without a secret."""
    # An .env file or `echo` may add these. With an empty secret, anybody could sign.
    secret = secret.strip("\"' \t\r\n\ufeff")
    if not secret:
        raise ValueError("The signing secret is empty. Is its environment variable set?")
    if not header:
        raise Refused(400, "X-Service-Signature is missing")
    pairs = [part.strip().partition("=")[::2] for part in header.split(",")]
    parts = dict(pairs)
    t, v1 = parts.get("t", ""), parts.get("v1", "")
    # fullmatch and [0-9], because "$" would allow a line feed, and \d the digits of other scripts.
    repeated = len(parts) < len(pairs)
    if repeated or not re.fullmatch("[0-9]{1,12}", t) or not re.fullmatch("[0-9a-f]{64}", v1):
        raise Refused(400, "X-Service-Signature is malformed")
    if abs(time.time() - int(t)) > TOLERANCE_SECONDS:
        raise Refused(400, "The timestamp is stale")
    expected = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).digest()
    if not hmac.compare_digest(bytes.fromhex(v1), expected):
        raise Refused(401, "The signature does not match")
