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
    return Page(shown[:limit], _signer(rows.model, order).sign_object([_json(getattr(last, field)), str(last.pk)]))


def _after(model: type[Model], cursor: str, order: str) -> Q:
    try:
        said, last_id = _signer(model, order).unsign_object(cursor)
    except (signing.BadSignature, ValueError) as error:
        raise Invalid({"cursor": "This is no cursor of a list in this order. Send `next` as it came."}) from error
    field, side = order.removeprefix("-"), "lt" if order.startswith("-") else "gt"
    value = cast("Field[Any, Any]", model._meta.get_field(field)).to_python(said)
    beyond = Q(**{f"{field}__{side}": value}) | Q(**{field: value, f"id__{side}": UUID(last_id)})
    return Q(**{f"{field}__{side}e": value}) & beyond  # the first is what an index can start from


def _signer(model: type[Model], order: str) -> signing.Signer:
    return signing.Signer(salt=f"{model._meta.label} {order}")


def _json(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
