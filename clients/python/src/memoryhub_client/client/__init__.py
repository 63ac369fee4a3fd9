"""The client, for plain and for asynchronous code: two thin transports of the same calls."""

from memoryhub_client.client.asynchronous import AsyncMemoryHub
from memoryhub_client.client.plain import MemoryHub

__all__ = ["AsyncMemoryHub", "MemoryHub"]
