"""The hub's own tools: everything that an agent can do, each described for a model. Arguments and results are those of
REST."""

from memories.tools.hub import feedback, files, links, pairs, proposals, reads, sessions, writes

TOOLS = (
    *reads.TOOLS,
    *writes.TOOLS,
    *links.TOOLS,
    *proposals.TOOLS,
    *pairs.TOOLS,
    *feedback.TOOLS,
    *files.TOOLS,
    *sessions.TOOLS,
)
