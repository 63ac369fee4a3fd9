"""Looking over an agent's shoulder shows nobody more than they may see, and leaves no trace."""

import pytest

from memories.models import Memory, Scope
from teams.call_context import CallContext
from teams.models import Person, Session
from teams.view_as import view_as_agent
from tests.cast import AT_WORK, PEOPLE, WHO_SEES, Cast


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("agent", ["writer", "bystander", "director"])
@pytest.mark.parametrize("name", PEOPLE)
def test_one_sees_what_both_the_agent_and_oneself_see(cast: Cast, scope: Scope, agent: str, name: str) -> None:
    memory = cast.memory(scope)
    looker = cast[name].actor()
    sight = view_as_agent(person=looker, agent=cast[agent].agent, context=cast[agent].context)  # type: ignore[arg-type]
    both = {agent, name} <= WHO_SEES[scope]
    assert Memory.objects.visible_to(sight.actor).filter(pk=memory.pk).exists() == both


def test_what_is_left_out_is_said(cast: Cast) -> None:
    def hidden(name: str, agent: str, **context: str) -> str:
        said = CallContext(workspace="blue", **context)
        return " ".join(view_as_agent(person=cast[name].actor(), agent=cast[agent].agent, context=said).hidden)  # type: ignore[arg-type]

    assert hidden("owner", "writer", project="apollo") == ""
    assert "keeps for itself" in hidden("viewer", "writer")
    assert "the teams above" in hidden("owner", "director")
    assert "mira alone" in hidden("owner", "writer", user="mira")
    assert "nobody-known alone" in hidden("owner", "writer", user="nobody-known")


def test_looking_registers_nobody(cast: Cast) -> None:
    people = Person.objects.count()
    context = CallContext(**AT_WORK | {"user": "new", "session": "new"})
    view_as_agent(person=cast["owner"].actor(), agent=cast["writer"].agent, context=context)  # type: ignore[arg-type]
    assert (Person.objects.count(), Session.objects.count()) == (people, 0)
