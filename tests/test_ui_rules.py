"""The page on which owners say who may write what."""

from typing import Any

import pytest
from django.test import Client

from memories.models import Memory
from teams.actor import Actor
from teams.models import Agent, Role, Team
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(team: Team) -> Client:
    return factories.log_in_member(team, Role.OWNER, "odile")


AT = "/t/acme/ops/rules/"
HOLD = {"then": "propose", "who": "agent", "key_prefixes": "policy/\nrules/", "reason": "People decide."}


def add_rule(client: Client, at: str = f"{AT}new/", **fields: Any) -> Any:
    seen = client.get(at).context["form"]["seen"].value()
    return client.post(at, {"seen": seen, **fields}, follow=True)


def rules_of(team: Team) -> Any:
    return Team.objects.get(pk=team.pk).policy.get("rules")


def scribe(team: Team) -> Actor:
    agent = Agent.objects.filter(team=team, slug="scribe").first() or factories.agent(team, "scribe")
    return factories.actor(Agent.objects.select_related("team__organization").get(pk=agent.pk))


def test_the_default_rules_are_told_in_words(owner: Client) -> None:
    page = owner.get(AT).text
    assert "These are the default rules." in page
    assert "what agents change or forget: memories with the key core" in page
    assert "what agents change or forget: pinned memories" in page


def test_a_rule_is_added_and_holds_from_then_on(owner: Client, team: Team) -> None:
    page = add_rule(owner, **HOLD).text
    assert "The rule was added." in page
    assert "what agents write: memories with a key that begins with policy/ or rules/" in page
    assert rules_of(team)[-1] == {
        "then": "propose", "who": ["agent"], "key_prefixes": ["policy/", "rules/"], "reason": "People decide."
    }  # fmt: skip
    assert len(rules_of(team)) == 3  # the default ones stay
    held = factories.memory(scribe(team), "Nobody smokes.", key="policy/smoking")
    assert held.status == "proposed"
    assert factories.memory(scribe(team), "Tea at four.", key="tea").status == "active"


def test_rules_are_edited_moved_and_removed(owner: Client, team: Team) -> None:
    add_rule(owner, **HOLD)
    add_rule(owner, f"{AT}3/", then="refuse", who="agent", pinned="no", types=["decision", "identity"])
    assert rules_of(team)[2] == {
        "then": "refuse", "who": ["agent"], "types": ["decision", "identity"], "pinned": False
    }  # fmt: skip
    assert owner.get(f"{AT}3/").context["form"]["pinned"].value() == "no"
    press(owner, f"{AT}3/up/")
    assert [rule["then"] for rule in rules_of(team)] == ["propose", "refuse", "propose"]
    press(owner, f"{AT}1/down/")
    assert [rule["then"] for rule in rules_of(team)] == ["refuse", "propose", "propose"]
    press(owner, f"{AT}1/remove/now/")
    assert [rule["then"] for rule in rules_of(team)] == ["propose", "propose"]
    owner.post(f"{AT}reset/")
    assert Team.objects.get(pk=team.pk).policy == {}


def press(client: Client, at: str, **fields: Any) -> Any:
    return client.post(at, {"seen": client.get(AT).context["seen"], **fields}, follow=True)


def test_what_cannot_be_is_refused_in_a_sentence(owner: Client, team: Team) -> None:
    answer = add_rule(owner, then="propose", who="agent", categories=", ".join(f"c{number}" for number in range(51)))
    assert (answer.status_code, "at most 50 texts" in answer.text) == (400, True)
    assert "There is no such rule." in press(owner, f"{AT}1/up/").text
    assert owner.get(f"{AT}9/").status_code == 404
    assert rules_of(team) is None


def test_of_two_owners_the_slower_is_told(owner: Client, team: Team) -> None:
    seen = owner.get(f"{AT}new/").context["form"]["seen"].value()
    other = factories.log_in_member(team, Role.OWNER, "otto")
    add_rule(other, **HOLD)
    late = owner.post(f"{AT}new/", {"seen": seen, "then": "save"})
    assert "Somebody else has changed the rules meanwhile" in late.text
    assert [rule["then"] for rule in rules_of(team)] == ["propose"] * 3
    assert "Somebody else" in owner.post(f"{AT}1/remove/now/", {"seen": seen}, follow=True).text


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_others_read_the_rules_and_change_none(team: Team, role: Role) -> None:
    client = factories.log_in_member(team, role, "eddy")
    page = client.get(AT)
    assert (page.status_code, "Add a rule" in page.text) == (200, False)
    seen = page.context["seen"]
    assert client.get(f"{AT}new/").status_code == 403
    assert client.post(f"{AT}new/", {"seen": seen, "then": "save"}).status_code == 403
    for action in ("1/down/", "1/remove/now/", "reset/"):
        client.post(AT + action, {"seen": seen})
    assert rules_of(team) is None


def test_rules_that_cannot_be_read_are_told_and_reset(owner: Client, team: Team) -> None:
    Team.objects.filter(pk=team.pk).update(policy={"rules": [{"then": "wave"}], "screening": {}})
    assert "cannot be read, so nothing is written" in owner.get(AT).text
    owner.post(f"{AT}reset/")
    assert Team.objects.get(pk=team.pk).policy == {"screening": {}}
    assert factories.memory(scribe(team), "Tea at four.").status == "active"
    assert Memory.objects.count() == 1
