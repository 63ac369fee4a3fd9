"""Databases of former versions, each as plain SQL. Every release adds its own:

    python -m tests.upgrades.dump 0.1.0

`0.1.0.sql` was made by the longer series of migrations that the first ones replace.
"""
