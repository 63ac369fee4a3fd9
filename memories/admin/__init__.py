"""What, for operators. Usage, days, growth and lexemes are only counted: the pages of memories, of teams and of
vocabularies and the first page say their figures."""

from django.contrib import admin
from procrastinate.contrib.django.models import ProcrastinateJob

from memories.admin import attached, embeddings, files, ledgers, memory

__all__ = ["attached", "embeddings", "files", "ledgers", "memory"]

admin.site.unregister(ProcrastinateJob)  # its list reads every event; `manage.py job` says how the jobs fare
