"""The command line: `memoryhub`."""

from memoryhub_client.cli.running import main

__all__ = ["main"]
