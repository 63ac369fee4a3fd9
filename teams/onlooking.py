"""A person looks over an agent's shoulder: they see what it reads, as far as they may see that themselves."""

from dataclasses import dataclass, replace

from teams import auth
from teams.actor import Actor
from teams.circumstances import Context
from teams.models import Agent, Verb


@dataclass(frozen=True, slots=True)
class Sight:
    actor: Actor  # the agent, without what the person may not see
    hidden: tuple[str, ...] = ()  # whose memories that leaves out


def looking_as(*, person: Actor, agent: Agent, context: Context) -> Sight:
    """The agent in that context as this person may watch it. Its team and organization should be loaded."""
    # Looking registers nobody: neither people nor sessions are made for a caller who may only read.
    whole = auth.actor_of_agent(agent=agent, verbs=frozenset({Verb.READ}), context=context)
    actor = replace(
        whole,
        verbs=frozenset(Verb),
        reads=whole.reads & person.reads,
        writes=whole.writes & person.writes,
        readable_team_ids=tuple(team for team in whole.readable_team_ids if team in person.reads),
    )
    return Sight(actor, tuple(_hidden(person=person, agent=agent, context=context, whole=whole)))


def _hidden(*, person: Actor, agent: Agent, context: Context, whole: Actor) -> list[str]:
    found = []
    if agent.pk not in person.reads:
        found.append(f"what {agent.slug} keeps for itself: only owners of its team see that")
    if context.user and whole.person_id not in person.reads:  # said of strangers too: nobody learns who is known here
        found.append(f"what is remembered about {context.user} alone: only they see that")
    if not set(whole.readable_team_ids) <= person.reads:
        found.append(f"what {agent.slug} reads of the teams above: you are not in all of them")
    return found
