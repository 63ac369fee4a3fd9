"""One memory's page: reading it, writing it, and what one can do to it."""

import random
import re
from datetime import timedelta
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memories import operations
from memories.forms import as_submitted, form_values
from memories.models import Asset, Memory, Revision, Scope, Source
from memories.text.diff import MAX_DIFF_STEPS, DiffBudget
from teams.models import Person
from tests import factories
from tests.cast import Cast
from tests.markup import undo_of

pytestmark = pytest.mark.django_db
HERE = "/t/acme/ops/memories/"


@pytest.fixture
def at_work(client: Client, cast: Cast) -> Client:
    """Return the editor's browser, in the workspace where the writer writes."""
    return log_in_as(client, cast, "editor")


def log_in_as(client: Client, cast: Cast, name: str) -> Client:
    user = cast[name].user
    assert user
    client.force_login(user)
    client.post("/t/acme/ops/workspace/", {"workspace": "blue"})
    return client


def address(memory: Memory, part: str = "") -> str:
    return f"{HERE}{memory.pk}/{part}"


def again(memory_id: UUID) -> Memory:
    return Memory.objects.get(pk=memory_id)


def memory_form(memory: Memory, **changes: Any) -> dict[str, Any]:
    """Return the fields that the form sends for a memory."""
    form = {"content": memory.content, "summary": memory.summary, "key": memory.key, "type": memory.type}
    form |= {"category": memory.category, "tags": ", ".join(memory.tags), "importance": memory.importance}
    return form | {"version": memory.version} | changes


def test_a_new_memory_is_saved_as_it_was_written(at_work: Client) -> None:
    form = {"content": "Two\r\nlines", "key": "k", "type": "decision", "tags": "Ports, tide", "pinned": "on"}
    response = at_work.post(f"{HERE}new/", form | {"expires_at": "2099-01-02T03:04"}, follow=True)
    memory = Memory.objects.get()
    assert response.redirect_chain[-1][0] == address(memory)
    assert (memory.content, memory.key, memory.tags, memory.pinned) == ("Two\nlines", "k", ["ports", "tide"], True)
    assert (memory.type, memory.importance, memory.user) == ("decision", 0.8, response.context["user"])
    assert memory.expires_at
    assert memory.expires_at.isoformat() == "2099-01-02T03:04:00+00:00"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"content": " "}, "There must be something to remember"),
        ({"content": "x" * 50_001}, "At most 50,000 bytes"),
        ({"importance": "2"}, "from 0.0 to 1.0"),
        ({"expires_at": "2001-01-01T00:00"}, "already past"),
        ({"tags": ",".join(f"t{n}" for n in range(33))}, "At most 32 tags"),
        ({"type": "opinion"}, "opinion"),
    ],
)
def test_what_was_typed_is_kept_when_it_is_refused(at_work: Client, cast: Cast, wrong: Any, sentence: str) -> None:
    memory = cast.memory()
    for path, form in ((f"{HERE}new/", {}), (address(memory, "edit/"), {"version": 1})):
        sent = {"content": "Kept.", "type": "fact", "summary": "Kept as well."} | form | wrong
        response = at_work.post(path, sent)
        assert response.status_code in (400, 413)
        assert sentence in response.text
        assert "Kept as well." in response.text
    assert again(memory.pk).version == 1
    assert Memory.objects.count() == 1


def test_editing_changes_what_was_changed_and_nothing_else(at_work: Client, cast: Cast) -> None:
    soon = timezone.now() + timedelta(days=2)
    memory = cast.memory(content="One\r\ntwo", key="k", tags=["a"], expires_at=soon, importance=0.123456)
    at_work.post(address(memory, "edit/"), memory_form(memory, summary="Short", expires_at=f"{soon:%Y-%m-%dT%H:%M}"))
    changed = again(memory.pk)
    assert (changed.summary, changed.version, changed.expires_at) == ("Short", 2, soon)
    assert (changed.content, changed.importance) == ("One\r\ntwo", 0.123456)


def test_a_summary_that_one_saw_stays_when_the_text_is_edited(at_work: Client, cast: Cast) -> None:
    memory = cast.memory(content="The crane comes on Friday.", summary="Crane: Friday")
    at_work.post(address(memory, "edit/"), memory_form(memory, content="The blue crane comes on Friday."))
    assert again(memory.pk).summary == "Crane: Friday"


