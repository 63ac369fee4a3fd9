"""What operators may: support looks at everything and restores, operators do all that these pages offer."""

from typing import Any

from django.db.models import Q

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
LOGINS = Q(content_type__app_label="auth", codename__in=["add_user", "change_user"])
ALLOWED = {SUPPORT: LOOKED_AT | RESTORED, OPERATOR: LOOKED_AT | LOGINS | Q(content_type__app_label__in=APPS)}


def after_migrate(**options: Any) -> None:
    """Gives the roles what they lack, once Django has noted what permissions there are. What a superuser gave them
    besides stays theirs."""
    from django.contrib.auth.models import Group, Permission

    database = options["using"]
    for name, allowed in ALLOWED.items():
        role, _ = Group.objects.using(database).get_or_create(name=name)
        role.permissions.add(*Permission.objects.using(database).filter(allowed))
