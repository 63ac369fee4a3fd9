"""The logins that an archive names: only their names are taken, and whose they are here is never guessed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from zipfile import ZipFile

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from memories.transfer.entries import LOGINS, read_lines
from memories.transfer.exported_tables import ArchiveRow, Table
from memories.transfer.manifest import parse_row
from memoryhub.errors import Conflict, Invalid

IMPORTED_NAMES = ("username", "first_name", "last_name")
IGNORED_NAMES = frozenset({"email"})  # archives of 0.1.0 have it: whoever reads mail there may be somebody else


@dataclass
class Logins:
    """The ids that logins have in this hub, by name."""

    numbers: dict[str, int] = field(default_factory=dict)
    new: list[str] = field(default_factory=list)  # made without a password
    known: list[str] = field(default_factory=list)  # of this hub, taken for those of the archive

    def translate(self, table: Table, row: ArchiveRow) -> dict[str, int | None]:
        """Return the columns that refer to a login, with this hub's ids."""
        return {column: self._number(row[column]) for column in table.logins if column in row}

    def _number(self, name: str | None) -> int | None:
        if name is not None and name not in self.numbers:
            raise Invalid({"archive": f"A row names the login {name!r}, which {LOGINS} does not list."})
        return None if name is None else self.numbers[name]


def read_logins(archive: ZipFile, *, same_people: bool) -> Logins:
    """Find the logins of these names, or create them without a password. Logins that exist already are identified with
    the archive's only if the hub made the archive itself, or if its operator says that they are the same people."""
    found = Logins()
    for line in read_lines(archive, LOGINS):
        names = _read_login_names(parse_row(line, where=LOGINS))
        user = User.objects.filter(username=names["username"]).first()
        (found.known if user else found.new).append(names["username"])
        found.numbers[names["username"]] = (user or _create_login(names)).pk
    if found.known and not same_people:
        raise Conflict(
            f"There are logins here that the archive has, too: {', '.join(found.known[:20])}. It is not signed by this "
            "hub, so they may be other people. If they are the same, add --same-logins. Nothing was imported."
        )
    return found


def _create_login(names: Mapping[str, str]) -> User:
    user = User(**names)
    user.set_unusable_password()
    user.save()
    return user


def _read_login_names(row: ArchiveRow) -> dict[str, str]:
    """Return the names in a line of the logins; refuse any other field, which could turn it into more than a name."""
    if strange := sorted(row.keys() - {*IMPORTED_NAMES, *IGNORED_NAMES}):
        raise Invalid({"archive": f"{LOGINS} has {', '.join(strange)}: only names are taken. Nothing was imported."})
    try:
        return {
            name: _clean_login_name(name, row[name]) for name in IMPORTED_NAMES if name in row or name == "username"
        }
    except (KeyError, ValidationError) as error:
        raise Invalid({"archive": f"{LOGINS} has a login without a proper name. Nothing was imported."}) from error


def _clean_login_name(field_name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValidationError("Names are text.")
    field: Any = User._meta.get_field(field_name)
    return str(field.clean(value, None))