def test_saving_without_a_change_makes_no_version(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "edit/"), memory_form(memory), follow=True)
    assert "Nothing was changed" in response.text
    assert again(memory.pk).version == 1


def test_pinning_can_be_undone(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "pin/"), {"next": address(memory)}, follow=True)
    assert again(memory.pk).pinned
    undo = f"{address(memory, 'pin/')}?pinned=0"
    assert undo in response.text
    at_work.post(undo)
    assert not again(memory.pk).pinned


def test_what_is_forgotten_can_be_restored_from_its_page(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "forget/"), {"next": address(memory)}, follow=True)
    assert "This memory was forgotten by editor" in response.text
    at_work.post(address(memory, "restore/"))
    assert again(memory.pk).forgotten_at is None


def test_what_has_expired_can_be_restored_too(at_work: Client, cast: Cast) -> None:
    memory = cast.memory(expires_at=timezone.now() + timedelta(hours=1))
    Memory.objects.update(expires_at=timezone.now())
    assert "This memory expired" in at_work.get(address(memory)).text
    at_work.post(address(memory, "restore/"))
    restored = again(memory.pk)
    assert (restored.expires_at, restored.forgotten_at) == (None, None)


def test_a_key_that_another_memory_has_is_said_beside_the_key(at_work: Client, cast: Cast) -> None:
    cast.memory(key="taken")
    memory = cast.memory(content="Another.")
    for path in (f"{HERE}new/", address(memory, "edit/")):
        response = at_work.post(path, memory_form(memory, key="taken"))
        assert response.status_code == 409
        assert "Another memory has this key already" in response.text
    assert Memory.objects.count() == 2


@pytest.mark.parametrize("scope", ["team", "project", "agent", "global"])
def test_a_new_memory_is_for_whom_one_chose(client: Client, cast: Cast, scope: str) -> None:
    owner, writer = cast["owner"].user, cast["writer"].agent
    assert owner
    assert writer
    me = Person.objects.create(organization_id=cast.ops.organization_id, handle="the-owner", user=owner)
    whose = {"team": cast.ops.pk, "project": cast.project.pk, "agent": writer.pk, "global": me.pk}[scope]
    form = {"content": "x", "type": "fact", "audience": f"{scope}:{whose}"}
    log_in_as(client, cast, "owner").post(f"{HERE}new/", form)
    memory = Memory.objects.get()
    assert (memory.scope, memory.audience) == (scope, whose)


def test_an_audience_that_is_not_offered_is_refused(at_work: Client, cast: Cast) -> None:
    form = {"content": "Kept.", "type": "fact", "audience": f"team:{cast.sales.pk}"}
    response = at_work.post(f"{HERE}new/", form)
    assert response.status_code == 400
    assert "Kept." in response.text
    assert not Memory.objects.exists()


