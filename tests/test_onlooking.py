"""Looking over an agent's shoulder shows nobody more than they may see, and leaves no trace."""

import pytest

from memories.models import Memory, Scope
from teams.circumstances import Context
from teams.models import Person, Session
from teams.onlooking import looking_as
from tests.cast import AT_WORK, PEOPLE, WHO_SEES, Cast


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("agent", ["writer", "bystander", "director"])
@pytest.mark.parametrize("name", PEOPLE)
def test_one_sees_what_both_the_agent_and_oneself_see(cast: Cast, scope: Scope, agent: str, name: str) -> None:
    memory = cast.memory(scope)
    looker = cast[name].actor()
    sight = looking_as(person=looker, agent=cast[agent].agent, context=cast[agent].context)  # type: ignore[arg-type]
    both = {agent, name} <= WHO_SEES[scope]
    assert Memory.objects.visible_to(sight.actor).filter(pk=memory.pk).exists() == both


def test_what_is_left_out_is_said(cast: Cast) -> None:
    def hidden(name: str, agent: str, **context: str) -> str:
        said = Context(workspace="blue", **context)
        return " ".join(looking_as(person=cast[name].actor(), agent=cast[agent].agent, context=said).hidden)  # type: ignore[arg-type]

    assert hidden("owner", "writer", project="apollo") == ""
    assert "keeps for itself" in hidden("viewer", "writer")
    assert "the teams above" in hidden("owner", "director")
    assert "mira alone" in hidden("owner", "writer", user="mira")
    assert "nobody-known alone" in hidden("owner", "writer", user="nobody-known")


def test_looking_registers_nobody(cast: Cast) -> None:
    people = Person.objects.count()
    context = Context(**AT_WORK | {"user": "new", "session": "new"})
    looking_as(person=cast["owner"].actor(), agent=cast["writer"].agent, context=context)  # type: ignore[arg-type]
    assert (Person.objects.count(), Session.objects.count()) == (people, 0)
