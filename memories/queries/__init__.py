"""Reads without ranking: lists, lookups, logs and counts."""
