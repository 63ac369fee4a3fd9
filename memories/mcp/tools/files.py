"""The team's files: text under a path, every version kept."""

from memories import finding
from memories.api import answers, bodies, shapes
from memories.api.answering import told_file
from memories.api.files import found, versions_of
from memories.dialects import Arguments, Result, Tool
from memories.mcp.tools.shaping import hub_tool, taking
from memories.models import PATH_LENGTH
from memories.operations import files
from memories.schemas import flag, text
from teams.actor import Actor

PATH = {"path": text(shortest=1, longest=PATH_LENGTH, description="Where it is, like notes/berths.md.")}
TO = {"to": text(shortest=1, longest=PATH_LENGTH, description="Where it will be.")}
OLDER = {"at_version": bodies.VERSION | {"description": "An older version."}}
ONLY_NEW = {"only_new": flag(default=False, description="Only where there is no such file yet.")}
VERSION = {"version": bodies.VERSION}


def list_files(actor: Actor, said: Arguments) -> Result:
    return found(actor, said).shaped("files", shapes.listed_file)


def read(actor: Actor, said: Arguments) -> Result:
    file = finding.file(actor=actor, path=said["path"])
    return shapes.file(finding.as_of(file, said.get("at_version")))


def write(actor: Actor, said: Arguments) -> Result:
    version = files.ABSENT if said["only_new"] else said.get("version")
    return told_file(actor, files.write(actor=actor, path=said["path"], content=said["content"], version=version))


def append(actor: Actor, said: Arguments) -> Result:
    return told_file(actor, files.append(actor=actor, **said))


def rename(actor: Actor, said: Arguments) -> Result:
    return told_file(actor, files.rename(actor=actor, **said))


def delete(actor: Actor, said: Arguments) -> Result:
    return shapes.file_receipt(files.delete(actor=actor, **said))


def revert(actor: Actor, said: Arguments) -> Result:
    return told_file(actor, files.revert(actor=actor, **said))


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="file_list",
            title="List files",
            description="The team's files by path, without their text, page by page; narrowed by what the path begins "
            "with or by words that they have.",
            parameters=taking(bodies.FILES),
            act=list_files,
            reads=True,
            gives=answers.page("files", answers.LISTED_FILE),
        ),
        Tool(
            name="file_read",
            title="Read a file",
            description="The text of a file of the team, as it is or as it was at an older version.",
            parameters=taking(PATH, OLDER, needs=("path",)),
            act=read,
            reads=True,
            gives=answers.FILE,
        ),
        Tool(
            name="file_write",
            title="Write a file",
            description="Writes the whole text of a file, new or in place of what it said. Earlier versions are kept. "
            "To add a line, use file_append.",
            parameters=taking(PATH, bodies.WRITE, ONLY_NEW, needs=("path",)),
            act=write,
            repeats=True,
            gives=answers.WRITTEN_FILE,
        ),
        Tool(
            name="file_append",
            title="Add to a file",
            description="Adds text at the end of a file on a line of its own, whatever others add meanwhile.",
            parameters=taking(PATH, bodies.APPEND, needs=("path",)),
            act=append,
            gives=answers.WRITTEN_FILE,
        ),
        Tool(
            name="file_rename",
            title="Rename a file",
            description="Moves a file to another path, where there is nothing yet.",
            parameters=taking(PATH, TO, VERSION, needs=("path", "to")),
            act=rename,
            gives=answers.WRITTEN_FILE,
        ),
        Tool(
            name="file_delete",
            title="Delete a file",
            description="Deletes a file: it is gone from every read; file_revert to a version brings it back.",
            parameters=taking(PATH, VERSION, needs=("path",)),
            act=delete,
            destroys=True,
            gives=answers.FILE_RECEIPT,
        ),
        Tool(
            name="file_history",
            title="Versions of a file",
            description="Every version of a file, newest first: who changed it and when. file_read shows what it said.",
            parameters=taking(PATH, bodies.PAGE, needs=("path",)),
            act=lambda actor, said: versions_of(actor, said["path"], said),
            reads=True,
            gives=answers.page("versions", answers.FILE_VERSION),
        ),
        Tool(
            name="file_revert",
            title="Go back to a version of a file",
            description="Makes a new version of a file with the text of an old one; a deleted file comes back by it.",
            parameters=taking(PATH, bodies.REVERT, needs=("path",)),
            act=revert,
            gives=answers.WRITTEN_FILE,
        ),
    )
)
