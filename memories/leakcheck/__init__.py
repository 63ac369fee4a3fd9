"""The isolation of readers, checked from outside on a running hub: each door's answers against a rule of its own."""
