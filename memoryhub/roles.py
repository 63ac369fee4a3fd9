"""What operators may: support looks at everything and restores, operators do all that these pages offer.

The roles are made by a migration. Django notes the permissions only after it, and more of them with every new model; so
each is given to the roles once, when it is new. What a superuser took from a role, or gave it besides, stays so.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.db.models.signals import post_migrate, pre_migrate

APPS = ("teams", "memories")
SUPPORT, OPERATOR = "support", "operator"
# Of others' tables: logins, roles, the log of what was done here, and jobs.
LOOKED_AT = Q(codename__startswith="view_") & (
    Q(content_type__app_label__in=APPS)
    | Q(content_type__app_label="auth", codename__in=["view_user", "view_group"])
    | Q(content_type__app_label="admin", codename="view_logentry")
    | Q(content_type__app_label="procrastinate", codename="view_procrastinatejob")
)
RESTORED = Q(content_type__app_label="memories", codename="restore_memory")
RETRIED = Q(content_type__app_label="procrastinate", codename="change_procrastinatejob")
LOGINS = Q(content_type__app_label="auth", codename__in=["add_user", "change_user"])
ALLOWED = {SUPPORT: LOOKED_AT | RESTORED, OPERATOR: LOOKED_AT | RETRIED | LOGINS | Q(content_type__app_label__in=APPS)}


@dataclass(frozen=True, slots=True)
class Before:
    """What was there before a migrate."""

    roles: set[str]
    permissions: set[int]


_before: dict[str, Before] = {}  # by database


def watch(sender: Any) -> None:
    """The sender is the last of the apps: by its turn Django has noted the permissions of all."""
    pre_migrate.connect(before_migrate, sender=sender, dispatch_uid="roles before")
    post_migrate.connect(after_migrate, sender=sender, dispatch_uid="roles after")


def before_migrate(**options: Any) -> None:
    from django.contrib.auth.models import Group, Permission
    from django.db import connections

    database = options["using"]
    tables = set(connections[database].introspection.table_names())
    if not {Group._meta.db_table, Permission._meta.db_table} <= tables:
        _before[database] = Before(set(), set())
        return
    roles = Group.objects.using(database).filter(name__in=ALLOWED).values_list("name", flat=True)
    permissions = Permission.objects.using(database).values_list("pk", flat=True)
    _before[database] = Before(set(roles), set(permissions))


def after_migrate(**options: Any) -> None:
    from django.contrib.auth.models import Group, Permission

    database = options["using"]
    before = _before.pop(database, None)
    roles = Group.objects.using(database)
    if before is None:  # after a flush, which took the roles as well
        roles.bulk_create([Group(name=name) for name in ALLOWED], ignore_conflicts=True)
        before = Before(set(), set())
    for role in roles.filter(name__in=ALLOWED):
        known = before.permissions if role.name in before.roles else set()
        role.permissions.add(*Permission.objects.using(database).filter(ALLOWED[role.name]).exclude(pk__in=known))
