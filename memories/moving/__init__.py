"""Out and in: a team or an organization as one archive, and the archive back into a hub, identical.

An archive is a zip of rows/<table>.jsonl (what is read back), logins.jsonl, assets/<id>, a manifest, and the memories
and files as markdown for people. Two archives of the same rows are the same bytes, but for the manifest's stamp.
"""

from memories.moving.packing import pack, rows_of
from memories.moving.progress import Step
from memories.moving.tables import Reach, Selection
from memories.moving.unpacking import Report, unpack

__all__ = ["Reach", "Report", "Selection", "Step", "pack", "rows_of", "unpack"]
