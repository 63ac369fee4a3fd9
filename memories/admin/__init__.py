"""What, for operators. Usage, days, growth and lexemes are only counted: the pages of memories, of teams and of
vocabularies and the first page say their figures."""

from memories.admin import attached, embeddings, exporting, files, jobs, ledgers, memory

__all__ = ["attached", "embeddings", "exporting", "files", "jobs", "ledgers", "memory"]
