"""Receives Action requests with Flask. In production, run `gunicorn receiver:app` behind your TLS terminator."""

import os
import re
import sys
import uuid

from flask import Flask, Response, jsonify, request

from verify import Refused, verify_action

SIGNING_SECRET = os.environ.get("SIGNING_SECRET") or sys.exit("Set SIGNING_SECRET to the signing secret of the Action")
TRIGGER = os.environ.get("TRIGGER", "event")
INBOX = os.environ.get("INBOX", "inbox")

os.makedirs(INBOX, exist_ok=True)
app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 1024 * 1024


@app.route("/actions", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def receive() -> Response | tuple[Response, int]:
    # Reads the raw bytes, because a parsed body (request.json) cannot be verified.
    raw_body = request.get_data(cache=False)
    try:
        request_id = verify_action(raw_body, request.headers, SIGNING_SECRET, TRIGGER)
        if not re.fullmatch("[A-Za-z0-9-]{1,64}", request_id):
            raise Refused(400, "The id is no file name")
    except Refused as refused:
        print(f"refused: {refused.status} {refused}", flush=True)
        return jsonify(error=str(refused)), refused.status
    name = f"{TRIGGER}-{request_id}.json"
    store_once(name, raw_body)
    print(f"verified: {TRIGGER} {request.headers.get('X-Service-Trigger-Ref')!a}, kept in {name}", flush=True)
    return jsonify(received=True)


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
    app.run(os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8080")))
