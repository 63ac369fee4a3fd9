"""The mark `disputed` as SQL, for every statement that reads memories."""

MEMBERS = (("older_id", "newer_id"), ("newer_id", "older_id"))
OPPONENT = """
EXISTS (
    SELECT FROM memories_pair AS pair JOIN memories_memory AS opponent
        ON opponent.organization_id = pair.organization_id AND opponent.id = pair.{theirs}
    WHERE pair.organization_id = {memory}.organization_id AND pair.{mine} = {memory}.id
        AND pair.state = 'open' AND pair.kind = 'contradiction'
        AND opponent.audience = {memory}.audience AND opponent.workspace_id IS NOT DISTINCT FROM {memory}.workspace_id
        AND opponent.forgotten_at IS NULL AND opponent.status = 'active'
        AND (opponent.expires_at IS NULL OR opponent.expires_at > statement_timestamp())
        AND (opponent.valid_from IS NULL OR opponent.valid_from <= statement_timestamp())
        AND (opponent.valid_until IS NULL OR opponent.valid_until > statement_timestamp())
)
"""


def disputed_sql(memory: str) -> str:
    """Return the condition under which a row of memories, by this name, contradicts another that holds now. Both have
    the same audience, so that whoever sees one sees the other. Indexes: pair_dispute_older, pair_dispute_newer."""
    return f"({' OR '.join(OPPONENT.format(memory=memory, mine=mine, theirs=theirs) for mine, theirs in MEMBERS)})"
