"""Tests of the attachments, links and sources on a memory's page."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import Asset, Association, Source
from tests import factories
from tests.cast import Cast
from tests.markup import undo_of
from tests.test_ui_memory import address, log_in_as

pytestmark = pytest.mark.django_db


@pytest.fixture
def at_work(client: Client, cast: Cast) -> Client:
    """Return the editor's browser, in the workspace where the writer writes."""
    return log_in_as(client, cast, "editor")


class TestAttachments:
    def test_files_are_attached_shown_and_removed(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        files = [SimpleUploadedFile("a.txt", b"Tide table", "text/plain"), SimpleUploadedFile("b.bin", b"\x00\x01")]
        response = at_work.post(address(memory, "attach/"), {"file": files, "next": address(memory)}, follow=True)
        assert "Attached 2 files" in response.text
        assert "Tide table" in response.text
        asset = Asset.objects.get(name="a.txt")
        response = at_work.post(address(memory, f"assets/{asset.pk}/remove/"), {"next": address(memory)}, follow=True)
        assert [asset.name for asset in Asset.objects.all()] == ["b.bin"]
        back = at_work.post(undo_of(response), {"next": address(memory)}, follow=True)
        assert "Tide table" in back.text
        at_work.post(undo_of(back))
        assert [asset.name for asset in Asset.objects.all()] == ["b.bin"]

    def test_several_that_came_together_go_together_and_come_back(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        kept = operations.attach_file(
            actor=cast["editor"].actor(), memory_id=memory.pk, file=SimpleUploadedFile("old.txt", b"o"), name="old.txt"
        )
        files = [SimpleUploadedFile(name, b"x", "text/plain") for name in ("a.txt", "b.txt", "c.txt")]
        response = at_work.post(address(memory, "attach/"), {"file": files, "next": address(memory)}, follow=True)
        gone = at_work.post(undo_of(response), {"next": address(memory)}, follow=True)
        assert "Removed 3 files." in gone.text
        assert list(Asset.objects.all()) == [kept]
        back = at_work.post(undo_of(gone), {"next": address(memory)}, follow=True)
        assert "Put back 3 files." in back.text
        assert Asset.objects.count() == 4
        at_work.post(undo_of(back))
        assert list(Asset.objects.all()) == [kept]

    @pytest.mark.parametrize(
        ("name", "kind", "served", "inline"),
        [
            ("x.png", "image/png", "image/png", True),
            ("x.svg", "image/svg+xml", "image/svg+xml", True),
            ("x.html", "text/html", "text/plain; charset=utf-8", True),
            ("x.js", "application/javascript", "application/javascript", False),
            ("x.pdf", "application/pdf", "application/pdf", False),
        ],
    )
    def test_whatever_they_are_they_do_not_run(
        self, at_work: Client, cast: Cast, name: str, kind: str, served: str, inline: bool
    ) -> None:
        memory = cast.memory()
        at_work.post(address(memory, "attach/"), {"file": SimpleUploadedFile(name, b"<script>", kind)})
        path = address(memory, f"assets/{Asset.objects.get().pk}/")
        response = at_work.get(path)
        assert b"".join(response) == b"<script>"  # type: ignore[arg-type]
        assert response["Content-Type"] == served
        assert response["Content-Disposition"].startswith("inline" if inline else "attachment")
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
        download = at_work.get(f"{path}?download")
        assert b"".join(download) == b"<script>"  # type: ignore[arg-type]
        assert download["Content-Disposition"].startswith("attachment")

    def test_they_are_only_there_for_those_who_see_the_memory(self, client: Client, cast: Cast) -> None:
        hidden = factories.memory(cast["stranger"].actor(), "Sales target.")
        file = SimpleUploadedFile("a.txt", b"4 million", "text/plain")
        asset = operations.attach_file(actor=cast["stranger"].actor(), memory_id=hidden.pk, file=file, name="a.txt")
        owner = log_in_as(client, cast, "owner")
        for memory in (hidden, cast.memory()):
            for method in (owner.get, owner.head):
                assert method(address(memory, f"assets/{asset.pk}/")).status_code == 404
            assert owner.post(address(memory, f"assets/{asset.pk}/remove/")).status_code == 404


class TestLinks:
    def test_one_finds_the_other_by_words_key_or_id(self, at_work: Client, cast: Cast) -> None:
        memory, other = cast.memory(), cast.memory(content="Berth 4 is closed.", key="berth-4")
        for find in ("berth closed", "berth-4", str(other.pk)):
            response = at_work.get(address(memory, "link/"), {"find": find})
            assert f'value="{other.pk}"' in response.text

    def test_a_link_is_seen_from_both_ends_and_can_be_undone(self, at_work: Client, cast: Cast) -> None:
        memory, other = cast.memory(), cast.memory(content="Berth 4 is closed.")
        form = {"target_id": str(other.pk), "relation": "caused_by", "weight": "0.8"}
        response = at_work.post(address(memory, "link/"), form, follow=True)
        assert "caused by" in response.text
        assert "Berth 4 is closed." in response.text
        assert "cause of" in at_work.get(address(other)).text
        at_work.post(undo_of(response))
        assert not Association.objects.exists()

    def test_removing_one_can_be_undone_with_its_weight(self, at_work: Client, cast: Cast) -> None:
        memory, other = cast.memory(), cast.memory(content="Berth 4 is closed.")
        ends = {"origin_id": other.pk, "target_id": memory.pk}
        operations.associate(actor=cast["writer"].actor(), **ends, relation="updates", weight=0.9)
        form = {"origin": other.pk, "target": memory.pk, "relation": "updates", "weight": "0.9"}
        response = at_work.post(address(memory, "unlink/"), form | {"next": address(memory)}, follow=True)
        assert not Association.objects.exists()
        at_work.post(undo_of(response))
        link = Association.objects.get()
        assert (link.origin_id, link.target_id, link.relation, link.weight) == (other.pk, memory.pk, "updates", 0.9)

    def test_what_one_does_not_see_is_neither_shown_nor_linked(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        hidden = factories.memory(cast["stranger"].actor(), "Sales target: 4 million.")
        Association.objects.create(organization=memory.organization, origin=memory, target=hidden)
        assert "4 million" not in at_work.get(address(memory)).text
        form = {"target_id": str(hidden.pk), "relation": "updates", "weight": "0.5"}
        assert at_work.post(address(memory, "link/"), form).status_code == 404
        assert at_work.post(address(memory, "link/"), form | {"target_id": "x"}).status_code == 400
        assert Association.objects.count() == 1


class TestSources:
    def test_a_source_is_shown_and_leads_out_safely(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        form = {"url": "https://e.example/minutes", "quote": "We said so.", "message_id": "17"}
        response = at_work.post(address(memory, "cite/"), form, follow=True)
        assert "We said so." in response.text
        assert 'href="https://e.example/minutes" rel="noopener noreferrer' in response.text
        at_work.post(address(memory, f"sources/{Source.objects.get().pk}/remove/"))
        assert not Source.objects.exists()

    def test_adding_and_removing_one_can_be_undone(self, at_work: Client, cast: Cast) -> None:
        memory = cast.memory()
        source = operations.add_citation(
            actor=cast["writer"].actor(), memory_id=memory.pk, session="standup-3", quote="So."
        )
        remove = address(memory, f"sources/{source.pk}/remove/")
        removed = at_work.post(remove, {"next": address(memory)}, follow=True)
        assert not Source.objects.exists()
        restored = at_work.post(undo_of(removed), {"next": address(memory)}, follow=True)
        kept = Source.objects.get()
        assert (kept.quote, kept.session_id, kept.agent_id) == ("So.", source.session_id, source.agent_id)
        at_work.post(undo_of(restored))
        added = at_work.post(address(memory, "cite/"), {"quote": "Thus."}, follow=True)
        at_work.post(undo_of(added))
        Source.with_removed.update(removed_at=timezone.now() - timedelta(hours=1))
        late = at_work.post(f"{remove.removesuffix('remove/')}restore/", {"next": address(memory)}, follow=True)
        assert "can no longer be put back" in late.text
        assert not Source.objects.exists()

    @pytest.mark.parametrize(
        ("wrong", "sentence"),
        [
            ({"url": "javascript:alert(1)"}, "http or https"),
            ({"session": "nobody-knows"}, "This session was deleted"),
            ({"quote": "x" * 5001}, "At most 5,000"),
            ({"session": "nul\0"}, "Null characters are not allowed"),
        ],
    )
    def test_what_is_wrong_is_said_and_kept(
        self, at_work: Client, cast: Cast, wrong: dict[str, str], sentence: str
    ) -> None:
        memory = cast.memory()
        response = at_work.post(address(memory, "cite/"), {"message_id": "kept-17"} | wrong)
        assert response.status_code == 400
        assert sentence in response.text
        assert "kept-17" in response.text
        assert not Source.objects.exists()
