"""The admin pages of organizations, people and access. Counters of calls and of wrong passwords are not listed: they
last only minutes."""

from django.contrib import admin

from teams.admin import access, accounts, registry
from teams.forms import AdminLogIn

__all__ = ["access", "accounts", "registry"]

admin.site.login_form = AdminLogIn
admin.site.index_title = "Overview"
