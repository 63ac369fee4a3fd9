"""Admin pages of memories. Usage, days, growth and lexemes have no pages of their own: the pages of memories, teams and
vocabularies and the dashboard show their figures."""

from memories.admin import attachments, embeddings, export, files, jobs, legal_holds, logs, memory

__all__ = ["attachments", "embeddings", "export", "files", "jobs", "legal_holds", "logs", "memory"]
