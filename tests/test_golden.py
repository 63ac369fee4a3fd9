"""Golden questions: a team's own test of recall, asked every night and when somebody wants it."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from memories import operations
from memories.models import GoldenQuestion, GoldenRun, Memory, RecallLog, Scope, Usage
from memories.operations.golden_run import KEPT_RUNS, run_all_golden_questions, run_golden_questions
from memories.queries.golden import GoldenReport, GoldenResult, report_golden_questions
from memories.recall import log, recall
from memoryhub.errors import Forbidden, Invalid, NotFound
from teams import rights
from teams.actor import Actor
from teams.models import Membership, Person, Role, Team, Verb
from tests import factories
from tests.cast import Cast

pytestmark = pytest.mark.django_db

INSIGHTS_PAGE = "/t/acme/ops/insights/"
GOLDEN_API = "/api/v1/teams/acme/ops/golden-questions"
MONTHS = ("May", "June", "July", "August", "September", "October")
PUMP_QUERY = "When is the pump serviced?"


@pytest.fixture
def tester(eddy: User, team: Team) -> Actor:
    return rights.login_actor(user=eddy, team_id=team.pk)


def expect_memory(actor: Actor, memory: Memory, query: str = PUMP_QUERY, **context: Any) -> GoldenQuestion:
    return operations.add_golden_question(actor=actor, query=query, memory_id=memory.pk, **context)


def run_test(team: Team) -> None:
    run_golden_questions(team_id=team.pk, now=timezone.now())


def only_result(actor: Actor) -> GoldenResult:
    (result,) = report_golden_questions(actor=actor).results
    return result


def summarize_runs(report: GoldenReport) -> tuple[int, int, float | None]:
    return report.asked, report.found, report.precision


# Runs


def test_a_run_says_where_the_expected_memory_is(team: Team, bot: Actor, tester: Actor) -> None:
    pump = factories.memory(bot, "The pump is serviced in May.")
    lunch = factories.memory(bot, "Lunch is served at noon.")
    expect_memory(tester, pump)
    assert report_golden_questions(actor=tester).run_at is None
    run_test(team)
    assert only_result(tester).place == 1
    expect_memory(tester, lunch)
    run_test(team)
    report = report_golden_questions(actor=tester)
    assert {result.question.memory_id: result.place for result in report.results} == {pump.pk: 1, lunch.pk: 0}
    assert summarize_runs(report) == (2, 1, 1.0)
    assert (report.recall, report.recall_percent, report.precision_percent) == (0.5, 50, 100)


def test_precision_counts_what_was_not_expected(team: Team, bot: Actor, tester: Actor) -> None:
    for month in MONTHS:
        memory = factories.memory(bot, f"The pump number {month} is serviced in {month}.")
    expect_memory(tester, memory, "pump serviced in October")
    hits = recall(actor=bot, query="pump serviced in October", min_confidence="auto").hits
    run_test(team)
    report = report_golden_questions(actor=tester)
    assert summarize_runs(report) == (1, 1, 1 / len(hits[:5]))
    assert len(hits) > 1


def test_a_regression_is_what_the_run_before_found_first(team: Team, bot: Actor, tester: Actor) -> None:
    pump = factories.memory(bot, "The pump is serviced in May.")
    expect_memory(tester, pump)
    run_test(team)
    operations.update_memory(actor=tester, memory_id=pump.pk, content="Our logo is blue.")
    for month in MONTHS:
        factories.memory(bot, f"The pump number {month} is serviced in {month}.")
    run_test(team)
    assert only_result(tester).is_regression
    assert len(report_golden_questions(actor=tester).regressions) == 1
    run_test(team)
    assert not only_result(tester).is_regression
    assert only_result(tester).places == [0, 0, 1]
    assert summarize_runs(report_golden_questions(actor=tester)) == (1, 0, 0.0)


def test_a_successor_counts_and_what_is_forgotten_is_not_asked_for(team: Team, bot: Actor, tester: Actor) -> None:
    old = factories.memory(bot, "The pump is serviced in May.")
    new = factories.memory(bot, "The pump is serviced in June.")
    newest = factories.memory(bot, "The pump is serviced in July.")
    expect_memory(tester, old)
    operations.supersede_memory(actor=tester, memory_id=old.pk, by=new.pk)
    operations.supersede_memory(actor=tester, memory_id=new.pk, by=newest.pk)
    run_test(team)
    result = only_result(tester)
    assert result.memory
    assert (result.memory.pk, result.place) == (newest.pk, 1)
    operations.forget_memory(actor=tester, memory_id=newest.pk)
    run_test(team)
    result, report = only_result(tester), report_golden_questions(actor=tester)
    assert (result.memory, result.places, result.is_regression) == (None, [None, 1], False)
    assert summarize_runs(report) == (0, 0, None)


def test_a_run_leaves_no_trace_in_the_log_or_the_counts_of_use(team: Team, bot: Actor, tester: Actor) -> None:
    expect_memory(tester, factories.memory(bot, "The pump is serviced in May."))
    run_test(team)
    log.flush()
    assert not RecallLog.objects.exists()
    assert not Usage.objects.exists()


def test_the_nightly_job_asks_every_team_and_drops_what_was_removed(tester: Actor, bot: Actor, team: Team) -> None:
    other = factories.team(slug="other")
    theirs = factories.owner_actor(other)
    expect_memory(tester, factories.memory(bot, "The pump is serviced in May."))
    removed = expect_memory(tester, factories.memory(bot, "Lunch is served at noon."))
    operations.remove_golden_question(actor=tester, question_id=removed.pk, now=timezone.now() - timedelta(days=2))
    expect_memory(theirs, factories.memory(theirs, "The pump is serviced in June."))
    turns, after = [], ""
    while not turns or after:
        turn = run_all_golden_questions(now=timezone.now(), after=after, within=0)
        turns.append(turn)
        after = turn.go_on_after
    assert [turn.asked for turn in turns] == [1, 1, 0]
    assert not GoldenQuestion.objects.filter(pk=removed.pk).exists()
    call_command("job", "golden")
    assert GoldenRun.objects.count() == 4


def test_only_the_last_runs_are_kept(team: Team, bot: Actor, tester: Actor) -> None:
    expect_memory(tester, factories.memory(bot, "The pump is serviced in May."))
    for _ in range(KEPT_RUNS + 2):
        run_test(team)
    assert GoldenRun.objects.count() == KEPT_RUNS


# Contexts


def test_a_question_is_asked_with_what_is_read_in_its_context_alone(cast: Cast) -> None:
    editor = cast["editor"].actor()
    agents = cast["writer"].actor()
    project = factories.memory(agents, "The pump is serviced in May.", scope=Scope.PROJECT)
    own = factories.memory(agents, "The pump is serviced in June.", scope=Scope.AGENT)
    shared = factories.memory(agents, "The pump is serviced in July.")
    expect_memory(editor, project)
    expect_memory(editor, shared, audience=project.audience)
    with pytest.raises(Invalid, match="may not read this memory"):
        expect_memory(editor, project, audience=cast.ops.pk)
    with pytest.raises(Invalid, match="Only memories of this team"):
        expect_memory(cast["owner"].actor(), own)
    run_test(cast.ops)
    (golden_run,) = GoldenRun.objects.all()
    assert golden_run.audience == project.audience
    assert sorted(golden_run.places.values()) == [1, 2]
    assert golden_run.workspace_id == project.workspace_id


def test_questions_and_runs_are_told_to_those_who_read_their_audience(cast: Cast) -> None:
    membership = {"organization_id": cast.ops.organization_id, "team": cast.ops, "role": Role.EDITOR}
    Membership.objects.create(**membership, user=cast["mira"].user)
    editor = cast["editor"].actor()
    mira = rights.login_actor(user=cast["mira"].user, team_id=cast.ops.pk, workspace="blue")  # type: ignore[arg-type]
    person = Person.objects.get(handle="mira")
    memory = cast.memory(content="The pump is serviced in May.")
    question = expect_memory(mira, memory, audience=person.pk)
    run_test(cast.ops)
    assert len(report_golden_questions(actor=mira).results) == 1
    report = report_golden_questions(actor=editor)
    assert (report.results, summarize_runs(report)) == ([], (0, 0, None))
    for operate in (operations.remove_golden_question, operations.restore_golden_question):
        with pytest.raises(NotFound):
            operate(actor=editor, question_id=question.pk)
    with pytest.raises(NotFound):
        expect_memory(editor, memory, audience=person.pk)


# Changes


def test_a_question_is_there_once_and_comes_back(bot: Actor, tester: Actor) -> None:
    memory = factories.memory(bot, "The pump is serviced in May.")
    question = expect_memory(tester, memory)
    assert expect_memory(tester, memory, f"  {PUMP_QUERY} ").pk == question.pk
    operations.remove_golden_question(actor=tester, question_id=question.pk)
    assert report_golden_questions(actor=tester).results == []
    with pytest.raises(NotFound):
        operations.remove_golden_question(actor=tester, question_id=question.pk)
    operations.restore_golden_question(actor=tester, question_id=question.pk)
    assert only_result(tester).question.pk == question.pk
    operations.remove_golden_question(actor=tester, question_id=question.pk)
    assert expect_memory(tester, memory).pk == question.pk


def test_who_may_not_write_for_the_team_changes_nothing(team: Team, bot: Actor, tester: Actor) -> None:
    memory = factories.memory(bot, "The pump is serviced in May.")
    viewer = rights.login_actor(user=factories.member(team, Role.VIEWER), team_id=team.pk)
    reader = factories.actor(factories.agent(team), verbs=frozenset({Verb.READ}))
    question = expect_memory(tester, memory)
    for actor in (viewer, reader):
        for attempt in (
            lambda who: expect_memory(who, memory),
            lambda who: operations.remove_golden_question(actor=who, question_id=question.pk),
            lambda who: operations.restore_golden_question(actor=who, question_id=question.pk),
            lambda who: operations.request_golden_run(actor=who),
        ):
            with pytest.raises(Forbidden):
                attempt(actor)
    with pytest.raises(NotFound):
        expect_memory(tester, factories.memory(factories.actor(), "Theirs."))


@pytest.mark.parametrize("query", ["", "  ", "x" * 501, "\0"])
def test_a_question_needs_words_but_not_too_many(bot: Actor, tester: Actor, query: str) -> None:
    memory = factories.memory(bot, "The pump is serviced in May.")
    with pytest.raises(Invalid):
        expect_memory(tester, memory, query)


def test_agents_questions_are_screened_for_secrets_but_are_no_orders(bot: Actor) -> None:
    memory, key = factories.memory(bot, "The boxes are in the attic."), "AKIA" + "QYLPMN5HFIQR7XYA"
    assert expect_memory(bot, memory, "Where are the boxes?").query == "Where are the boxes?"
    assert key not in expect_memory(bot, memory, f"Where is {key} used?").query


def test_a_team_has_a_bounded_number(bot: Actor, tester: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.operations.golden.MOST_GOLDEN_QUESTIONS", 1)
    first, second = (factories.memory(bot, text) for text in ("The pump is loud.", "The crane is new."))
    question = expect_memory(tester, first)
    with pytest.raises(Invalid, match="at most 1 golden"):
        expect_memory(tester, second)
    operations.remove_golden_question(actor=tester, question_id=question.pk)
    expect_memory(tester, second)
    with pytest.raises(Invalid, match="at most 1 golden"):
        operations.restore_golden_question(actor=tester, question_id=question.pk)


def test_a_purge_takes_the_question_along(team: Team, bot: Actor) -> None:
    memory, owner = factories.memory(bot, "The pump is serviced in May."), factories.owner_actor(team)
    expect_memory(owner, memory)
    operations.purge_memory(actor=owner, memory_id=memory.pk)
    assert not GoldenQuestion.objects.exists()


# Doors


def test_people_make_and_run_the_test_in_the_browser(
    editor: Client, viewer: Client, bot: Actor, django_capture_on_commit_callbacks: Any
) -> None:
    memory = factories.memory(bot, "The pump is serviced in May.", key="pump")
    recall(actor=bot, query=PUMP_QUERY)
    log.flush()
    asked = RecallLog.objects.get()
    assert "No golden questions yet" in viewer.get(INSIGHTS_PAGE).text
    choice = f"{INSIGHTS_PAGE}golden/new/?recall={asked.pk}"
    assert choice.replace("&", "&amp;") in editor.get("/t/acme/ops/activity/recalls/").text
    page = editor.get(choice).text
    assert PUMP_QUERY in page
    assert str(memory.pk) in page
    sent = {"query": PUMP_QUERY, "audience": str(asked.audience), "memory": str(memory.pk), "next": choice}
    answer = editor.post(f"{INSIGHTS_PAGE}golden/add/", sent, follow=True)
    assert "It is a golden question now" in answer.text
    assert "They have not been asked yet" in answer.text
    with django_capture_on_commit_callbacks(execute=True):
        assert "A worker asks them now" in editor.post(f"{INSIGHTS_PAGE}golden/run/", {}, follow=True).text
    done = editor.get(INSIGHTS_PAGE).text
    assert "100 %" in done
    assert "number 1" in done
    question = GoldenQuestion.objects.get()
    editor.post(f"{INSIGHTS_PAGE}golden/{question.pk}/remove/")
    assert "No golden questions yet" in editor.get(INSIGHTS_PAGE).text
    editor.post(f"{INSIGHTS_PAGE}golden/{question.pk}/restore/")
    seen = viewer.get(INSIGHTS_PAGE).text
    assert PUMP_QUERY in seen
    assert "golden/run/" not in seen
    assert viewer.get(choice).status_code == 403
    assert editor.get(f"{INSIGHTS_PAGE}golden/new/?recall={memory.pk}").status_code == 404
    assert editor.get(f"{INSIGHTS_PAGE}golden/new/?recall=x").status_code == 404
    editor.post(f"{INSIGHTS_PAGE}golden/add/", sent | {"memory": ""})
    assert GoldenQuestion.objects.count() == 1


def test_other_pages_offer_to_make_a_question_golden(editor: Client, bot: Actor) -> None:
    memory = factories.memory(bot, "The pump is serviced in May.", key="pump")
    page = editor.get(f"/t/acme/ops/recall/?query=crane&why={memory.pk}").text
    assert "This should have been found" in page
    recall(actor=bot, query="crane hook", mode="keyword")
    log.flush()
    page = editor.get("/t/acme/ops/activity/questions/").text
    assert f"golden/new/?query=crane%20hook&amp;audience={bot.team_id}" in page
    assert editor.get(f"{INSIGHTS_PAGE}golden/new/?query=crane&find=pump").context["candidates"] == [memory]
    assert editor.get(f"{INSIGHTS_PAGE}golden/new/").context["candidates"] == []


def test_people_make_and_run_the_test_by_rest(
    editor: Client, viewer: Client, client: Client, bot: Actor, django_capture_on_commit_callbacks: Any
) -> None:
    memory = factories.memory(bot, "The pump is serviced in May.")
    post = {"content_type": "application/json"}
    made = editor.post(GOLDEN_API, {"query": PUMP_QUERY, "memory_id": str(memory.pk)}, **post)
    assert made.status_code == 200, made.content
    with django_capture_on_commit_callbacks(execute=True):
        assert editor.post(f"{GOLDEN_API}/run", {}, **post).json() == {"queued": True}
    report = viewer.get(GOLDEN_API).json()
    assert (report["recall_at_5"], report["asked"], report["found"], report["regressions"]) == (1.0, 1, 1, 0)
    assert (report["results"][0]["place"], report["results"][0]["memory"]["id"]) == (1, str(memory.pk))
    address = f"{GOLDEN_API}/{made.json()['id']}"
    assert viewer.delete(address).status_code == 403
    assert editor.delete(address).json()["query"] == PUMP_QUERY
    assert editor.delete(address).status_code == 404
    assert viewer.get(GOLDEN_API).json()["results"] == []
    assert editor.post(f"{address}/restore", {}, **post).status_code == 200
    assert editor.post(GOLDEN_API, {"query": "", "memory_id": str(memory.pk)}, **post).status_code == 400
    assert client.get(GOLDEN_API).status_code == 401


def test_one_page_takes_the_same_statements_however_many_questions(
    editor: Client, bot: Actor, tester: Actor, team: Team, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        expect_memory(tester, factories.memory(bot, f"The pump number {number} is loud."), f"pump number {number}")
    run_test(team)
    with django_assert_max_num_queries(14):
        assert len(editor.get(INSIGHTS_PAGE).context["golden"].results) == 12
