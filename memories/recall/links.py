"""By links: from the first hits along associations, in both directions, a few steps far. And what others bring."""

SEEDS = 10  # hits from which links are followed
FAN_OUT = 10  # links followed from each, the strongest first
STEPS = 2
FADE = 0.6  # what a step leaves of the score, times the link's weight

# Hopes for relation_is_unique_per_pair and the index on the target. A link never leads out of what the actor sees:
# every step asks.
WALK = f"""
, walk (id, pull, steps, seed) AS (
    SELECT id, score - %(lift)s::float8 * exact, 0, id
    FROM (SELECT * FROM summed ORDER BY score DESC LIMIT {SEEDS}) AS seeds
    UNION ALL
    SELECT reached.id, walk.pull * reached.weight * {FADE}, walk.steps + 1, walk.seed
    FROM walk, LATERAL (
        SELECT link.id, weight
        FROM (
            (SELECT target_id AS id, weight FROM memories_association
            WHERE organization_id = %(organization)s::uuid AND origin_id = walk.id ORDER BY weight DESC LIMIT {FAN_OUT})
            UNION ALL
            (SELECT origin_id, weight FROM memories_association
            WHERE organization_id = %(organization)s::uuid AND target_id = walk.id ORDER BY weight DESC LIMIT {FAN_OUT})
        ) AS link, LATERAL (SELECT FROM memories_memory WHERE id = link.id AND {{visible}} OFFSET 0) AS seen
        ORDER BY weight DESC LIMIT {FAN_OUT}
    ) AS reached
    WHERE walk.steps < {STEPS} AND reached.id <> walk.seed
)
"""
WALKED = "SELECT id, pull FROM walk WHERE steps > 0"

# What retrievers of one's own bring, as far as the actor sees it.
BROUGHT = """
SELECT id, pull FROM unnest(%(brought)s::uuid[], %(pulls)s::float8[]) AS found (id, pull),
    LATERAL (SELECT FROM memories_memory WHERE id = found.id AND {visible} OFFSET 0) AS seen
"""
BY_LINKS = """
, by_links AS MATERIALIZED (
    SELECT id, max(pull) AS pull, row_number() OVER (ORDER BY max(pull) DESC, id) AS links_rank
    FROM ({reached}) AS reached GROUP BY id
)
"""

# What they lead to stands no lower than its share of the score it was reached from.
LINKED = "summed FULL JOIN by_links USING (id)"
BY_LINKS_ALONE = "(SELECT count(*) FROM by_links LEFT JOIN summed USING (id) WHERE summed.id IS NULL)"
NOT_LINKED = "(SELECT *, NULL::float8 AS pull, NULL::bigint AS links_rank FROM summed) AS summed"


def by_links(visible: str, *, linked: bool, brought: bool) -> str:
    """The part of the statement, or nothing."""
    ways = ([WALKED] if linked else []) + ([BROUGHT.format(visible=visible)] if brought else [])
    if not ways:
        return ""
    walk = WALK.format(visible=visible) if linked else ""
    return walk + BY_LINKS.format(reached=" UNION ALL ".join(ways))
