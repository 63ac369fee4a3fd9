"""Search for a text letter by letter, in upper or lower case, without an index.

LIKE and strpos begin anew at every place: to find a thousand times `a` and a `b` in 50 KB of `a` takes them 50 million
steps. Bytes are compared by memcmp instead, and so few of them at once that this costs little more than reading the
content. A longer text is found by its beginning and its end; where few rows are wanted, they are then compared with all
of it.
"""

from django.db.models import BooleanField, F, Func, Q, Value

from memories.models import Memory, MemoryQuerySet

MOST_COMPARED = 250  # characters
MOST_CANDIDATES = 20  # memories that begin like a longer text
LOWER_BYTES = "convert_to(lower({}), 'UTF8')"


class LowerBytes(Func):
    template = LOWER_BYTES.format("%(expressions)s")


class Contains(Func):
    template = "position(%(expressions)s) > 0"
    arg_joiner = " IN "
    output_field = BooleanField()


def contains_text(column: str, text: str) -> Q:
    """Match rows whose column contains the text; of a long one, its beginning and its end."""
    if len(text) > MOST_COMPARED:
        return contains_text(column, text[:MOST_COMPARED]) & contains_text(column, text[-MOST_COMPARED:])
    return Q(Contains(LowerBytes(Value(text)), LowerBytes(F(column))))


def contains_sql(column: str) -> str:
    """Return the same condition as SQL for the parameter `part`, which must not be long."""
    part = LOWER_BYTES.format("%(part)s::text")
    return f"position((SELECT {part}) IN {LOWER_BYTES.format(column)}) > 0"  # SELECT: not once for every row


def find_containing(rows: MemoryQuerySet, *, text: str, limit: int) -> list[Memory]:
    """Return the first of the rows whose content contains the text."""
    candidates = rows.filter(contains_text("content", text))[: limit if len(text) <= MOST_COMPARED else MOST_CANDIDATES]
    return [row for row in candidates if has_whole_text(text, row.content)][:limit]


def has_whole_text(text: str, *columns: str) -> bool:
    """Return whether a column contains all of a text, of which the database found no more than the ends."""
    return len(text) <= MOST_COMPARED or any(text.casefold() in column.casefold() for column in columns)
