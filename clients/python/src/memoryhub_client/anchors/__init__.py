"""Anchors: hashes of files' lines, by which a check of a working tree says whether they are as they were. Nothing but
hashes and line numbers leaves the machine."""

from memoryhub_client.anchors.check import AnchorCheck, CheckState, check_content
from memoryhub_client.anchors.hashing import hash_place, new_salt, split_lines
from memoryhub_client.anchors.working_tree import NotReadable, WorkingTree

__all__ = [
    "AnchorCheck",
    "CheckState",
    "NotReadable",
    "WorkingTree",
    "check_content",
    "hash_place",
    "new_salt",
    "split_lines",
]
