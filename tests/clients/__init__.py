"""The Python client, its command line and its adapters."""
