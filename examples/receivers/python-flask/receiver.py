"""Receives Action requests with Flask. In production, run `gunicorn receiver:app` behind your TLS terminator."""

import json
import os
import re
import sys
import uuid

from flask import Flask, Response, jsonify, request

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
    request_id = id_of(raw_body, trigger, ref)
    if request_id is None:
        return refused(400, "The request is malformed")
    name = f"{trigger}-{request_id}.json"
    store_once(name, raw_body)
    print(f"verified: {trigger} {ref!a}, kept in {name}", flush=True)
    return jsonify(received=True)


def refused(status: int, error: str) -> tuple[Response, int]:
    print(f"refused: {status} {error}", flush=True)
    return jsonify(error=error), status


def id_of(raw_body: bytes, trigger: str | None, trigger_ref: str | None) -> str | None:
    """Returns the id of an event or a form submission, and a new id for any other call. Returns None for a malformed request."""
    try:
        body = json.loads(raw_body.decode("utf-8") or "{}")
    except ValueError:
        return None
    if not isinstance(body, dict) or trigger not in ("event", "form", "ai"):
        return None
    # Each call of the assistant is separate, and so is each event that is sent with GET and has no body.
    request_id = str(uuid.uuid4())
    if trigger == "form":
        request_id = body.get("submission_id") if raw_body else trigger_ref
    elif trigger == "event" and raw_body:
        request_id = body.get("id")
    return request_id if isinstance(request_id, str) and re.fullmatch("[A-Za-z0-9-]{1,64}", request_id) else None


def store_once(name: str, content: bytes) -> None:
    """Returns when the bytes are on the disk. Writes nothing when the name exists, because the request is then a repeat.
    In production, use a table with a unique key."""
    temporary = os.path.join(INBOX, f".{uuid.uuid4()}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # link fails when the name exists, so two concurrent requests create one file.
        os.link(temporary, os.path.join(INBOX, name))
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)


if __name__ == "__main__":
    certificate = os.environ.get("TLS_CERT"), os.environ.get("TLS_KEY")
    app.run(
        host=os.environ.get("HOST", "127.0.0.1"),
        port=int(os.environ.get("PORT", "8080")),
        ssl_context=certificate if all(certificate) else None,
        threaded=True,
    )
