"""The commands for operators and scripts."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from memories.models import Memory
from memories.operations.files import write_file
from teams import auth
from teams.actor import Actor
from teams.models import Agent, Level, Organization, Team, Token, Verb
from tests import factories

pytestmark = pytest.mark.django_db


def run_command_line(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_languages_are_set_and_detected_again(writer: Actor) -> None:
    short = factories.memory(writer, "Server neu")
    factories.memory(writer, "Die Häuser am Hafen sind verkauft.")
    english = factories.memory(writer, "The houses at the harbour are sold.")
    write_file(actor=writer, path="a.md", content="Rechner")
    where = ["--org", Organization.objects.get().slug, "--team", Team.objects.get(pk=writer.team_id).slug]
    assert run_command_line("languages", *where).splitlines() == [
        "english: 2 memories",
        "german: 1 memories",
        "0 texts got another language.",
    ]
    assert run_command_line("languages", *where, "--set", "german").splitlines() == [
        "german: 2 memories",
        "english: 1 memories",
        "2 texts got another language.",
    ]
    assert Memory.objects.get(pk=short.pk).language == "german"
    assert Memory.objects.get(pk=english.pk).version == 1
    with pytest.raises(CommandError, match="There is no team"):
        run_command_line("languages", "--org", "nobody", "--team", "nowhere")


def test_create_team_makes_what_is_missing_and_can_be_repeated() -> None:
    for _ in range(2):
        run_command_line("create_team", "--org", "acme", "--team", "ops")
        run_command_line("create_team", "--org", "acme", "--team", "night", "--parent", "ops")
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
        run_command_line("create_team", *arguments)


def test_create_team_does_not_move_a_team() -> None:
    for slug in ("a", "b"):
        run_command_line("create_team", "--org", "acme", "--team", slug)
    with pytest.raises(CommandError, match="another parent"):
        run_command_line("create_team", "--org", "acme", "--team", "b", "--parent", "a")


def test_create_token_prints_the_token_alone() -> None:
    run_command_line("create_team", "--org", "acme", "--team", "ops")
    common = ("create_token", "--org", "acme", "--team", "ops", "--agent", "boss")
    printed = run_command_line(*common, "--level", "director", "--verbs", "read,forget", "--expires", "30d")
    actor = auth.authenticate_agent(token=printed.removesuffix("\n"))
    agent, token = Agent.objects.get(), Token.objects.get()
    assert (agent.level, actor.agent_id, actor.verbs) == (Level.DIRECTOR, agent.pk, {Verb.READ, Verb.FORGET})
    assert token.expires_at
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)
    assert token.person is None
    assert run_command_line(*common, "--user", "mira") != printed
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
        (("--expires", "2020-01-01"), "already past"),
        (("--agent", "Agent 007"), "lower-case"),
        (("--level", "king"), "invalid choice"),
    ],
)
def test_create_token_refuses_what_is_odd(arguments: tuple[str, ...], words: str) -> None:
    run_command_line("create_team", "--org", "acme", "--team", "ops")
    with pytest.raises(CommandError, match=words):
        run_command_line("create_token", "--org", "acme", "--team", "ops", "--agent", "bot", *arguments)
    assert not Token.objects.exists()


@pytest.mark.parametrize("when", ["2130-01-31", "2130-01-31T12:00:00Z", "2130-01-31T12:00"])
def test_create_token_takes_days_and_moments(when: str) -> None:
    run_command_line("create_team", "--org", "acme", "--team", "ops")
    run_command_line("create_token", "--org", "acme", "--team", "ops", "--agent", "bot", "--expires", when)
    expires_at = Token.objects.get().expires_at
    assert expires_at
    assert expires_at.isoformat().startswith("2130-01-31")


def test_create_token_does_not_promote_silently() -> None:
    run_command_line("create_team", "--org", "acme", "--team", "ops")
    common = ("create_token", "--org", "acme", "--team", "ops", "--agent", "bot")
    run_command_line(*common)
    with pytest.raises(CommandError, match="as member"):
        run_command_line(*common, "--level", "executive")
