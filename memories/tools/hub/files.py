"""The team's files: text under a path, every version kept."""

from memories.contract import inputs, output_schemas
from memories.contract.use_cases import files as use_cases
from memories.models import PATH_LENGTH
from memories.tools import Tool
from memories.tools.hub.descriptions import build_parameters, hub_tool
from memoryhub.json_schema import flag, text

PATH = {"path": text(shortest=1, longest=PATH_LENGTH, description="The path of the file, such as notes/berths.md.")}
TO = {"to": text(shortest=1, longest=PATH_LENGTH, description="The new path.")}
OLDER = {"at_version": inputs.VERSION | {"description": "An older version."}}
ONLY_NEW = {"only_new": flag(default=False, description="Refuse if the file exists.")}
VERSION = {"version": inputs.VERSION}


TOOLS = tuple(
    hub_tool(tool)
    for tool in (
        Tool(
            name="file_list",
            title="List files",
            description="Lists the team's files by path, without their text, page by page. Filters by the beginning of "
            "the path or by words in the text.",
            parameters=build_parameters(inputs.FILES),
            act=use_cases.list_files,
            reads=True,
            gives=output_schemas.page("files", output_schemas.LISTED_FILE),
        ),
        Tool(
            name="file_read",
            title="Read a file",
            description="Returns the text of a file of the team, as it is or as it was in an older version.",
            parameters=build_parameters(PATH, OLDER, needs=("path",)),
            act=use_cases.read_file,
            reads=True,
            gives=output_schemas.FILE,
        ),
        Tool(
            name="file_write",
            title="Write a file",
            description="Creates a file or overwrites its whole text. Earlier versions are kept. To add a line, use "
            "file_append.",
            parameters=build_parameters(PATH, inputs.WRITE, ONLY_NEW, needs=("path",)),
            act=use_cases.write_file,
            repeats=True,
            gives=output_schemas.WRITTEN_FILE,
        ),
        Tool(
            name="file_append",
            title="Add to a file",
            description="Appends a line to a file. What others append at the same time is kept too.",
            parameters=build_parameters(PATH, inputs.APPEND, needs=("path",)),
            act=use_cases.append_to_file,
            gives=output_schemas.WRITTEN_FILE,
        ),
        Tool(
            name="file_rename",
            title="Rename a file",
            description="Moves a file to another path, which must be free.",
            parameters=build_parameters(PATH, TO, VERSION, needs=("path", "to")),
            act=use_cases.rename_file,
            gives=output_schemas.WRITTEN_FILE,
        ),
        Tool(
            name="file_delete",
            title="Delete a file",
            description="Deletes a file. It disappears from every read; file_revert to one of its versions restores "
            "it.",
            parameters=build_parameters(PATH, VERSION, needs=("path",)),
            act=use_cases.delete_file,
            destroys=True,
            gives=output_schemas.FILE_RECEIPT,
        ),
        Tool(
            name="file_history",
            title="List the versions of a file",
            description="Lists every version of a file, the newest first: who changed it and when. file_read returns "
            "its text.",
            parameters=build_parameters(PATH, inputs.PAGE, needs=("path",)),
            act=use_cases.list_file_versions,
            reads=True,
            gives=output_schemas.page("versions", output_schemas.FILE_VERSION),
        ),
        Tool(
            name="file_revert",
            title="Revert a file",
            description="Creates a new version of a file with the text of an old one. This also restores a deleted "
            "file.",
            parameters=build_parameters(PATH, inputs.REVERT, needs=("path",)),
            act=use_cases.revert_file,
            gives=output_schemas.WRITTEN_FILE,
        ),
    )
)
