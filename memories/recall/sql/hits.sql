-- Reads the best candidates in full, in the order of their scores. Pins and importance decide between near ties.
--
-- Names in braces are filled in by memories.recall.plan: {visible} is the rule about who may see a memory,
-- {disputed} whether another one that holds contradicts it, {anchor_state} the state of its failed anchors, {feedback} the
-- balance of what readers said about it.

SELECT place, {importance} AS importance_now, access_count, last_accessed_at, {disputed}, {anchor_state}, {feedback},
    {columns}
FROM unnest(%(ids)s::uuid[], %(scores)s::float8[], %(places)s::integer[]) AS best (id, score, place)
JOIN memories_memory USING (id)
LEFT JOIN memories_usage AS usage
    ON usage.organization_id = memories_memory.organization_id AND usage.memory_id = memories_memory.id
WHERE {visible}
ORDER BY score + {tie} * ({importance} + pinned::integer) DESC, memories_memory.id DESC
LIMIT %(limit)s::integer
