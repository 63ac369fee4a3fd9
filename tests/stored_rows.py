"""Searches the rows of every table."""

from django.db import connection


def find_tables_with(text: str) -> list[str]:
    """Return the tables in which the text stands, in any column, in either case."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
        tables = [row[0] for row in cursor.fetchall()]
        found = []
        for table in tables:
            cursor.execute(f"SELECT count(*) FROM {table} AS row WHERE row::text ILIKE %s", [f"%{text}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def count_rows() -> dict[str, int]:
    """Return how many rows every table has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
        tables = [row[0] for row in cursor.fetchall()]
        counts = {}
        for table in tables:
            cursor.execute(f"SELECT count(*) FROM {table}")
            counts[table] = cursor.fetchone()[0]
    return counts
