"""The operators' roles: made once, given what is new, left as superusers made them."""

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command

from memoryhub import roles

pytestmark = pytest.mark.django_db


def role_permissions(role: str) -> set[str]:
    return set(Group.objects.get(name=role).permissions.values_list("codename", flat=True))


def test_each_role_has_what_it_may() -> None:
    support, operator = role_permissions(roles.SUPPORT), role_permissions(roles.OPERATOR)
    assert {"view_memory", "view_token", "view_logentry", "view_procrastinatejob", "restore_memory"} <= support
    assert all(name.startswith("view_") for name in support - {"restore_memory"})
    assert {"purge_memory", "revoke_token", "reembed_memory", "change_membership", "add_user"} <= operator
    assert support <= operator
    assert not {"change_group", "delete_user", "add_logentry"} & operator


def test_what_a_superuser_took_or_gave_stays_so() -> None:
    support = Group.objects.get(name=roles.SUPPORT)
    support.permissions.remove(Permission.objects.get(codename="restore_memory"))
    support.permissions.add(Permission.objects.get(codename="pin_memory"))
    call_command("migrate", verbosity=0)
    assert "restore_memory" not in role_permissions(roles.SUPPORT)
    assert "pin_memory" in role_permissions(roles.SUPPORT)


def test_a_role_that_a_superuser_removed_does_not_come_back() -> None:
    Group.objects.filter(name=roles.SUPPORT).delete()
    call_command("migrate", verbosity=0)
    assert not Group.objects.filter(name=roles.SUPPORT).exists()


def test_what_is_new_is_given_once() -> None:
    Permission.objects.filter(codename__in=["view_memory", "purge_memory"]).delete()
    call_command("migrate", verbosity=0)
    assert "view_memory" in role_permissions(roles.SUPPORT)
    assert "purge_memory" in role_permissions(roles.OPERATOR)
    assert "purge_memory" not in role_permissions(roles.SUPPORT)
