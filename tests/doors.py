"""Every way to read a memory. A new door adds a function and one line below, and inherits every case of visibility."""

from collections.abc import Callable

from django.test import Client

from memories.models import Memory
from tests.cast import AGENTS, EVERYBODY, Member

Door = Callable[[Member, Memory], bool]


def queryset(member: Member, memory: Memory) -> bool:
    return Memory.objects.visible_to(member.actor()).filter(pk=memory.pk).exists()


def api_detail(member: Member, memory: Memory) -> bool:
    response = Client().get(f"/api/v1/memories/{memory.pk}", headers=headers(member))
    assert response.status_code in (200, 404), response.content
    return response.status_code == 200


def headers(member: Member) -> dict[str, str]:
    context = member.context
    said = {"project": context.project, "user": context.user, "workspace": context.workspace}
    named = {f"X-Memory-{name.title()}": value for name, value in said.items() if value}
    return {"Authorization": f"Bearer {member.token()}", **named}


ALL: dict[Door, tuple[str, ...]] = {
    queryset: EVERYBODY,
    api_detail: AGENTS,
}
