"""The command line: `memoryhub`."""

from memoryhub_client.cli.app import main

__all__ = ["main"]
