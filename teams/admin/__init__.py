"""Who, for operators. What is counted of calls and of wrong passwords is not listed: it is gone within minutes."""

from django.contrib import admin

from teams.admin import access, accounts, registry
from teams.forms import AdminLogIn

__all__ = ["access", "accounts", "registry"]

admin.site.login_form = AdminLogIn
admin.site.index_title = "Overview"
