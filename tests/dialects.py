"""How tests call a dialect's tool: over HTTP, as an agent with its token and context."""

from typing import Any

from django.test import Client


def call(token: str, dialect: str, name: str, body: object, **context: str) -> tuple[int, dict[str, Any]]:
    """The status and the body of the answer."""
    named = {f"X-Memory-{name.title()}": value for name, value in context.items() if value}
    response = Client().post(
        f"/api/v1/tools/{dialect}/{name}",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}", **named},
    )
    return response.status_code, response.json()
