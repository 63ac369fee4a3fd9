"""The commands for operators and scripts."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from teams import auth
from teams.models import Agent, Level, Organization, Team, Token, Verb

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_create_team_makes_what_is_missing_and_can_be_repeated() -> None:
    for _ in range(2):
        run("create_team", "--org", "acme", "--team", "ops")
        run("create_team", "--org", "acme", "--team", "night", "--parent", "ops")
    tree = {team.slug: team.parent.slug if team.parent else None for team in Team.objects.select_related("parent")}
    assert tree == {"executive": None, "ops": "executive", "night": "ops"}
    assert Organization.objects.get().slug == "acme"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--org", "acme", "--team", "ops", "--parent", "nowhere"), "no team 'nowhere'"),
        (("--org", "acme", "--team", "Not A Slug"), "lower-case"),
        (("--org", "../etc", "--team", "ops"), "lower-case"),
        (("--org", "acme", "--team", "x" * 65), "64"),
    ],
)
def test_create_team_refuses_what_is_odd(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        run("create_team", *arguments)


def test_create_team_does_not_move_a_team() -> None:
    for slug in ("a", "b"):
        run("create_team", "--org", "acme", "--team", slug)
    with pytest.raises(CommandError, match="another parent"):
        run("create_team", "--org", "acme", "--team", "b", "--parent", "a")


def test_create_token_prints_the_token_alone() -> None:
    run("create_team", "--org", "acme", "--team", "ops")
    common = ("create_token", "--org", "acme", "--team", "ops", "--agent", "boss")
    printed = run(*common, "--level", "director", "--verbs", "read,forget", "--expires", "30d")
    actor = auth.agent_actor(token=printed.removesuffix("\n"))
    agent, token = Agent.objects.get(), Token.objects.get()
    assert (agent.level, actor.agent_id, actor.verbs) == (Level.DIRECTOR, agent.pk, {Verb.READ, Verb.FORGET})
    assert token.expires_at
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)
    assert token.person is None
    assert run(*common, "--user", "mira") != printed
    assert Token.objects.get(person__handle="mira").agent == agent
    assert Agent.objects.count() == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--team", "nowhere"), "create_team"),
        (("--verbs", "read,fly"), "--verbs"),
        (("--verbs", ","), "verbs"),
        (("--expires", "soon"), "--expires"),
        (("--expires", "2020-02-30"), "--expires"),
        (("--expires", "2020-01-01"), "passed"),
        (("--agent", "Agent 007"), "lower-case"),
        (("--level", "king"), "invalid choice"),
    ],
)
def test_create_token_refuses_what_is_odd(arguments: tuple[str, ...], words: str) -> None:
    run("create_team", "--org", "acme", "--team", "ops")
    with pytest.raises(CommandError, match=words):
        run("create_token", "--org", "acme", "--team", "ops", "--agent", "bot", *arguments)
    assert not Token.objects.exists()


@pytest.mark.parametrize("when", ["2130-01-31", "2130-01-31T12:00:00Z", "2130-01-31T12:00"])
def test_create_token_takes_days_and_moments(when: str) -> None:
    run("create_team", "--org", "acme", "--team", "ops")
    run("create_token", "--org", "acme", "--team", "ops", "--agent", "bot", "--expires", when)
    expires_at = Token.objects.get().expires_at
    assert expires_at
    assert expires_at.isoformat().startswith("2130-01-31")


def test_create_token_does_not_promote_silently() -> None:
    run("create_team", "--org", "acme", "--team", "ops")
    common = ("create_token", "--org", "acme", "--team", "ops", "--agent", "bot")
    run(*common)
    with pytest.raises(CommandError, match="as member"):
        run(*common, "--level", "executive")
