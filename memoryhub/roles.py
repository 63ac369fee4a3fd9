"""The roles of the admin: support views everything and restores, operators do everything that the admin offers.

A migration creates the roles. Django creates permissions only afterwards, and more with every new model; so each is
granted to the roles once, when it is new. What a superuser took from a role or added to it stays as it is.
"""

from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.db.models.signals import post_migrate, pre_migrate

APPS = ("teams", "memories")
SUPPORT, OPERATOR = "support", "operator"
# From other apps: logins, roles, the admin's log, and jobs.
VIEW_PERMISSIONS = Q(codename__startswith="view_") & (
    Q(content_type__app_label__in=APPS)
    | Q(content_type__app_label="auth", codename__in=["view_user", "view_group"])
    | Q(content_type__app_label="admin", codename="view_logentry")
    | Q(content_type__app_label="procrastinate", codename="view_procrastinatejob")
)
RESTORE_PERMISSION = Q(content_type__app_label="memories", codename="restore_memory")
RETRY_PERMISSION = Q(content_type__app_label="procrastinate", codename="change_procrastinatejob")
LOGIN_PERMISSIONS = Q(content_type__app_label="auth", codename__in=["add_user", "change_user"])
ROLE_PERMISSIONS = {
    SUPPORT: VIEW_PERMISSIONS | RESTORE_PERMISSION,
    OPERATOR: VIEW_PERMISSIONS | RETRY_PERMISSION | LOGIN_PERMISSIONS | Q(content_type__app_label__in=APPS),
}


@dataclass(frozen=True, slots=True)
class RolesBeforeMigrate:
    """Holds the roles and permissions that existed before a migrate."""

    roles: set[str]
    permissions: set[int]


_before_migrate: dict[str, RolesBeforeMigrate] = {}  # by database


def connect_role_signals(sender: Any) -> None:
    """Connect the signals to the last app, after which Django has created all permissions."""
    pre_migrate.connect(note_present_permissions, sender=sender, dispatch_uid="roles before")
    post_migrate.connect(grant_new_permissions, sender=sender, dispatch_uid="roles after")


def note_present_permissions(**options: Any) -> None:
    from django.contrib.auth.models import Group, Permission
    from django.db import connections

    database = options["using"]
    tables = set(connections[database].introspection.table_names())
    if not {Group._meta.db_table, Permission._meta.db_table} <= tables:
        _before_migrate[database] = RolesBeforeMigrate(set(), set())
        return
    roles = Group.objects.using(database).filter(name__in=ROLE_PERMISSIONS).values_list("name", flat=True)
    permissions = Permission.objects.using(database).values_list("pk", flat=True)
    _before_migrate[database] = RolesBeforeMigrate(set(roles), set(permissions))


def grant_new_permissions(**options: Any) -> None:
    from django.contrib.auth.models import Group, Permission

    database = options["using"]
    before = _before_migrate.pop(database, None)
    roles = Group.objects.using(database)
    if before is None:  # after a flush, which deleted the roles too
        roles.bulk_create([Group(name=name) for name in ROLE_PERMISSIONS], ignore_conflicts=True)
        before = RolesBeforeMigrate(set(), set())
    for role in roles.filter(name__in=ROLE_PERMISSIONS):
        existing = before.permissions if role.name in before.roles else set()
        role.permissions.add(
            *Permission.objects.using(database).filter(ROLE_PERMISSIONS[role.name]).exclude(pk__in=existing)
        )
