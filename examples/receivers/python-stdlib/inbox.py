"""Keeps what was received, one file per request. In production: a table with a unique key."""

import json
import os
import re
import uuid


def file_name(raw_body: bytes, trigger: str | None, trigger_ref: str | None) -> str | None:
    """What makes the request unique: an event's id, a form's submission id. None when the request is malformed."""
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
    # Each call of the assistant stands for itself; so does an event by GET, which has no body.
    request_id = str(uuid.uuid4())
    if trigger == "form":
        request_id = trigger_ref if body is None else body.get("submission_id")
    elif trigger == "event" and body is not None:
        request_id = body.get("id")
    if not isinstance(request_id, str) or not re.fullmatch("[A-Za-z0-9-]{1,64}", request_id):
        return None
    return f"{trigger}-{request_id}.json"


def store_once(directory: str, name: str, content: bytes) -> None:
    """Returns once the bytes are on the disk. A name that is there already is a repeat: nothing is written."""
    temporary = os.path.join(directory, f".{uuid.uuid4()}")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # Fails when the name exists, whoever made it: two requests at the same moment leave one file.
        os.link(temporary, os.path.join(directory, name))
    except FileExistsError:
        pass
    finally:
        os.unlink(temporary)
