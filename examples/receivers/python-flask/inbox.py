"""Stores each received request in a file. In production, use a table with a unique key."""

import json
import os
import re
import uuid


def file_name(raw_body: bytes, trigger: str | None, trigger_ref: str | None) -> str | None:
    """Returns a name from the event's id or the form's submission id. Returns None when the request is malformed."""
    if trigger not in ("event", "ai", "form"):
        return None
    body = None
    if raw_body:
        try:
            body = json.loads(raw_body.decode("utf-8"))
        except ValueError:
            return None
        if not isinstance(body, dict):
            return None
    # Each call of the assistant is separate, and so is each event that is sent with GET and has no body.
    request_id = str(uuid.uuid4())
    if trigger == "form":
        request_id = trigger_ref if body is None else body.get("submission_id")
    elif trigger == "event" and body is not None:
        request_id = body.get("id")
    if not isinstance(request_id, str) or not re.fullmatch("[A-Za-z0-9-]{1,64}", request_id):
        return None
    return f"{trigger}-{request_id}.json"


def store_once(directory: str, name: str, content: bytes) -> None:
    """Returns when the bytes are on the disk. Writes nothing when the name exists: the request is then a repeat."""
    temporary = os.path.join(directory, f".{uuid.uuid4()}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # link fails when the name exists, so two concurrent requests create one file.
        os.link(temporary, os.path.join(directory, name))
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)
