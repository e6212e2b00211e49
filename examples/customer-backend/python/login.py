"""Who is logged in."""

from http.client import HTTPMessage


def current_user(_headers: HTTPMessage) -> dict[str, str] | None:
    """Replace this by your application's own login: whoever this names gets a session in that name."""
    return {"user_id": "user-1", "user_name": "Zoë Example", "user_email": "zoe@example.com"}
