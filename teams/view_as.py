"""View as an agent: a person sees what the agent reads, as far as they may see it themselves."""

from dataclasses import dataclass, replace

from teams import rights
from teams.actor import Actor
from teams.call_context import CallContext
from teams.models import Agent, Verb


@dataclass(frozen=True, slots=True)
class ViewAs:
    actor: Actor  # the agent, without what the person may not see
    hidden: tuple[str, ...] = ()  # descriptions of what that leaves out


def view_as_agent(*, person: Actor, agent: Agent, context: CallContext) -> ViewAs:
    """Return the agent in that context, limited to what this person may see. Its team and organization should be
    loaded."""
    whole = rights.actor_of_agent(agent=agent, verbs=frozenset({Verb.READ}), context=context, register=False)
    actor = replace(
        whole,
        verbs=frozenset(Verb),
        reads=whole.reads & person.reads,
        writes=whole.writes & person.writes,
        readable_team_ids=tuple(team for team in whole.readable_team_ids if team in person.reads),
    )
    return ViewAs(actor, tuple(_list_hidden(person=person, agent=agent, context=context, whole=whole)))


def _list_hidden(*, person: Actor, agent: Agent, context: CallContext, whole: Actor) -> list[str]:
    hidden = []
    if agent.pk not in person.reads:
        hidden.append(f"what {agent.slug} keeps for itself: only owners of its team see that")
    if (
        context.user and whole.person_id not in person.reads
    ):  # also for unknown names, so as not to reveal who is registered
        hidden.append(f"what is remembered about {context.user} alone: only they see that")
    if not set(whole.readable_team_ids) <= person.reads:
        hidden.append(f"what {agent.slug} reads of the teams above: you are not in all of them")
    return hidden
