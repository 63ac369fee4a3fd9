"""Pages of a list: each begins where the one before ended, however many rows were added meanwhile."""

from collections.abc import Sequence
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


def page(
    rows: QuerySet[Row], *, order: str, limit: int, cursor: str | None = None, parts: Sequence[Q] = ()
) -> Page[Row]:
    """The rows in that order, and by id among equals. With parts, an index gives each part's first rows in that order,
    where it could not give it for all of them together."""
    field, descending = order.removeprefix("-"), order.startswith("-")
    if cursor is not None:
        rows = rows.filter(_after(rows.model, cursor, order))
    by = (order, "-id" if descending else "id")
    if len(parts) > 1:
        rows = rows.filter(pk__in=_first(rows, by=by, most=limit + 1, parts=parts))
    shown = list(rows.filter(*parts if len(parts) == 1 else ()).order_by(*by)[: limit + 1])
    if len(shown) <= limit:
        return Page(shown, None)
    last = shown[limit - 1]
    return Page(shown[:limit], _signer(rows.model, order).sign_object([_json(getattr(last, field)), str(last.pk)]))


def _first(rows: QuerySet[Row], *, by: tuple[str, str], most: int, parts: Sequence[Q]) -> list[UUID]:
    """The ids alone of the first rows among all parts: so many columns for each part take longer to ask for."""
    bare: QuerySet[Row, dict[str, Any]] = rows.order_by(*by).values(by[0].removeprefix("-"), "id")
    each = [bare.filter(part)[:most] for part in parts]
    return [row["id"] for row in each[0].union(*each[1:], all=True).order_by(*by)[:most]]


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
