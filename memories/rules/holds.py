"""What a legal hold covers. Whatever destroys something asks here first.

A hold covers what matches all that it names. What a memory or a file once was counts as what it is: nobody frees it by
another key, category or audience.
"""

from typing import Any

from django.db.models import Exists, ExpressionWrapper, F, Func, OuterRef, Q, TextField

from memories.models import FileVersion, LegalHold, LegalHoldQuerySet, Memory, RecallLog, Revision

ANY_TEAM, ANY_PERSON = Q(team=None), Q(person=None)
ANY_SUBJECT = Q(category="", key_prefix="")


def match_held_memories(prefix: str = "") -> Q:
    """Match the memories that are held; with a prefix such as `memory__`, the rows that belong to held memories."""

    def once_had(**values: Any) -> Exists:
        memory = {"organization": OuterRef("organization"), "memory": OuterRef(OuterRef(f"{prefix}pk"))}
        return Exists(Revision.objects.filter(**memory, **values))

    holds = _active_holds(prefix).alias(held_key=_refer_to(f"{prefix}key"))
    return Q(
        Exists(
            holds.filter(
                ANY_TEAM | Q(team=OuterRef(f"{prefix}team")) | Q(once_had(audience=OuterRef("team"))),
                ANY_PERSON
                | Q(person=OuterRef(f"{prefix}person"))
                | Q(person=OuterRef(f"{prefix}session__person"))
                | Q(once_had(audience=OuterRef("person"))),
                Q(category="") | Q(category=OuterRef(f"{prefix}category")) | Q(once_had(category=OuterRef("category"))),
                Q(key_prefix="")
                | Q(held_key__startswith=F("key_prefix"))
                | Q(once_had(key__startswith=OuterRef("key_prefix"))),
            )
        )
    )


def match_held_files(prefix: str = "") -> Q:
    """Match the files that are held, among them the conversations whose memory is; with the prefix `file__`, their
    versions."""
    once_there = FileVersion.objects.filter(
        organization=OuterRef("organization"),
        file=OuterRef(OuterRef(f"{prefix}pk")),
        path__startswith=OuterRef("key_prefix"),
    )
    holds = _active_holds(prefix).alias(held_path=_refer_to(f"{prefix}path"))
    named = holds.filter(
        ANY_TEAM | Q(team=OuterRef(f"{prefix}team")),
        Q(key_prefix="") | Q(held_path__startswith=F("key_prefix")) | Q(Exists(once_there)),
        ANY_PERSON,
        category="",
    )
    archived = Memory.objects.filter(
        match_held_memories(),
        organization=OuterRef(f"{prefix}organization"),
        audience=OuterRef(f"{prefix}team"),
        key=OuterRef(f"{prefix}path"),
    )
    return Q(Exists(named)) | _in_held_organization(prefix) & Q(Exists(archived))


def match_held_questions() -> Q:
    """Match what was asked in a team, or in a person's context, that is held: recalls and settled questions."""
    holds = _active_holds("").filter(
        ANY_SUBJECT, ANY_TEAM | Q(team=OuterRef("team")), ANY_PERSON | Q(person=OuterRef("audience"))
    )
    return Q(Exists(holds))


def match_held_recalls() -> Q:
    """Match the recalls that are held: by who asked, or because they returned a memory that is."""
    in_session = _active_holds("").filter(
        ANY_SUBJECT, ANY_TEAM | Q(team=OuterRef("team")), person=OuterRef("session__person")
    )
    returned = RecallLog.objects.filter(pk=OuterRef(OuterRef("pk")))
    memories = Memory.objects.filter(
        match_held_memories(),
        organization=OuterRef("organization"),
        pk__in=returned.values_list(Func("memory_ids", function="unnest")),
    )
    return match_held_questions() | _in_held_organization("") & (Q(Exists(in_session)) | Q(Exists(memories)))


def _active_holds(prefix: str) -> LegalHoldQuerySet:
    return LegalHold.objects.active().filter(organization=OuterRef(f"{prefix}organization"))


def _in_held_organization(prefix: str) -> Q:
    """Match the rows of organizations with any hold: the others are spared the costlier question."""
    return Q(**{f"{prefix}organization__in": LegalHold.objects.active().values("organization")})


def _refer_to(column: str) -> "ExpressionWrapper[Any]":
    return ExpressionWrapper(OuterRef(column), output_field=TextField())
