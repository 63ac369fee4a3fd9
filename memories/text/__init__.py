"""Texts as pages show them: markdown, differences between versions, and merges."""
