"""The hub's own tools: all that an agent can do, each described for a model. What they take and give is REST's."""

from memories.mcp.tools import asking, files, links, memories, sessions

TOOLS = (*asking.TOOLS, *memories.TOOLS, *links.TOOLS, *files.TOOLS, *sessions.TOOLS)
