"""Pages of a list: each begins where the one before ended, however many rows were added meanwhile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from django.core import signing
from django.db.models import Field, Model, Q, QuerySet

from memoryhub.errors import Invalid

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    rows: list[Row]
    next: str | None  # the cursor of the page that follows, if one does

    def shaped(self, name: str, shape: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
        """As callers get it."""
        return {name: [shape(row) for row in self.rows], "next": self.next}


def page(
    rows: QuerySet[Row],
    *,
    order: str,
    limit: int,
    cursor: str | None = None,
    parts: Sequence[Q] = (),
    read: Callable[[QuerySet[Row]], list[Row]] = list,
) -> Page[Row]:
    """The rows in that order, and by id among equals. With parts, an index gives each part's first rows in that order,
    where it could not give it for all of them together."""
    field, descending = order.removeprefix("-"), order.startswith("-")
    if cursor is not None:
        rows = rows.filter(_after(rows.model, cursor, order))
    by = (order, "-id" if descending else "id")
    firsts = [rows.filter(part).order_by(*by)[: limit + 1] for part in parts or [Q()]]
    found = firsts[0] if len(firsts) == 1 else firsts[0].union(*firsts[1:], all=True).order_by(*by)[: limit + 1]
    shown = read(found)
    if len(shown) <= limit:
        return Page(shown, None)
    last = shown[limit - 1]
    return Page(shown[:limit], mark(_list(rows.model, order), getattr(last, field), last.pk))


def mark(listed: str, value: Any, last_id: UUID) -> str:
    """The cursor of what comes after that row of the list."""
    said = value.isoformat() if hasattr(value, "isoformat") else value
    return signing.Signer(salt=listed).sign_object([said, str(last_id)])


def marked(listed: str, cursor: str) -> tuple[Any, UUID]:
    """What the cursor was made of, as JSON has it."""
    try:
        said, last_id = signing.Signer(salt=listed).unsign_object(cursor)
    except (signing.BadSignature, ValueError) as error:
        raise Invalid({"cursor": "This is no cursor of a list in this order. Send `next` as it came."}) from error
    return said, UUID(last_id)


def _after(model: type[Model], cursor: str, order: str) -> Q:
    said, last_id = marked(_list(model, order), cursor)
    return after(model, order, said, last_id)


def after(model: type[Model], order: str, said: Any, last_id: UUID) -> Q:
    field, side = order.removeprefix("-"), "lt" if order.startswith("-") else "gt"
    value = cast("Field[Any, Any]", model._meta.get_field(field)).to_python(said)
    beyond = Q(**{f"{field}__{side}": value}) | Q(**{field: value, f"id__{side}": last_id})
    return Q(**{f"{field}__{side}e": value}) & beyond  # the first is what an index can start from


def _list(model: type[Model], order: str) -> str:
    return f"{model._meta.label} {order}"
