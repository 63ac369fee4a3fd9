"""A team's files through the REST door."""

import pytest

from memories.models import FILE_BYTES, TeamFile
from teams.models import Level, Verb
from tests import factories
from tests.caller import Caller, etag
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def paths(caller: Caller, asked: str = "") -> list[str]:
    response = caller("GET", f"files{asked}")
    assert response.status_code == 200, response.content
    return [row["path"] for row in response.json()["files"]]


def test_a_file_is_written_read_and_written_again(caller: Caller) -> None:
    made = caller("PUT", "files/notes/a%20b.md", {"content": "one"})
    assert (made.status_code, made["ETag"], made.json()["path"]) == (201, etag(made.json()), "notes/a b.md"), (
        made.content
    )
    again = caller("PUT", "files/notes/a%20b.md", {"content": "twö"})
    assert (again.status_code, again.json()["version"], again.json()["size"]) == (200, 2, 4)
    read = caller("GET", "files/notes/a%20b.md")
    assert (read.json()["content"], read["ETag"]) == ("twö", etag(again.json()))
    assert caller("GET", "files/notes/a%20b.md", If_None_Match=read["ETag"]).status_code == 304
    assert caller("GET", "files/notes/a%20b.md", If_None_Match='"2"').status_code == 200
    old = caller("GET", "files/notes/a%20b.md?version=1")
    assert (old.json()["content"], old["ETag"]) == ("one", made["ETag"])
    assert caller("GET", "files/notes/a%20b.md?version=9").status_code == 404


def test_a_lost_race_gets_the_present_file(caller: Caller) -> None:
    caller("PUT", "files/a.md", {"content": "one"})
    caller("PUT", "files/a.md", {"content": "two"})
    for lost in (
        caller("PUT", "files/a.md", {"content": "x"}, If_Match='"1"'),
        caller("PUT", "files/a.md", {"content": "x", "version": 1}),
        caller("PUT", "files/a.md", {"content": "x"}, If_None_Match="*"),
        caller("POST", "files/a.md", {"text": "x"}, If_Match='"1"'),
        caller("PATCH", "files/a.md", {"path": "b.md"}, If_Match='"1"'),
        caller("POST", "file-history/a.md", {"to_version": 1}, If_Match='"1"'),
        caller("DELETE", "files/a.md", If_Match='"1"'),
    ):
        assert (lost.status_code, lost.json()["current"]["content"]) == (409, "two"), lost.content
    assert TeamFile.objects.get().version == 2


def test_a_path_given_anew_does_not_pass_for_the_file_that_was_seen(caller: Caller) -> None:
    seen = caller("PUT", "files/a.md", {"content": "one"})["ETag"]
    caller("DELETE", "files/a.md", If_Match=seen)
    caller("PUT", "files/a.md", {"content": "anew"})
    assert caller("GET", "files/a.md", If_None_Match=seen).status_code == 200
    for lost in (
        caller("PUT", "files/a.md", {"content": "x"}, If_Match=seen),
        caller("POST", "files/a.md", {"text": "x"}, If_Match=seen),
        caller("PATCH", "files/a.md", {"path": "b.md"}, If_Match=seen),
        caller("POST", "file-history/a.md", {"to_version": 1}, If_Match=seen),
        caller("DELETE", "files/a.md", If_Match=seen),
    ):
        assert (lost.status_code, lost.json()["code"], lost.json()["current"]["content"]) == (409, "conflict", "anew")
    assert caller("PUT", "files/a.md", {"content": "x"}, If_Match='"1"').status_code == 200
    last = caller("GET", "files/a.md")["ETag"]
    assert caller("PUT", "files/a.md", {"content": "y"}, If_Match=last).json()["version"] == 3


def test_a_star_overwrites_a_file_and_makes_none(caller: Caller) -> None:
    assert caller("PUT", "files/a.md", {"content": "x"}, If_Match="*").status_code == 404
    assert not TeamFile.objects.exists()
    caller("PUT", "files/a.md", {"content": "one"})
    assert caller("PUT", "files/a.md", {"content": "two"}, If_Match="*").json()["version"] == 2


def test_an_addition_to_a_file_has_a_line_of_its_own(caller: Caller) -> None:
    caller("PUT", "files/a.md", {"content": ""})
    for text in ("one", "two\n", "three"):
        longer = caller("POST", "files/a.md", {"text": text})
    assert (longer.status_code, longer.json()["content"]) == (200, "one\ntwo\nthree")
    caller("PUT", "files/a.md", {"content": "x" * (FILE_BYTES - 3)})
    assert caller("POST", "files/a.md", {"text": "four"}).json()["code"] == "too_large"
    assert caller("POST", "files/none.md", {"text": "x"}).status_code == 404


def test_a_file_is_renamed_unless_the_name_is_taken(caller: Caller) -> None:
    caller("PUT", "files/a.md", {"content": "a"})
    caller("PUT", "files/b.md", {"content": "b"})
    taken = caller("PATCH", "files/a.md", {"path": "b.md"})
    assert (taken.status_code, taken.json()["code"]) == (409, "key_taken")
    assert caller("PATCH", "files/a.md", {"path": "c/d.md"}).json()["path"] == "c/d.md"
    assert paths(caller) == ["b.md", "c/d.md"]


