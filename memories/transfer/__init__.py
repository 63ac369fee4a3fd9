"""Export and import: a team or an organization as one archive, and the archive read back into a hub, identical.

An archive is a zip of rows/<table>.jsonl (what is read back), logins.jsonl, assets/<id>, the memories and files as
markdown for people, a manifest and a signature. Two archives of the same rows, made by one hub, are the same bytes, but
for the manifest's stamp and therefore the signature.
"""

from memories.transfer.export import count_rows, write_archive
from memories.transfer.import_archive import ImportReport, Trust, import_archive
from memories.transfer.progress import TransferStep
from memories.transfer.selection import ExportReach, Selection

__all__ = [
    "ExportReach",
    "ImportReport",
    "Selection",
    "TransferStep",
    "Trust",
    "count_rows",
    "import_archive",
    "write_archive",
]
