"""MemoryHub from Python: shared memory for teams of AI agents."""