def test_a_deleted_file_comes_back_with_its_history(caller: Caller) -> None:
    for content in ("one", "two"):
        caller("PUT", "files/a.md", {"content": content})
    gone = caller("DELETE", "files/a.md")
    assert (gone.status_code, gone.json()["version"]) == (200, 3)
    assert caller("GET", "files/a.md").status_code == 404
    assert (paths(caller), paths(caller, "?deleted=true")) == ([], ["a.md"])
    history = caller("GET", "file-history/a.md?limit=2").json()
    assert [(row["version"], row["change"]) for row in history["versions"]] == [(3, "forgotten"), (2, "updated")]
    rest = caller("GET", f"file-history/a.md?limit=2&cursor={history['next']}").json()
    assert [(row["version"], row["size"], row["by"]) for row in rest["versions"]] == [(1, 3, caller.agent.slug)]
    back = caller("POST", "file-history/a.md", {"to_version": 1})
    assert (back.status_code, back.json()["content"], back.json()["version"]) == (200, "one", 4)
    reverted = caller("POST", "file-history/a.md", {"to_version": 2})
    assert (reverted.json()["content"], reverted.json()["version"]) == ("two", 5)
    assert caller("POST", "file-history/a.md", {"to_version": 99}).status_code == 404
    assert caller("POST", "file-history/b.md", {"to_version": 1}).status_code == 404


def test_lists_are_narrowed_and_paged(caller: Caller) -> None:
    for path in ("notes/b.md", "notes/a.md", "plan.md", "notes_x.md"):
        caller("PUT", f"files/{path}", {"content": f"The crane of {path} stands. 昼食"})
    assert paths(caller) == ["notes/a.md", "notes/b.md", "notes_x.md", "plan.md"]
    assert paths(caller, "?prefix=notes/") == ["notes/a.md", "notes/b.md"]
    assert paths(caller, "?text=cranes+plan") == ["plan.md"]
    assert len(paths(caller, "?text=%E6%98%BC%E9%A3%9F")) == 4
    first = caller("GET", "files?limit=3").json()
    assert paths(caller, f"?limit=3&cursor={first['next']}") == ["plan.md"]
    assert first["files"][0]["size"] == len("The crane of notes/a.md stands. 昼食".encode())
    assert "content" not in first["files"][0]


@pytest.mark.parametrize("path", ["../a", "a//b", "a/./b", "a%5Cb", "a%00b", "a/", "x" * 501])
def test_odd_paths_are_refused(caller: Caller, path: str) -> None:
    for response in (
        caller("PUT", f"files/{path}", {"content": "x"}),
        caller("GET", f"files/{path}"),
        caller("GET", f"file-history/{path}"),
    ):
        assert (response.status_code, list(response.json()["fields"])) == (400, ["path"])
    assert not TeamFile.objects.exists()


def test_directors_read_upwards_and_write_their_own(caller: Caller) -> None:
    Caller(factories.agent(caller.agent.team.parent))("PUT", "files/plan.md", {"content": "above"})
    director = Caller(factories.agent(caller.agent.team, level=Level.DIRECTOR))
    assert director("GET", "files/plan.md").json()["content"] == "above"
    assert caller("GET", "files/plan.md").status_code == 404
    assert director("DELETE", "files/plan.md").status_code == 404
    caller("PUT", "files/plan.md", {"content": "ours"})
    assert director("GET", "files/plan.md").json()["content"] == "ours"
    assert paths(director) == ["plan.md", "plan.md"]


def test_a_token_that_may_not_read_gets_receipts_for_files(caller: Caller) -> None:
    caller("PUT", "files/a.md", {"content": "SECRET"})
    blind = caller.with_verbs(Verb.WRITE, Verb.FORGET)
    assert blind("GET", "files/a.md").status_code == blind("GET", "file-history/a.md").status_code == 403
    assert blind("GET", "files").status_code == 403
    assert blind("GET", "files?deleted=true").status_code == 403
    for answer in (
        blind("POST", "files/a.md", {"text": "x"}),
        blind("PATCH", "files/a.md", {"path": "b.md"}),
        blind("POST", "file-history/b.md", {"to_version": 1}),
        blind("PUT", "files/b.md", {"content": "x"}),
        blind("DELETE", "files/b.md"),
    ):
        assert (answer.status_code, set(answer.json())) == (200, {"id", "path", "version"}), answer.content
    assert blind("GET", "file-history/b.md").status_code == 403
    assert "current" not in blind("PUT", "files/b.md", {"content": "x"}, If_Match='"1"').json()


def test_a_file_says_its_workspace_and_shows_in_no_other(cast: Cast) -> None:
    agent = cast["writer"].agent
    assert agent
    blue, green = (Caller(agent, context={"workspace": slug}) for slug in ("blue", "green"))
    ours = blue("PUT", "files/a.md", {"content": "blue"}).json()
    assert ours["workspace_id"] == str(cast["writer"].actor().workspace_id)
    for other in (green, Caller(agent)):
        assert (paths(other), paths(other, "?text=blue")) == ([], [])
        assert other("PUT", "files/a.md", {"content": "other"}, If_None_Match="*").status_code == 201
        assert other("DELETE", "files/a.md").status_code == 200
        assert paths(other, "?deleted=true") == ["a.md"]
    assert blue("GET", "files/a.md").json() == ours
    assert paths(blue, "?deleted=true") == []
