"""A customer's backend with Python's standard library: renders the widget, renews its token, receives usage webhooks."""

import html
import json
import os
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from login import current_user
from sessions import SessionClient, SessionError
from usage import Refused, UsageAccount

BASE_URL = os.environ.get("BASE_URL") or sys.exit("Set BASE_URL")
SERVER_KEY = os.environ.get("SERVER_KEY") or sys.exit("Set SERVER_KEY")
USAGE_WEBHOOK_URL = os.environ.get("USAGE_WEBHOOK_URL")
USAGE_KEY = os.environ.get("USAGE_KEY")
if USAGE_WEBHOOK_URL and not USAGE_KEY:
    sys.exit("Set USAGE_KEY to a long random secret")
MAX_BODY_BYTES = 1024 * 1024

page = (Path(__file__).parent.parent / "page.html").read_text(encoding="utf-8")
usage = UsageAccount(USAGE_KEY, int(os.environ.get("TOKENS_PER_USER", "100000"))) if USAGE_KEY else None


def usage_webhook_of(user_id: str) -> dict[str, str] | None:
    if usage is None or not USAGE_WEBHOOK_URL:
        return None
    return {"url": USAGE_WEBHOOK_URL, "secret": usage.secret_of(user_id)}


sessions = SessionClient(BASE_URL, SERVER_KEY, usage_webhook_of)


def render_page(user: dict[str, str]) -> str:
    """Returns the page. Without a token, it returns the page without the widget."""
    try:
        token = sessions.token_for(user)
    except SessionError as error:
        print(error, file=sys.stderr)
        return page.replace("{{widget}}", "")
    source = f"{html.escape(BASE_URL)}/static/va-wave-widget.js"
    return page.replace(
        "{{widget}}", f'<script async src="{source}" data-session-token="{html.escape(token)}"></script>'
    )


class Backend(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10

    def renew(self, user: dict[str, str]) -> None:
        # Allows only our own pages. Browsers set this header, and scripts cannot change it.
        if self.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            return self.json(403, {"error": "Only our own pages may renew a session"})
        try:
            self.json(200, {"session_token": sessions.mint(user)})
        except SessionError as error:
            print(error, file=sys.stderr)
            self.json(503, {"error": "No session is available now"}, error.retry_after)

    def report_usage(self, raw_body: bytes) -> None:
        headers = self.headers.get("X-Webhook-Signature"), self.headers.get("X-Webhook-Timestamp")
        try:
            self.json(200, usage.report(raw_body, *headers))
        except Refused as refused:
            self.json(refused.status, {"error": str(refused)})

    def route(self) -> None:
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return self.json(413, {"error": "The body is too large"})
        raw_body = self.rfile.read(int(length))
        wanted = self.command, self.path.partition("?")[0]
        if wanted == ("POST", "/usage") and usage is not None:
            return self.report_usage(raw_body)
        user = current_user(self.headers)
        if user is None:
            return self.json(401, {"error": "Log in first"})
        if wanted == ("POST", "/widget-session"):
            return self.renew(user)
        if wanted == ("GET", "/"):
            return self.send(200, "text/html; charset=utf-8", render_page(user).encode())
        self.json(404, {"error": "Not found"})

    def answer(self) -> None:
        try:
            self.route()
        except Exception:
            traceback.print_exc()
            self.close_connection = True
            self.json(500, {"error": "Internal error"})

    do_GET = do_POST = answer

    def json(self, status: int, body: dict, retry_after: str | None = None) -> None:
        self.send(status, "application/json", json.dumps(body).encode(), retry_after)

    def send(self, status: int, content_type: str, body: bytes, retry_after: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(body)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keeps the access log quiet."""


if __name__ == "__main__":
    address = os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8081"))
    server = ThreadingHTTPServer(address, Backend)
    print(f"listening on http://{address[0]}:{address[1]}/", flush=True)
    server.serve_forever()
