"""The dialect files: Anthropic's memory tool, as it is documented, over the team's files."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from memories import operations
from memories.models import FileVersion, TeamFile
from memories.operations import files
from memories.tools import tool
from memories.tools.files import (
    MOST_NAMED,
    SEARCHED,
    _directory,
    _enumerate_lines,
    _limit_searches,
    _lines_with,
)
from teams.actor import Actor
from teams.models import Agent, Organization, Verb
from tests import factories, tools
from tests.cast import Cast
from tests.effort import cpu_seconds
from tests.test_races import at_once

LISTING = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items:\n"


def run_files_command(actor: Actor, command: str, **arguments: Any) -> str:
    answer = tools.result(actor, f"files/{command}", arguments)
    assert set(answer) == {"content"}
    return str(answer["content"])


def refuse_files_command(actor: Actor, command: str, **arguments: Any) -> tuple[int, str]:
    status, _, sentence = tools.refusal(actor, f"files/{command}", arguments)
    return status, sentence


def make(actor: Actor, path: str, text: str = "x") -> None:
    run_files_command(actor, "create", path=path, file_text=text)


def content(actor: Actor, path: str) -> str:
    return TeamFile.objects.alive().get(team=actor.team_id, path=path).content


def test_a_new_memory_is_an_empty_directory(writer: Actor) -> None:
    assert run_files_command(writer, "view", path="/memories") == LISTING.format("/memories") + "0B\t/memories"


def test_a_directory_shows_two_levels_with_sizes(writer: Actor) -> None:
    make(writer, "/memories/customer_service_guidelines.xml", "x" * 1536)
    make(writer, "/memories/projects/apollo/plan.md", "y" * 100)
    make(writer, "/memories/projects/readme.md", "é")
    for hidden in (".secret/a.md", "projects/.draft"):
        files.write_file(actor=writer, path=hidden, content="z" * 5000)
    assert run_files_command(writer, "view", path="/memories/") == LISTING.format("/memories") + "\n".join(
        [
            "1.6K\t/memories",
            "1.5K\t/memories/customer_service_guidelines.xml",
            "102B\t/memories/projects/",
            "100B\t/memories/projects/apollo/",
            "2B\t/memories/projects/readme.md",
        ]
    )
    assert run_files_command(writer, "view", path="/memories/projects") == LISTING.format(
        "/memories/projects"
    ) + "\n".join(
        [
            "102B\t/memories/projects",
            "100B\t/memories/projects/apollo/",
            "100B\t/memories/projects/apollo/plan.md",
            "2B\t/memories/projects/readme.md",
        ]
    )
    make(writer, "/memories/big.txt", "x" * (1024 * 1024))
    assert "1M\t/memories/big.txt" in run_files_command(writer, "view", path="/memories")


def test_a_file_shows_numbered_lines(writer: Actor) -> None:
    make(writer, "/memories/notes.txt", "Hello World\nThis is line two\n" + "\n".join(map(str, range(3, 101))))
    shown = run_files_command(writer, "view", path="/memories/notes.txt").split("\n")
    assert shown[:3] == [
        "Here's the content of /memories/notes.txt with line numbers:",
        "     1\tHello World",
        "     2\tThis is line two",
    ]
    assert (shown[100], len(shown)) == ("   100\t100", 101)


@pytest.mark.parametrize(
    ("view_range", "shown"),
    [
        ([2, 3], "     2\tb\n     3\tc"),
        ([3, -1], "     3\tc\n     4\td\n     5\t"),
        ([4, 99], "     4\td\n     5\t"),
        ([1, 1], "     1\ta"),
        ([0, 1], "     1\ta"),
        ([3, 2], ""),
        ([7, -1], ""),
        ([2], "     1\ta\n     2\tb\n     3\tc\n     4\td\n     5\t"),
    ],
)
def test_a_range_shows_some_lines(writer: Actor, view_range: list[int], shown: str) -> None:
    make(writer, "/memories/a.txt", "a\nb\nc\nd\n")
    seen = run_files_command(writer, "view", path="/memories/a.txt", view_range=view_range)
    assert seen == f"Here's the content of /memories/a.txt with line numbers:\n{shown}"


def test_a_directory_takes_a_range_as_the_documented_call_has_one(writer: Actor) -> None:
    assert run_files_command(writer, "view", path="/memories", view_range=[1, 10]).endswith("0B\t/memories")


def test_a_file_of_too_many_lines_is_not_shown(writer: Actor) -> None:
    files.write_file(actor=writer, path="huge.txt", content="\n" * 1_000_000)
    sentence = "File /memories/huge.txt exceeds maximum line limit of 999,999 lines."
    assert refuse_files_command(writer, "view", path="/memories/huge.txt") == (400, sentence)


def test_create_makes_a_file_once(writer: Actor) -> None:
    text = "Meeting notes:\n- Discussed project timeline\n- Next steps defined\n"
    made = run_files_command(writer, "create", path="/memories/notes.txt", file_text=text)
    assert made == "File created successfully at: /memories/notes.txt"
    assert content(writer, "notes.txt") == text
    again = refuse_files_command(writer, "create", path="/memories/notes.txt", file_text="other")
    assert again == (409, "File /memories/notes.txt already exists")
    assert content(writer, "notes.txt") == text


def test_a_name_is_a_files_or_a_directorys(writer: Actor) -> None:
    make(writer, "/memories/a/b.txt")
    assert refuse_files_command(writer, "create", path="/memories/a", file_text="x")[0] == 409
    assert refuse_files_command(writer, "create", path="/memories/a/b.txt/c.txt", file_text="x")[0] == 400
    assert TeamFile.objects.count() == 1


def test_str_replace_shows_what_it_did(writer: Actor) -> None:
    make(writer, "/memories/preferences.txt", "1\n2\n3\nFavorite color: blue\n5\n6\n7\n")
    told = run_files_command(
        writer,
        "str_replace",
        path="/memories/preferences.txt",
        old_str="Favorite color: blue",
        new_str="Favorite color: green\nFavorite number: 4",
    )
    assert told == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\t2\n     3\t3\n     4\tFavorite color: green\n     5\tFavorite number: 4\n     6\t5"
    )
    assert content(writer, "preferences.txt") == "1\n2\n3\nFavorite color: green\nFavorite number: 4\n5\n6\n7\n"
    assert FileVersion.objects.count() == 2


def test_str_replace_wants_a_text_that_is_there_once(writer: Actor) -> None:
    make(writer, "/memories/a.txt", "Hello\nMiddle Hello Hello\nlast")
    assert refuse_files_command(writer, "str_replace", path="/memories/a.txt", old_str="hello", new_str="x") == (
        400,
        "No replacement was performed, old_str `hello` did not appear verbatim in /memories/a.txt.",
    )
    assert refuse_files_command(writer, "str_replace", path="/memories/a.txt", old_str="Hello", new_str="x") == (
        400,
        "No replacement was performed. Multiple occurrences of old_str `Hello` in lines: 1, 2, 2. "
        "Please ensure it is unique",
    )
    assert refuse_files_command(writer, "str_replace", path="/memories/a.txt", old_str="", new_str="x")[0] == 400
    assert content(writer, "a.txt") == "Hello\nMiddle Hello Hello\nlast"


def test_str_replace_lists_the_first_hundred_lines(writer: Actor) -> None:
    make(writer, "/memories/a.txt", "a\n" * 101)
    make(writer, "/memories/b.txt", "a\n" * 100)
    numbers = ", ".join(map(str, range(1, 101)))
    for path, listed in (("/memories/a.txt", f"{numbers}, …."), ("/memories/b.txt", f"{numbers}.")):
        sentence = refuse_files_command(writer, "str_replace", path=path, old_str="a", new_str="x")[1]
        assert sentence.endswith(f"in lines: {listed} Please ensure it is unique")


@pytest.mark.parametrize("old", ["a", "aa\n", "a" * 20, "a" * 25_000], ids=["one", "lines", "some", "many"])
def test_str_replace_takes_no_longer_in_a_text_that_repeats_itself(writer: Actor, old: str) -> None:
    make(writer, "/memories/worst.txt", (old + "a" * 50_000)[:50_000] if old != "aa\n" else old * 17_000)
    make(writer, "/memories/ordinary.txt", f"Berth 7 is closed.\n{'Tides are told daily.' * 2_000} Berth 7 is open.")

    def replace(path: str, text: str) -> None:
        assert refuse_files_command(writer, "str_replace", path=path, old_str=text, new_str="x")[0] == 400

    ordinary = cpu_seconds(lambda: replace("/memories/ordinary.txt", "Berth 7 is"))
    assert cpu_seconds(lambda: replace("/memories/worst.txt", old)) < 6 * ordinary


@pytest.mark.parametrize("length", [1, 20, 1_000, 10_000, 150_000])
def test_a_refusal_searches_for_no_more_of_a_long_text_than_of_a_short_one(length: int) -> None:
    listed = _limit_searches("a" * length)
    assert 1 <= listed <= MOST_NAMED
    assert listed * length <= max(SEARCHED, length)
    numbers = _enumerate_lines(_lines_with("a" * length, "a" * 300_000), most=listed)
    assert numbers == ", ".join(["1"] * listed + ["…"])


def test_str_replace_takes_what_overlaps_itself_for_one(writer: Actor) -> None:
    make(writer, "/memories/a.txt", "b\naaa")
    run_files_command(writer, "str_replace", path="/memories/a.txt", old_str="aa", new_str="x")
    assert content(writer, "a.txt") == "b\nxa"


def test_a_directory_of_deep_paths_takes_no_longer_than_others() -> None:
    deep = {f"{'a/' * 240}{number}": 1 for number in range(1_000)}
    wide = {f"a/{'a' * 478}{number}": 1 for number in range(1_000)}
    ordinary = cpu_seconds(lambda: _directory("", wide))
    assert cpu_seconds(lambda: _directory("", deep)) < 10 * ordinary


def test_str_replace_without_a_new_text_deletes_the_old(writer: Actor) -> None:
    make(writer, "/memories/a.txt", "keep drop")
    run_files_command(writer, "str_replace", path="/memories/a.txt", old_str=" drop")
    assert content(writer, "a.txt") == "keep"


@pytest.mark.parametrize(
    ("before", "line", "text", "after"),
    [
        ("Line 1\nLine 2", 1, "Inserted", "Line 1\nInserted\nLine 2\n"),
        ("Line 1\nLine 2\n", 0, "First\n", "First\nLine 1\nLine 2\n"),
        ("Line 1\nLine 2", 2, "Last", "Line 1\nLine 2\nLast\n"),
        ("Line 1\n", 1, "- Review memory tool documentation\n", "Line 1\n- Review memory tool documentation\n"),
        ("a\n\nb\n", 2, "one\n\ntwo\n", "a\n\none\n\ntwo\nb\n"),
        ("", 0, "x", "x\n"),
    ],
)
def test_insert_puts_lines_after_a_line(writer: Actor, before: str, line: int, text: str, after: str) -> None:
    make(writer, "/memories/todo.txt", before)
    told = run_files_command(writer, "insert", path="/memories/todo.txt", insert_line=line, insert_text=text)
    assert told == "The file /memories/todo.txt has been edited."
    assert content(writer, "todo.txt") == after


def test_insert_stays_within_the_file(writer: Actor) -> None:
    make(writer, "/memories/todo.txt", "a\nb\n")
    assert refuse_files_command(writer, "insert", path="/memories/todo.txt", insert_line=3, insert_text="x") == (
        400,
        "Invalid `insert_line` parameter: 3. It should be within the range [0, 2].",
    )
    assert refuse_files_command(writer, "insert", path="/memories/todo.txt", insert_line=-1, insert_text="x")[0] == 400


def test_delete_takes_a_file_or_a_directory_with_all_in_it(writer: Actor) -> None:
    for path in ("old_file.txt", "dir/a.txt", "dir/deep/b.txt", "directory.txt"):
        make(writer, f"/memories/{path}")
    assert (
        run_files_command(writer, "delete", path="/memories/old_file.txt")
        == "Successfully deleted /memories/old_file.txt"
    )
    assert run_files_command(writer, "delete", path="/memories/dir") == "Successfully deleted /memories/dir"
    assert list(TeamFile.objects.alive().values_list("path", flat=True)) == ["directory.txt"]
    assert refuse_files_command(writer, "delete", path="/memories/dir") == (
        404,
        "The path /memories/dir does not exist",
    )
    assert refuse_files_command(writer, "delete", path="/memories") == (
        400,
        "Cannot delete the /memories directory itself",
    )


def test_rename_moves_a_file_or_a_directory(writer: Actor) -> None:
    for path in ("draft.txt", "customers/ana/notes.md", "customers/bo.md"):
        make(writer, f"/memories/{path}")
    told = run_files_command(writer, "rename", old_path="/memories/draft.txt", new_path="/memories/deep/final.txt")
    assert told == "Successfully renamed /memories/draft.txt to /memories/deep/final.txt"
    run_files_command(writer, "rename", old_path="/memories/customers", new_path="/memories/people")
    paths = set(TeamFile.objects.alive().values_list("path", flat=True))
    assert paths == {"deep/final.txt", "people/ana/notes.md", "people/bo.md"}


def test_a_directory_of_too_many_bytes_is_moved_and_deleted_in_parts(
    writer: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BRANCH_BYTES", 100)
    for path in ("notes/a.txt", "notes/b.txt"):
        make(writer, f"/memories/{path}", "x" * 60)
    sentence = "At most 100 bytes of files at once; these are 120. Do it in parts."
    moving = tools.call(writer, "files/rename", {"old_path": "/memories/notes", "new_path": "/memories/people"})
    deleting = tools.call(writer, "files/delete", {"path": "/memories/notes"})
    for response in (moving, deleting):
        assert (response.status_code, response.json()["fields"]) == (413, {"path": sentence})
    assert set(FileVersion.objects.values_list("version", flat=True)) == {1}
    assert run_files_command(writer, "delete", path="/memories/notes/a.txt")
    assert run_files_command(writer, "rename", old_path="/memories/notes", new_path="/memories/people")


def test_rename_overwrites_nothing(writer: Actor) -> None:
    for path in ("a.txt", "b.txt", "dir/c.txt", "other/c.txt"):
        make(writer, f"/memories/{path}", path)
    for old, new in (("a.txt", "b.txt"), ("a.txt", "dir"), ("dir", "other"), ("a.txt", "a.txt"), ("a.txt", "")):
        told = refuse_files_command(writer, "rename", old_path=f"/memories/{old}", new_path=f"/memories/{new}")
        assert told == (409, f"The destination /memories/{new} already exists")
    assert refuse_files_command(writer, "rename", old_path="/memories/dir", new_path="/memories/dir/in")[0] == 400
    assert (
        refuse_files_command(writer, "rename", old_path="/memories/a.txt", new_path="/memories/b.txt/a.txt")[0] == 400
    )
    assert refuse_files_command(writer, "rename", old_path="/memories/no", new_path="/memories/yes") == (
        404,
        "The path /memories/no does not exist",
    )
    assert {(file.path, file.content, file.version) for file in TeamFile.objects.all()} == {
        (path, path, 1) for path in ("a.txt", "b.txt", "dir/c.txt", "other/c.txt")
    }


@pytest.mark.parametrize(
    ("command", "arguments", "sentence"),
    [
        ("view", {}, "The path {} does not exist. Please provide a valid path."),
        ("str_replace", {"old_str": "a"}, "The path {} does not exist. Please provide a valid path."),
        ("insert", {"insert_line": 0, "insert_text": "a"}, "The path {} does not exist. Please provide a valid path."),
        ("delete", {}, "The path {} does not exist"),
    ],
)
def test_what_is_not_there_is_told(writer: Actor, command: str, arguments: dict[str, Any], sentence: str) -> None:
    make(writer, "/memories/dir/a.txt")
    path = "/memories/nonexistent.txt"
    assert refuse_files_command(writer, command, path=path, **arguments) == (404, sentence.format(path))
    if command in ("str_replace", "insert"):  # a directory is no file
        assert refuse_files_command(writer, command, path="/memories/dir", **arguments) == (
            400,
            "The path /memories/dir is not a file.",
        )


ESCAPES = [
    *("/memories/../secrets.txt", "/memories/a/../../b", "/memories/..", "/etc/passwd", "/", "", "memories/a.txt"),
    *("/memoriesX/a", "../memories/a", "/memories/%2e%2e%2fetc", "/memories/..%2f..%2fetc", "/memories/..\\a"),
    *("/memories//a.txt", "/memories/./a.txt", "/memories/a\\b.txt", "/memories/a\nb", "/memories/" + "x" * 501),
]


@pytest.mark.parametrize("path", ESCAPES)
def test_no_path_leads_out_of_the_memory(writer: Actor, path: str) -> None:
    make(writer, "/memories/a.txt")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("view", {"path": path}),
        ("create", {"path": path, "file_text": "x"}),
        ("str_replace", {"path": path, "old_str": "x"}),
        ("insert", {"path": path, "insert_line": 0, "insert_text": "x"}),
        ("delete", {"path": path}),
        ("rename", {"old_path": path, "new_path": "/memories/b.txt"}),
        ("rename", {"old_path": "/memories/a.txt", "new_path": path}),
    ]
    for command, arguments in calls:
        assert refuse_files_command(writer, command, **arguments)[0] == 400, (command, path)
    assert [(file.path, file.version) for file in TeamFile.objects.all()] == [("a.txt", 1)]


def test_each_team_has_its_own_files(cast: Cast) -> None:
    ops, sales, elsewhere = (factories.actor(cast[name].agent) for name in ("writer", "stranger", "outsider"))
    chief = factories.actor(factories.agent(cast.executive, "chief"))
    director = factories.actor(cast["director"].agent)
    for actor in (ops, sales, elsewhere, chief):
        make(actor, "/memories/plan.md", f"of {actor.team_id}")
    for actor in (ops, sales, elsewhere, director):
        assert f"of {actor.team_id}" in run_files_command(actor, "view", path="/memories/plan.md")
        assert run_files_command(actor, "view", path="/memories").count("plan.md") == 1
    run_files_command(sales, "delete", path="/memories/plan.md")
    assert TeamFile.objects.alive().count() == 3


@pytest.mark.parametrize(
    ("command", "arguments", "verbs"),
    [
        ("view", {"path": "/memories/a.txt"}, {Verb.READ}),
        ("view", {"path": "/memories"}, {Verb.READ}),
        ("create", {"path": "/memories/b.txt", "file_text": "x"}, {Verb.WRITE}),
        ("str_replace", {"path": "/memories/a.txt", "old_str": "x"}, {Verb.READ, Verb.WRITE}),
        ("insert", {"path": "/memories/a.txt", "insert_line": 0, "insert_text": "x"}, {Verb.READ, Verb.WRITE}),
        ("rename", {"old_path": "/memories/a.txt", "new_path": "/memories/b.txt"}, {Verb.WRITE}),
        ("delete", {"path": "/memories/a.txt"}, {Verb.FORGET}),
    ],
)
def test_the_verbs_of_the_token_decide_in_the_files_dialect(
    writer: Actor, command: str, arguments: dict[str, Any], verbs: set[Verb]
) -> None:
    make(writer, "/memories/a.txt")
    for verb in verbs:
        others = tuple(other for other in Verb if other != verb)
        assert tools.refusal(writer, f"files/{command}", arguments, verbs=others)[:2] == (403, "forbidden")
    assert tools.call(writer, f"files/{command}", arguments, verbs=tuple(verbs)).status_code == 200


def test_a_token_that_may_not_write_is_not_told_what_is_there(writer: Actor) -> None:
    make(writer, "/memories/a.txt")
    again = {"path": "/memories/a.txt", "file_text": "x"}
    assert tools.refusal(writer, "files/create", again, verbs=(Verb.FORGET,))[:2] == (403, "forbidden")


def test_a_file_is_a_mebibyte_at_most(writer: Actor) -> None:
    arguments = {"path": "/memories/a.txt", "file_text": "x" * (1024 * 1024 + 1)}
    assert tools.refusal(writer, "files/create", arguments)[:2] == (413, "too_large")
    make(writer, "/memories/a.txt", "x" * (1024 * 1024))
    more = {"path": "/memories/a.txt", "insert_line": 0, "insert_text": "x"}
    assert tools.refusal(writer, "files/insert", more)[:2] == (413, "too_large")


def test_a_directory_costs_the_same_however_much_is_in_it(
    writer: Actor, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(3):
        files.write_file(actor=writer, path=f"dir/{number}.txt", content="x")
        with django_assert_num_queries(2):
            tool("files", "view").run(actor=writer, arguments={"path": "/memories"})


@pytest.mark.django_db(transaction=True)
def test_twenty_that_insert_at_once_lose_nothing(transactional_db: None) -> None:
    writer = factories.actor()
    files.write_file(actor=writer, path="log.txt", content="start\n")
    arguments = {"path": "/memories/log.txt", "insert_line": 1}
    inserted = tool("files", "insert")
    at_once(20, lambda n: inserted.run(actor=writer, arguments={**arguments, "insert_text": f"line {n}"}))
    lines = content(writer, "log.txt").splitlines()
    assert (lines[0], sorted(lines[1:])) == ("start", sorted(f"line {n}" for n in range(20)))
    assert TeamFile.objects.get().version == 21


def test_an_edit_never_overwrites_a_file_that_took_the_place_of_the_one_it_read(writer: Actor) -> None:
    make(writer, "/memories/plan.txt", "Paint the boat.")

    def replace_it_once(text: str) -> str:
        if text == "Paint the boat.":
            files.delete_file(actor=writer, path="plan.txt")
            files.write_file(actor=writer, path="plan.txt", content="Sell the boat.")  # at version 1 again
        return text.replace("boat", "ship")

    operations.folders.edit_file(actor=writer, path="plan.txt", change=replace_it_once)
    assert content(writer, "plan.txt") == "Sell the ship."


@pytest.mark.django_db(transaction=True)
def test_of_twenty_that_create_a_file_one_wins(transactional_db: None) -> None:
    writer, made = factories.actor(), tool("files", "create")
    results = at_once(20, lambda n: made.run(actor=writer, arguments={"path": "/memories/a", "file_text": f"{n}"}))
    assert sum(isinstance(result, dict) for result in results) == 1
    assert TeamFile.objects.get().version == 1


def test_each_workspace_has_its_own_tree(cast: Cast) -> None:
    member, blue, green = cast["writer"], {"workspace": "blue"}, {"workspace": "green"}

    def ask(command: str, workspace: dict[str, str], **arguments: Any) -> int:
        return tools.call_tool_api(member.token(), f"files/{command}", arguments, **workspace)[0]

    assert ask("create", blue, path="/memories/notes", file_text="blue") == 200
    before = TeamFile.objects.values().get()
    for command, arguments in (
        ("view", {"path": "/memories/notes"}),
        ("str_replace", {"path": "/memories/notes", "old_str": "blue", "new_str": "red"}),
        ("insert", {"path": "/memories/notes", "insert_line": 0, "insert_text": "red"}),
        ("rename", {"old_path": "/memories/notes", "new_path": "/memories/b"}),
        ("delete", {"path": "/memories/notes"}),
    ):
        assert ask(command, green, **arguments) == 404, command
    assert ask("create", green, path="/memories/notes/a.md", file_text="a file in one, a directory in the other") == 200
    assert ask("create", blue, path="/memories/notes/a.md", file_text="x") == 400
    assert ask("rename", green, old_path="/memories/notes/a.md", new_path="/memories/notes") == 409
    assert ask("delete", green, path="/memories/notes") == 200
    assert list(TeamFile.objects.alive().values()) == [before]


def test_without_workspaces_a_path_shows_once_and_is_deleted_whole(cast: Cast) -> None:
    for name in ("writer", "elsewhere"):
        files.write_file(actor=cast[name].actor(), path="notes/a.md", content=name)
    Organization.objects.update(workspaces_enabled=False)
    actor = factories.actor(Agent.objects.select_related("team__organization").get(slug="writer"))
    assert run_files_command(actor, "view", path="/memories/notes/a.md").endswith("\telsewhere")
    assert run_files_command(actor, "view", path="/memories/notes").endswith("9B\t/memories/notes/a.md")
    run_files_command(actor, "rename", old_path="/memories/notes", new_path="/memories/new")
    assert run_files_command(actor, "view", path="/memories/notes/a.md").endswith("\twriter")
    TeamFile.objects.filter(path="new/a.md").update(path="notes/a.md")
    run_files_command(actor, "delete", path="/memories/notes/a.md")
    assert not TeamFile.objects.alive().exists()
