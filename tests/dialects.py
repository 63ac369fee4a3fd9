"""How tests call a dialect's tool: as an agent with its token and context."""

from typing import Any

import orjson

from memories.dialects import tool
from memoryhub.errors import Invalid, Trouble
from teams import auth


def call(token: str, dialect: str, name: str, body: object, **context: str) -> tuple[int, dict[str, Any]]:
    """The status and the body of the answer."""
    try:
        actor = auth.agent_actor(token=token, context=auth.Context(**context))
        answer = tool(dialect, name).run(actor=actor, arguments=orjson.loads(orjson.dumps(body)))
    except Trouble as error:
        fields = {"fields": error.fields} if isinstance(error, Invalid) else {}
        return error.status, {"code": error.code, "title": error.message, **fields}
    return 200, orjson.loads(orjson.dumps(answer))
