"""Pages about memories, one module each."""
