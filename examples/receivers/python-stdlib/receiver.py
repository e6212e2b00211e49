"""Receives Action requests with Python's standard library."""

import json
import os
import ssl
import sys
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from inbox import file_name, store_once
from verify import problem_with

SIGNING_SECRET = os.environ.get("SIGNING_SECRET") or sys.exit("Set SIGNING_SECRET to the signing secret of the Action")
HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "8080"))
INBOX = os.environ.get("INBOX", "inbox")
TLS_CERT = os.environ.get("TLS_CERT")
TLS_KEY = os.environ.get("TLS_KEY")
MAX_BODY_BYTES = 1024 * 1024


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Timeout of the connection in seconds, so that a silent client does not block a thread without end.
    timeout = 10

    def receive(self) -> tuple[int, str | None]:
        if "Transfer-Encoding" in self.headers:
            self.close_connection = True
            return 411, "Content-Length is required"
        length = self.headers.get("Content-Length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            return 413, "The body is too large"
        # Reads the raw bytes, because a parsed body cannot be verified.
        raw_body = self.rfile.read(int(length))
        if self.path.partition("?")[0] != "/actions":
            return 404, "Not found"
        problem = problem_with(raw_body, self.headers.get("X-Service-Signature"), SIGNING_SECRET)
        if problem:
            return problem
        trigger, ref = self.headers.get("X-Service-Trigger"), self.headers.get("X-Service-Trigger-Ref")
        name = file_name(raw_body, trigger, ref)
        if name is None:
            return 400, "The request is malformed"
        store_once(INBOX, name, raw_body)
        print(f"verified: {trigger} {ref!a}, kept in {name}", flush=True)
        return 200, None

    def answer(self) -> None:
        try:
            status, error = self.receive()
        except Exception:
            # A 5xx makes the service send an event again.
            traceback.print_exc()
            self.close_connection = True
            status, error = 500, "Internal error"
        if error:
            print(f"refused: {status} {error}", flush=True)
        reply = json.dumps({"error": error} if error else {"received": True}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_: object) -> None:
        """Keeps the access log quiet."""


if __name__ == "__main__":
    os.makedirs(INBOX, exist_ok=True)
    server = ThreadingHTTPServer((HOST, PORT), Receiver)
    scheme = "http"
    if TLS_CERT and TLS_KEY:
        scheme = "https"
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(TLS_CERT, TLS_KEY)
        # The handshake runs in the connection's own thread, so that a slow client does not delay other clients.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(f"listening on {scheme}://{HOST}:{PORT}/actions", flush=True)
    server.serve_forever()