def write_numbers(length: int, *, seed: int) -> str:
    """Return a table of numbers, the text that takes longest to compare."""
    chance = random.Random(seed)
    return "\n".join(",".join(str(chance.randrange(100)) for _ in range(10)) for _ in range(length // 10))[:length]


def count_diff_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the steps of every comparison."""
    spent: list[int] = []
    spend = DiffBudget.spend

    def count_steps(budget: DiffBudget, steps: int) -> bool:
        admitted = spend(budget, steps)
        spent.append(steps if admitted else 0)
        return admitted

    monkeypatch.setattr(DiffBudget, "spend", count_steps)
    return spent


def test_a_page_of_versions_is_compared_within_one_budget(
    at_work: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, actor = cast.memory(content=write_numbers(6_000, seed=0)), cast["writer"].actor()
    for seed in range(1, 5):
        operations.update_memory(actor=actor, memory_id=memory.pk, content=write_numbers(6_000, seed=seed))
    spent = count_diff_steps(monkeypatch)
    assert at_work.get(address(memory, "history/")).status_code == 200
    assert MAX_DIFF_STEPS / 10 < sum(spent) <= MAX_DIFF_STEPS


class TestTwoWriters:
    """The editor began with version 1; the writer was faster."""

    BASE = "The crane comes on Friday.\n\nBerth 4 is closed."

    def test_the_second_sees_theirs_yours_and_the_base(self, at_work: Client, cast: Cast) -> None:
        memory = self.changed(cast, content=self.BASE.replace("Friday", "Monday"))
        yours = self.BASE.replace("Friday", "Sunday")
        response = at_work.post(address(memory, "edit/"), memory_form(memory, content=yours))
        assert response.status_code == 409
        assert "<del>Friday</del><ins>Monday</ins>" in response.text
        assert "<del>Friday</del><ins>Sunday</ins>" in response.text
        assert "Both of you changed this" in response.text
        assert "writer saved version 2" in response.text
        assert self.BASE in unescape(response.text)
        assert again(memory.pk).content == self.BASE.replace("Friday", "Monday")

    def test_changes_in_different_places_are_joined_and_saved_on_top(self, at_work: Client, cast: Cast) -> None:
        memory = self.changed(cast, content=self.BASE.replace("Friday", "Monday"))
        yours = f"{self.BASE}\n\nCall the pilot."
        response = at_work.post(address(memory, "edit/"), memory_form(memory, content=yours, tags="crane"))
        joined = f"{self.BASE.replace('Friday', 'Monday')}\n\nCall the pilot."
        assert joined in unescape(response.text)
        assert "Only you changed this" in response.text
        at_work.post(address(memory, "edit/"), memory_form(memory, content=joined, tags="crane", version=2))
        saved = again(memory.pk)
        assert (saved.content, saved.tags, saved.version) == (joined, ["crane"], 3)

    def test_all_fields_are_compared_within_one_budget(
        self, at_work: Client, cast: Cast, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        spent = count_diff_steps(monkeypatch)
        theirs, yours = (write_numbers(6_000, seed=seed) for seed in (1, 2))
        memory = cast.memory(content=write_numbers(6_000, seed=0), summary=write_numbers(900, seed=3))
        changes = {"content": theirs, "summary": write_numbers(900, seed=4)}
        operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, **changes)
        form = memory_form(memory, content=yours, summary=write_numbers(900, seed=5))
        response = at_work.post(address(memory, "edit/"), form)
        assert response.status_code == 409
        assert MAX_DIFF_STEPS / 10 < sum(spent) <= MAX_DIFF_STEPS

    @pytest.mark.parametrize("choice", ["theirs", "yours", "result"])
    def test_one_takes_either_or_writes_something_else(self, at_work: Client, cast: Cast, choice: str) -> None:
        memory = self.changed(cast, content="theirs", pinned=True)
        form = memory_form(memory, content="result", version=2)
        for name, sides in {"content": ("theirs", "yours"), "pinned": ("on", "")}.items():
            form |= {f"theirs-{name}": sides[0], f"yours-{name}": sides[1], f"choice-{name}": choice}
        at_work.post(address(memory, "edit/"), form)
        saved = again(memory.pk)
        assert (saved.content, saved.pinned) == (choice, choice == "theirs")

    def test_a_second_race_asks_again(self, at_work: Client, cast: Cast) -> None:
        memory = self.changed(cast, content="second")
        operations.update_memory(actor=cast["teammate"].actor(), memory_id=memory.pk, content="third")
        response = at_work.post(address(memory, "edit/"), memory_form(memory, content="mine", version=2))
        assert response.status_code == 409
        assert "teammate saved version 3" in response.text
        assert 'name="version" value="3"' in response.text
        assert again(memory.pk).content == "third"

    def test_who_changed_nothing_overwrites_nothing(self, at_work: Client, cast: Cast) -> None:
        memory = self.changed(cast, content="theirs")
        response = at_work.post(address(memory, "edit/"), memory_form(memory), follow=True)
        assert "Nothing was changed" in response.text
        assert again(memory.pk).content == "theirs"

    @pytest.mark.parametrize("version", ["", "0", "none", "99999999999", "-1"])
    def test_without_a_version_nothing_is_overwritten(self, at_work: Client, cast: Cast, version: str) -> None:
        memory = cast.memory()
        response = at_work.post(address(memory, "edit/"), memory_form(memory, content="mine", version=version))
        assert response.status_code == 409
        assert again(memory.pk).version == 1

    def test_what_was_forgotten_meanwhile_keeps_what_one_wrote(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        operations.forget_memory(actor=cast["writer"].actor(), memory_id=memory.pk)
        response = at_work.post(address(memory, "edit/"), memory_form(memory, content="What I wrote."))
        assert response.status_code == 409
        assert "Restore it first" in response.text
        assert "What I wrote." in response.text

    def changed(self, cast: Cast, **changes: Any) -> Memory:
        memory = cast.memory(content=self.BASE)
        operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, **changes)
        return memory


ACTIONS: dict[str, dict[str, Any]] = {
    "pin/": {},
    "forget/": {"reason": "old"},
    "revert/": {"to": "1"},
    "verify/": {"days": "30"},
    "expire/": {"days": "7"},
    "tag/": {"add": "x"},
    "purge/": {},
    "edit/": {"content": "x", "type": "fact", "version": "1"},
    "cite/": {"quote": "x"},
    "attach/": {},
}


def action_form(part: str) -> dict[str, Any]:
    """Return the fields of an action, with a new file each time, because files are read to their end."""
    return {"file": SimpleUploadedFile("x.txt", b"x")} if part == "attach/" else ACTIONS[part]


@pytest.mark.parametrize("part", ACTIONS)
def test_a_viewer_reads_and_changes_nothing(client: Client, cast: Cast, part: str) -> None:
    memory = cast.memory()
    viewer = log_in_as(client, cast, "viewer")
    response = viewer.post(address(memory, part), action_form(part) | {"next": address(memory)}, follow=True)
    assert response.status_code == 403 or 'class="toast error"' in response.text
    assert again(memory.pk).version == 1
    assert not Asset.objects.exists()
    assert not Source.objects.exists()


def test_a_viewer_sees_nothing_to_press(client: Client, cast: Cast) -> None:
    main = log_in_as(client, cast, "viewer").get(address(cast.memory(tags=["a"]))).text.split("<main")[1]
    main = main.split("</main>")[0]
    assert "The pager is in the left drawer." in main
    assert main.count("<form") == 1  # in which whoever reads it rates it
    assert client.get(f"{HERE}new/").status_code == 403


@pytest.mark.parametrize("part", ["", "history/", "link/", *ACTIONS])
def test_for_strangers_there_is_no_such_memory(client: Client, cast: Cast, part: str) -> None:
    hidden = factories.memory(cast["stranger"].actor(), "Sales target: 4 million.")
    at_work = log_in_as(client, cast, "owner")
    if part in ("", "history/", "link/", "edit/", "cite/"):
        assert at_work.get(address(hidden, part)).status_code == 404
    if part in ACTIONS:
        assert at_work.post(address(hidden, part), action_form(part)).status_code == 404
    assert again(hidden.pk).version == 1


def test_viewers_do_not_see_what_is_forgotten(client: Client, cast: Cast) -> None:
    memory = cast.memory()
    operations.forget_memory(actor=cast["writer"].actor(), memory_id=memory.pk, reason="wrong drawer")
    assert log_in_as(client, cast, "viewer").get(address(memory)).status_code == 404
    assert "wrong drawer" in log_in_as(client, cast, "editor").get(address(memory)).text


def test_tags_come_and_go_and_come_back(at_work: Client, cast: Cast) -> None:
    memory = cast.memory(tags=["a", "b"])
    at_work.post(address(memory, "tag/"), {"add": "C, d"})
    assert again(memory.pk).tags == ["a", "b", "c", "d"]
    response = at_work.post(address(memory, "tag/"), {"remove": "a", "next": address(memory)}, follow=True)
    assert again(memory.pk).tags == ["b", "c", "d"]
    at_work.post(undo_of(response))
    assert again(memory.pk).tags == ["a", "b", "c", "d"]


def test_undoing_leaves_what_somebody_changed_since(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "tag/"), {"add": "a", "next": address(memory)}, follow=True)
    operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, content="Since.")
    refused = at_work.post(undo_of(response), {"next": address(memory)}, follow=True)
    assert "it is now version 3" in refused.text
    assert again(memory.pk).content == "Since."


def test_nothing_is_forgotten_again_that_somebody_changed_since(at_work: Client, cast: Cast) -> None:
    made = at_work.post(f"{HERE}new/", {"content": "Mine.", "type": "fact"}, follow=True)
    memory = Memory.objects.get()
    at_work.post(address(memory, "forget/"))
    restored = at_work.post(address(memory, "restore/"), {"next": address(memory)}, follow=True)
    operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, content="Since.")
    for undo in map(undo_of, (made, restored)):
        assert "it is now version 4" in at_work.post(undo, {"next": address(memory)}, follow=True).text
    assert again(memory.pk).forgotten_at is None


def test_an_expiry_is_set_and_taken_back(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    at_work.post(address(memory, "expire/"), {"days": "7"})
    week = again(memory.pk).expires_at
    assert week
    assert timedelta(days=6) < week - timezone.now() < timedelta(days=8)
    there = {"expires_at": "2099-01-02T03:04", "next": address(memory)}
    response = at_work.post(address(memory, "expire/"), there, follow=True)
    assert "Expires on 2099-01-02 at 03:04 UTC" in response.text
    at_work.post(undo_of(response))
    assert again(memory.pk).expires_at == week
    at_work.post(address(memory, "expire/"), {"days": "0"})
    assert again(memory.pk).expires_at is None


def test_odd_values_are_refused_in_words(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    odd = {"expire/": {"expires_at": "soon"}, "revert/": {"to": "x"}, "tag/": {"add": " , "}, "attach/": {}}
    for part, form in (*odd.items(), ("tag/", {"add": "nul\0"})):
        response = at_work.post(address(memory, part), form | {"next": address(memory)}, follow=True)
        assert 'class="toast error"' in response.text, part
    assert again(memory.pk).version == 1


def test_verifying_notes_who_and_when(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    response = at_work.post(address(memory, "verify/"), {"days": "90", "next": address(memory)}, follow=True)
    verified = again(memory.pk)
    assert (verified.verified_by, bool(verified.review_by)) == ("editor", True)
    assert "by editor" in response.text
    at_work.post(undo_of(response))
    taken_back = again(memory.pk)
    assert (taken_back.verified_by, taken_back.verified_at, taken_back.review_by) == ("", None, None)


def test_an_edit_can_be_undone_with_all_of_its_fields(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    form = {"content": "Other words.", "type": "lesson", "review_by": "2099-01-01T00:00", "version": "1"}
    saved = at_work.post(address(memory, "edit/"), form, follow=True)
    assert again(memory.pk).content == "Other words."
    at_work.post(undo_of(saved))
    undone = again(memory.pk)
    assert (undone.content, undone.type, undone.review_by) == (memory.content, memory.type, None)
    at_work.get(address(memory))
    same = at_work.post(address(memory, "edit/"), as_submitted(form_values(undone)) | {"version": "3"}, follow=True)
    assert "Nothing was changed." in same.text
    assert "Undo</button>" not in same.text


def test_the_scope_is_changed_and_changed_back(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    form = {"audience": f"project:{cast.project.pk}", "next": address(memory)}
    response = at_work.post(address(memory, "rescope/"), form, follow=True)
    assert again(memory.pk).audience == cast.project.pk
    at_work.post(undo_of(response))
    assert (again(memory.pk).scope, again(memory.pk).audience) == (Scope.TEAM, cast.ops.pk)
    assert at_work.post(address(memory, "rescope/"), {"audience": f"team:{cast.sales.pk}"}).status_code == 404


def test_only_owners_purge_on_the_page(client: Client, cast: Cast) -> None:
    memory = cast.memory()
    assert "Purge for good" not in log_in_as(client, cast, "editor").get(address(memory)).text
    owner = log_in_as(client, cast, "owner")
    assert "Nobody can bring it back" in owner.get(address(memory)).text
    assert owner.post(address(memory, "purge/"))["Location"] == HERE
    assert again(memory.pk).content == "[purged]"
    assert owner.get(address(memory)).status_code == 404


class TestHistory:
    def test_each_version_says_what_it_changed(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory(tags=["a"])
        operations.update_memory(
            actor=cast["writer"].actor(), memory_id=memory.pk, content="The pager is lost.", tags=["b"]
        )
        operations.pin_memory(actor=cast["teammate"].actor(), memory_id=memory.pk)
        response = at_work.get(address(memory, "history/"))
        assert "<ins>lost</ins>" in response.text
        assert "<del>a</del><ins>b</ins>" in response.text
        assert "<del>no</del><ins>yes</ins>" in response.text
        assert re.search(r"Version 3.*teammate.*Version 2.*writer.*Version 1", response.text, re.DOTALL)

    def test_one_goes_back_and_forth(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, content="Lost.")
        response = at_work.post(address(memory, "revert/"), {"to": 1, "next": address(memory)}, follow=True)
        assert again(memory.pk).content == memory.content
        at_work.post(undo_of(response))
        assert again(memory.pk).content == "Lost."

    def test_a_version_has_an_address_of_its_own(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, content="Lost.")
        response = at_work.get(address(memory, "history/?version=1"))
        assert "The pager is in the left drawer." in response.text
        assert at_work.get(address(memory, "history/?version=3")).status_code == 404

    def test_versions_for_others_stay_with_them(self, client: Client, cast: Cast) -> None:
        memory = cast.memory(Scope.AGENT, "Between us.")
        owner = cast["owner"].actor()
        operations.update_memory(actor=owner, memory_id=memory.pk, content="For all.")
        operations.change_scope(actor=owner, memory_id=memory.pk, scope="team", audience=cast.ops.pk)
        editor = log_in_as(client, cast, "editor")
        assert "Between us" not in editor.get(address(memory, "history/")).text
        assert editor.get(address(memory, "history/?version=1")).status_code == 404

    def test_long_histories_come_in_pages(
        self, at_work: Client, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        memory = cast.memory()
        for number in range(25):
            operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, content=f"Line {number}")
        with django_assert_max_num_queries(20):
            first = at_work.get(address(memory, "history/"))
        assert ('id="v26"' in first.text, 'id="v7"' in first.text, 'id="v6"' in first.text) == (True, True, False)
        assert "?before=7" in first.text
        assert 'id="v1"' in at_work.get(address(memory, "history/?before=7")).text

    def test_texts_that_are_too_long_for_the_list_are_compared_alone(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory(content="a " * 10_000)
        operations.update_memory(actor=cast["writer"].actor(), memory_id=memory.pk, content="b " * 10_000)
        assert "It is long" in at_work.get(address(memory, "history/")).text
        assert "<ins>b" in at_work.get(address(memory, "history/?version=2")).text


def test_the_page_names_who_can_see_it(at_work: Client, cast: Cast) -> None:
    text = at_work.get(address(cast.memory())).text.split("Who can see this")[1]
    assert all(name in text for name in ("viewer", "editor", "owner", "writer", "teammate", "director"))
    assert "stranger" not in text
    assert "in the workspace blue" in text


def test_a_page_asks_as_much_of_the_database_however_much_hangs_on_it(
    at_work: Client, cast: Cast, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    memory, actor = cast.memory(), cast["writer"].actor()
    for number in range(12):
        other = cast.memory(content=f"Thing {number}")
        operations.associate(actor=actor, origin_id=memory.pk, target_id=other.pk)
        operations.associate(actor=actor, origin_id=other.pk, target_id=memory.pk)
        operations.add_citation(actor=actor, memory_id=memory.pk, quote=f"Quote {number}", session="s")
        file = SimpleUploadedFile("a.txt", b"x", "text/plain")
        operations.attach_file(actor=actor, memory_id=memory.pk, file=file, name=f"{number}.txt")
    with django_assert_max_num_queries(22):
        response = at_work.get(address(memory))
    assert "Quote 11" in response.text
    assert response.text.count('class="reach"') == 12


def test_every_version_made_here_says_who_made_it(at_work: Client, cast: Cast) -> None:
    memory = cast.memory()
    at_work.post(address(memory, "pin/"))
    at_work.post(address(memory, "edit/"), memory_form(again(memory.pk), content="Mine.", pinned="on"))
    signed = Revision.objects.filter(memory=memory.pk, version__gt=1)
    assert {revision.byline for revision in signed} == {"editor"}
    assert signed.count() == 2
