"""Rules without I/O: access, fields, filters, importance and preconditions."""
