"""Receives Action requests with Flask. In production, run `gunicorn receiver:app` behind your TLS terminator."""

import os
import sys

from flask import Flask, Response, jsonify, request

from inbox import file_name, store_once
from verify import problem_with

SIGNING_SECRET = os.environ.get("SIGNING_SECRET") or sys.exit("Set SIGNING_SECRET to the signing secret of the Action")
INBOX = os.environ.get("INBOX", "inbox")

os.makedirs(INBOX, exist_ok=True)
app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 1024 * 1024


@app.route("/actions", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def receive() -> Response | tuple[Response, int]:
    # Reads the raw bytes, because a parsed body (request.json) cannot be verified.
    raw_body = request.get_data(cache=False)
    problem = problem_with(raw_body, request.headers.get("X-Service-Signature"), SIGNING_SECRET)
    if problem:
        return refused(*problem)
    trigger, ref = request.headers.get("X-Service-Trigger"), request.headers.get("X-Service-Trigger-Ref")
    name = file_name(raw_body, trigger, ref)
    if name is None:
        return refused(400, "The request is malformed")
    store_once(INBOX, name, raw_body)
    print(f"verified: {trigger} {ref!a}, kept in {name}", flush=True)
    return jsonify(received=True)


def refused(status: int, error: str) -> tuple[Response, int]:
    print(f"refused: {status} {error}", flush=True)
    return jsonify(error=error), status


if __name__ == "__main__":
    certificate = os.environ.get("TLS_CERT"), os.environ.get("TLS_KEY")
    app.run(
        host=os.environ.get("HOST", "127.0.0.1"),
        port=int(os.environ.get("PORT", "8080")),
        ssl_context=certificate if all(certificate) else None,
        threaded=True,
    )
