"""Returns the user who is logged in."""

from http.client import HTTPMessage


def current_user(_headers: HTTPMessage) -> dict[str, str] | None:
    """Replace this by your application's own login, because the user that it returns gets a session."""
    return {"user_id": "user-1", "user_name": "Zoë Example", "user_email": "zoe@example.com"}
