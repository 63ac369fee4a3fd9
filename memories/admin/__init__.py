"""What, for operators. Usage, days and lexemes have keys of several columns, which the admin cannot list: the pages of
memories, of teams and of vocabularies say their figures."""

from django.contrib import admin
from procrastinate.contrib.django.models import ProcrastinateJob

from memories.admin import attached, embeddings, files, ledgers, memory

__all__ = ["attached", "embeddings", "files", "ledgers", "memory"]

admin.site.unregister(ProcrastinateJob)  # its list reads every event; `manage.py job` says how the jobs fare
