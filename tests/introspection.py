"""The schema of a database as Postgres knows it, to compare two of them."""

import psycopg

# What extensions bring is theirs; sequences follow from their columns.
COLUMNS = """
SELECT table_name || '.' || column_name,
    concat_ws(' ', udt_name, character_maximum_length, is_nullable, column_default, is_identity, generation_expression)
FROM information_schema.columns WHERE table_schema = 'public'
"""
INDEXES = """
SELECT 'index ' || relation.relname, pg_get_indexdef(relation.oid) || CASE WHEN indisvalid THEN '' ELSE ' INVALID' END
FROM pg_index JOIN pg_class AS relation ON relation.oid = indexrelid
WHERE relation.relnamespace = 'public'::regnamespace
"""
# A list of choices is cast as a whole before it was dumped, and one by one after.
CONSTRAINTS = r"""
SELECT 'constraint ' || conrelid::regclass || ' ' || conname,
    translate(regexp_replace(pg_get_constraintdef(oid), '::(character varying|text)(\[\])?', '', 'g'), '()', '')
FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
"""
FUNCTIONS = """
SELECT 'function ' || oid::regprocedure, pg_get_functiondef(oid) FROM pg_proc
WHERE pronamespace = 'public'::regnamespace AND prokind = 'f' AND NOT EXISTS (
    SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
)
"""
TABLES = """
SELECT 'table ' || relname, relkind::text || relpersistence::text FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p')
"""
TRIGGERS = """
SELECT 'trigger ' || tgrelid::regclass || ' ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
"""


def describe_schema(database: str) -> dict[str, str]:
    """Return the definition of every table, column, index, constraint, function and trigger, by its name."""
    described: dict[str, str] = {}
    with psycopg.connect(database) as connection:
        for statement in (TABLES, COLUMNS, INDEXES, CONSTRAINTS, FUNCTIONS, TRIGGERS):
            described |= connection.execute(statement).fetchall()
    return described
