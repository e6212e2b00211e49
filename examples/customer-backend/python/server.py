"""A customer's backend with Flask: renders the widget, renews its token, receives usage webhooks."""

import hashlib
import hmac
import html
import os
import re
import sys
import uuid
from pathlib import Path

from flask import Flask, Response, abort, after_this_request, jsonify, request

from sessions import SessionClient, SessionError
from usage import Refused, verified_report

BASE_URL = os.environ.get("BASE_URL", "")
if not re.fullmatch(r"https?://[^/\s]+", BASE_URL):
    sys.exit("Set BASE_URL with its scheme and without a slash at the end")
SERVER_KEY = os.environ.get("SERVER_KEY") or sys.exit("Set SERVER_KEY")
USAGE_WEBHOOK_URL = os.environ.get("USAGE_WEBHOOK_URL")
USAGE_KEY = os.environ.get("USAGE_KEY")
if USAGE_WEBHOOK_URL and not USAGE_KEY:
    sys.exit("Set USAGE_KEY to a long random secret")
TOKENS_PER_USER = int(os.environ.get("TOKENS_PER_USER", "100000"))

page = (Path(__file__).parent.parent / "page.html").read_text(encoding="utf-8")
sessions = SessionClient(BASE_URL, SERVER_KEY)
# In production, count in your database.
spent: dict[str, int] = {}
seen_nonces: set[str] = set()

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 1024 * 1024


def current_user() -> dict | None:
    """Returns the user who is logged in, or None for nobody, as at `/?guest`, where you try the page as a guest. Replace it with your
    application's own login."""
    if "guest" in request.args:
        return None
    return {"user_id": "user-1", "user_name": "Zoë Example", "user_email": "zoe@example.com"}


def current_guest() -> dict:
    """Returns a guest with an id that a cookie keeps. A session without a user_id would be a new visitor, and a new conversation, on
    each page. The prefix keeps a guest from choosing the id of a user."""
    guest = request.cookies.get("guest", "")
    if not re.fullmatch("[0-9a-f-]{36}", guest):
        guest = str(uuid.uuid4())

        @after_this_request
        def keep(response: Response) -> Response:
            kept = {"httponly": True, "samesite": "Lax", "secure": request.is_secure, "max_age": 365 * 86_400}
            response.set_cookie("guest", guest, **kept)
            return response

    return {"user_id": f"guest-{guest}"}


def current_session() -> dict:
    user = current_user() or current_guest()
    if USAGE_WEBHOOK_URL:
        return {**user, "usage_webhook": {"url": USAGE_WEBHOOK_URL, "secret": usage_secret_of(user["user_id"])}}
    return user


def usage_secret_of(user_id: str) -> str:
    """Each user has a different secret, because the visitor can read the secret in the session token."""
    return hmac.new(USAGE_KEY.encode(), user_id.encode(), hashlib.sha256).hexdigest()


@app.get("/")
def render_page() -> str:
    try:
        token = sessions.token_for(current_session())
    except SessionError as error:
        # Without a token, the page has no widget.
        print(error, file=sys.stderr)
        return page.replace("{{widget}}", "")
    source = f"{html.escape(BASE_URL)}/static/va-wave-widget.js"
    return page.replace("{{widget}}", f'<script async src="{source}" data-session-token="{token}"></script>')


@app.post("/widget-session")
def renew() -> Response | tuple[Response, int, dict]:
    # Allows only our own pages. Browsers set this header, and scripts cannot change it. Without it, the caller is an old browser or no page.
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        abort(403)
    try:
        return jsonify(session_token=sessions.mint(current_session()))
    except SessionError as error:
        print(error, file=sys.stderr)
        retry = {"Retry-After": error.retry_after} if error.retry_after else {}
        return jsonify(error="No session is available now"), 503, retry


@app.post("/usage")
def report_usage() -> Response | tuple[Response, int]:
    # Without the key, no session names this webhook.
    if not USAGE_KEY:
        abort(404)
    headers = request.headers.get("X-Webhook-Signature"), request.headers.get("X-Webhook-Timestamp")
    try:
        user_id, nonce, tokens = verified_report(request.get_data(), *headers, usage_secret_of)
    except Refused as refused:
        return jsonify(error=str(refused)), refused.status
    spent[user_id] = spent.get(user_id, 0) + (0 if nonce in seen_nonces else tokens)
    seen_nonces.add(nonce)
    return jsonify(should_continue=spent[user_id] < TOKENS_PER_USER)


@app.after_request
def not_stored(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    return response


if __name__ == "__main__":
    app.run(os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8081")))
