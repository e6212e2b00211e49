"""Uses the client that openapi-python-client generated from docs/openapi.json."""

import os
import sys

sys.path.insert(0, sys.argv[1])
from va_wave.api.customer_backend import create_session
from va_wave.api.dashboard import create_action, list_actions, update_action
from va_wave.api.widget import init_widget
from va_wave.client import AuthenticatedClient
from va_wave.models import (
    AiAction,
    AiActionChange,
    CreateActionBody,
    CreateSessionBody,
    Error,
    EventAction,
    FormAction,
    InitWidgetBody,
    NewAiAction,
    NewEventAction,
    NewEventActionEventsItem,
    NewFormAction,
    FormField,
    FormFieldType,
    UpdateActionBody,
)

base_url = os.environ["BASE_URL"]
org_id = os.environ["ORG_ID"]
site_id = os.environ["SITE_ID"]
server = AuthenticatedClient(
    base_url=base_url, token=os.environ["SERVER_KEY"], prefix="", auth_header_name="X-Server-Key"
)
session = create_session.sync(client=server, body=CreateSessionBody(user_id="ada"))
assert session.success and session.expires_in_seconds == 900, session
refused = create_session.sync(client=server, body=CreateSessionBody(user_id="u" * 256))
assert isinstance(refused, Error) and refused.field == "user_id", refused

visitor = AuthenticatedClient(
    base_url=base_url, token=session.session_token, prefix="", auth_header_name="X-Session-Token"
)
initialized = init_widget.sync(client=visitor, body=InitWidgetBody(begin_conversation=False))
assert initialized.conversation_id is None and initialized.session_id is not None, initialized

admin = AuthenticatedClient(base_url=base_url, token=os.environ["ACCESS_TOKEN"])
url = "https://hooks.example.com/actions"
for action in [
    NewEventAction(trigger="Event", name="P event", url=url, events=[NewEventActionEventsItem.CONTACT_CREATED]),
    NewAiAction(trigger="AI-decided", name="P tool", url=url, description="Looks up an order"),
    NewFormAction(
        trigger="Form", name="P form", url=url, form_fields=[FormField(key="a", label="A", type_=FormFieldType.TEXT)]
    ),
]:
    body = CreateActionBody(idempotency_key=action.name.replace(" ", "-"), action=action)
    created = create_action.sync(org_id, site_id, client=admin, body=body)
    assert created.trigger == action.trigger, created
    if isinstance(created, AiAction):
        change = UpdateActionBody(version=created.version, change=AiActionChange(description="Finds an order by id"))
        changed = update_action.sync(org_id, created.action_id, client=admin, body=change)
        assert isinstance(changed, AiAction) and changed.version == 2, changed
listed = list_actions.sync(org_id, client=admin).actions
assert {EventAction, AiAction, FormAction} <= {type(action) for action in listed}, listed
print("used")
