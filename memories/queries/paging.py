"""Pages of a list: each begins where the one before ended, however many rows were added meanwhile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from django.core import signing
from django.db.models import Field, Model, Q, QuerySet

from memoryhub.errors import Invalid

PAGE_TEXT_LENGTH = 1_000_000  # characters of text: a page for programs ends with the row that reaches them

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class RowPage(Generic[Row]):
    rows: list[Row]
    next: str | None  # the cursor of the page that follows, if one does

    def to_dict(self, name: str, shape: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
        """Return the page as callers get it."""
        return {name: [shape(row) for row in self.rows], "next": self.next}


def fetch_page(
    rows: QuerySet[Row],
    *,
    order: str,
    limit: int,
    cursor: str | None = None,
    parts: Sequence[Q] = (),
    read: Callable[[QuerySet[Row]], list[Row]] = list,
    length: int | None = None,
) -> RowPage[Row]:
    """Return a page of the rows in that order, with ties ordered by id: as many as the limit, or fewer if their texts
    together reach `length`. With `parts`, each part's first rows are read separately, because an index has each part in
    that order but not all of them together."""
    field, descending = order.removeprefix("-"), order.startswith("-")
    if cursor is not None:
        rows = rows.filter(_after_cursor(rows.model, cursor, order))
    by = (order, "-id" if descending else "id")
    firsts = [rows.filter(part).order_by(*by)[: limit + 1] for part in parts or [Q()]]
    merged = firsts[0] if len(firsts) == 1 else firsts[0].union(*firsts[1:], all=True).order_by(*by)[: limit + 1]
    page = read(merged)
    fitting = limit if length is None else min(limit, count_fitting(page, length))
    if len(page) <= fitting:
        return RowPage(page, None)
    last = page[fitting - 1]
    return RowPage(page[:fitting], make_cursor(_list_name(rows.model, order), getattr(last, field), last.pk))


def count_fitting(rows: Sequence[Any], length: int) -> int:
    """Return how many of the rows it takes for their texts to reach that length."""
    lengths = accumulate(len(row.content) for row in rows)
    return next((number for number, reached in enumerate(lengths, start=1) if reached >= length), len(rows))


def make_cursor(list_name: str, value: Any, last_id: UUID) -> str:
    """Return the cursor of the page that begins after this row of the list."""
    json_value = value.isoformat() if hasattr(value, "isoformat") else value
    return signing.Signer(salt=list_name).sign_object([json_value, str(last_id)])


def read_cursor(list_name: str, cursor: str) -> tuple[Any, UUID]:
    """Return the value and the id that the cursor was made of, the value as JSON has it."""
    try:
        value, last_id = signing.Signer(salt=list_name).unsign_object(cursor)
    except (signing.BadSignature, ValueError) as error:
        sentence = "This is not a cursor of a list in this order. Send `next` back unchanged."
        raise Invalid({"cursor": sentence}) from error
    return value, UUID(last_id)


def _after_cursor(model: type[Model], cursor: str, order: str) -> Q:
    value, last_id = read_cursor(_list_name(model, order), cursor)
    return after_row(model, order, value, last_id)


def after_row(model: type[Model], order: str, value: Any, last_id: UUID) -> Q:
    field, side = order.removeprefix("-"), "lt" if order.startswith("-") else "gt"
    value = cast("Field[Any, Any]", model._meta.get_field(field)).to_python(value)
    beyond = Q(**{f"{field}__{side}": value}) | Q(**{field: value, f"id__{side}": last_id})
    return Q(**{f"{field}__{side}e": value}) & beyond  # the first is what an index can start from


def _list_name(model: type[Model], order: str) -> str:
    return f"{model._meta.label} {order}"
