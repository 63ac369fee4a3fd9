"""Checks of the values in an archive's rows: each must fit its column, and be as the hub itself would have saved it."""

import re
import sys
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeAlias
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.dateparse import parse_datetime

from memories.models import MOMENT_ARGUMENTS, Proposal, ProposedOperation
from memories.rules import fields
from memories.rules.fields import BadField
from memories.transfer.exported_tables import ArchiveRow, Table
from memoryhub.errors import Invalid

Check = Callable[[Any], object]
Field: TypeAlias = "models.Field[Any, Any]"
USERNAME_LENGTH = 150
BYTES = re.compile(r"\\x([0-9a-f]{2})*")  # as Postgres writes them

# What operations ask of these beyond what the column says.
CHECKS_BY_NAME: Mapping[str, Check] = {
    "metadata": fields.clean_metadata,
    "path": fields.clean_file_path,
    "url": fields.clean_url,
    "file_path": lambda value: value and fields.clean_file_path(value),
    "description": fields.clean_body,  # one that was read from a folder may be longer than the form takes
}


def check_row(table: Table, row: ArchiveRow) -> None:
    """Refuse a row with columns or values that this hub would not have written."""
    if strange := sorted(row.keys() - table.fields.keys()):
        raise Invalid({"archive": f"{table.name} has {', '.join(strange)} there, which this MemoryHub does not know."})
    checks = _checks_of_table(table)
    for name, value in row.items():
        try:
            checks[name](value)
        except (ValueError, OverflowError) as error:
            sentence = str(error) if isinstance(error, BadField) else "This is not what such a column holds."
            raise Invalid({"archive": f"{name} of a row of {table.name}: {sentence} Nothing was imported."}) from error
    if table.model is Proposal and not _is_held_call(row.get("operation"), row.get("arguments", {})):
        raise Invalid({"archive": f"arguments of a row of {table.name}: No such call is held. Nothing was imported."})


@cache
def _checks_of_table(table: Table) -> dict[str, Check]:
    """Return the check for each column, which raises a ValueError."""
    return {name: _nullable(field, _check_of_column(table, name, field)) for name, field in table.fields.items()}


def _check_of_column(table: Table, name: str, field: Field) -> Check:
    if name in table.logins:
        return _text_check(longest=USERNAME_LENGTH)
    return CHECKS_BY_NAME.get(name) or _check_of_field(field)


def _nullable(field: Field, check: Check) -> Check:
    def checked(value: Any) -> None:
        if value is not None or not field.null:
            check(value)

    return checked


def _check_of_field(field: Field) -> Check:
    """Return the check for the field's type. A link holds what the key of its target does."""
    if isinstance(field, models.ForeignKey):
        return _check_of_field(field.target_field)
    for kind, check in FIELD_CHECKS.items():
        if isinstance(field, kind):
            return check(field)
    raise TypeError(f"An archive cannot carry {field}.")


def _text_check(*, longest: int | None, choices: frozenset[str] = frozenset()) -> Check:
    def check(value: Any) -> None:
        fields.clean_text(value, longest=longest or sys.maxsize)
        if choices and value not in choices:
            raise BadField(f"This must be one of {', '.join(sorted(choices))}.")

    return check


def _text_check_of(field: Field) -> Check:
    values = {str(value) for value, _ in field.flatchoices}
    if values and field.blank:
        values.add("")
    return _text_check(longest=field.max_length, choices=frozenset(values))


def _check_whole_number(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadField("This must be a whole number.")


def _check_number(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadField("This must be a number.")


def _check_uuid(value: Any) -> None:
    if not isinstance(value, str) or str(UUID(value)) != value:
        raise BadField("This must be an id.")


def _check_moment(value: Any) -> None:
    """Check a moment. Postgres would also accept words such as infinity, which Python cannot read again."""
    moment = parse_datetime(value) if isinstance(value, str) else None
    if moment is None or moment.tzinfo is None:
        raise BadField("This must be a date and time with its time zone.")
    moment.astimezone(UTC)


def _json_check_of(field: Field) -> Check:
    """Return the check that a value is of the kind of the field's default: a list or an object."""
    kind = list if field.default is list else dict

    def check(value: Any) -> None:
        if not isinstance(value, kind):
            raise BadField(f"This must be a JSON {'array' if kind is list else 'object'}.")

    return check


def _bytes_check_of(field: Field) -> Check:
    def check(value: Any) -> None:
        if not isinstance(value, str) or not BYTES.fullmatch(value) or len(value) > 2 + 2 * (field.max_length or 0):
            raise BadField("These must be bytes, no more than fit.")

    return check


def _list_check_of(field: Field) -> Check:
    item: Check = _check_of_field(field.base_field)  # type: ignore[attr-defined]

    def check(value: Any) -> None:
        if not isinstance(value, list):
            raise BadField("This must be a list.")
        for each in value:
            item(each)

    return check


FIELD_CHECKS: Mapping[type[Any], Callable[[Field], Check]] = {
    models.UUIDField: lambda field: _check_uuid,
    models.BooleanField: lambda field: fields.clean_flag,
    models.FloatField: lambda field: _check_number,
    models.IntegerField: lambda field: _check_whole_number,
    models.DateTimeField: lambda field: _check_moment,
    models.JSONField: _json_check_of,
    models.BinaryField: _bytes_check_of,
    ArrayField: _list_check_of,
    models.CharField: _text_check_of,
    models.TextField: _text_check_of,
    models.FileField: _text_check_of,
}


def _check_optional_moment(value: Any) -> None:
    if value is not None:
        _check_moment(value)


# The arguments of held calls, which approvals repeat: those that each operation needs, and those that it also takes.
HELD_CALLS: Mapping[str, tuple[Collection[str], Collection[str]]] = {
    ProposedOperation.SAVE: ((), ()),
    ProposedOperation.UPDATE: ((), fields.MEMORY_FIELDS),
    ProposedOperation.APPEND: (["text"], ()),
    ProposedOperation.PIN: ((), ["pinned"]),
    ProposedOperation.TAG: ((), ["add", "remove"]),
    ProposedOperation.EXPIRE: (["expires_at"], ()),
    ProposedOperation.REVERT: (["to_version"], ()),
    ProposedOperation.SUPERSEDE: (["by"], ["at"]),
    ProposedOperation.FORGET: ((), ["reason"]),
}
ARGUMENT_CHECKS: Mapping[str, Check] = {
    **dict.fromkeys(MOMENT_ARGUMENTS, _check_optional_moment),
    "text": fields.clean_content,
    "add": fields.clean_tags,
    "remove": fields.clean_tags,
    "by": _check_uuid,
    "to_version": _check_whole_number,
}


def _is_held_call(operation: Any, arguments: dict[str, Any]) -> bool:
    needed, optional = HELD_CALLS.get(operation, ((), ()))
    if not set(needed) <= set(arguments) <= {*needed, *optional}:
        return False
    try:
        for name, value in arguments.items():
            if check := ARGUMENT_CHECKS.get(name):
                check(value)
            else:
                fields.clean_fields({name: value}, now=datetime.now(UTC))
    except (Invalid, ValueError, OverflowError):
        return False
    return True
