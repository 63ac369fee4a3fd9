-- Finds the candidates of an answer by their words, their meaning and their links, and gives the numbers that they are
-- put in order by (see memories.recall.features).
--
-- `[if …]`, `[else]` and `[end]` mark what a Plan leaves out (see memories.recall.plan). Names in braces are filled in
-- there: {visible} is the rule about who may see a memory, {worths} the worth of each word of the query in a row.

WITH RECURSIVE

-- [if by_words]
-- Index: memory_search, where an audience is a lexeme too.
matched AS MATERIALIZED (
    SELECT id, follows, memory_unpacked(search) AS search, opening, octet_length(content) AS size,
        -- [if exact_match]
        content AS text
        -- [else]
        -- It is not even read where nothing is compared letter by letter.
        NULL::text AS text
        -- [end]
    FROM memories_memory
    WHERE search @@ %(matching)s::tsquery AND {visible}
    LIMIT {most_matches}
),
matching AS MATERIALIZED (
    SELECT * FROM matched
    -- [if fallback_query]
    UNION ALL (
        SELECT id, follows, memory_unpacked(search) AS search, opening, octet_length(content) AS size,
            -- [if exact_match]
            content AS text
            -- [else]
            NULL::text AS text
            -- [end]
        FROM memories_memory
        WHERE search @@ %(fallback)s::tsquery AND {visible} AND NOT EXISTS (SELECT FROM matched)
        LIMIT {enough_matches}
    )
    -- [end]
),
weighed AS MATERIALIZED (
    SELECT id, follows, opening, size, text, exact, {sum_of_worths} AS words, {present_words} AS present
    FROM (
        SELECT id, follows, opening, size, text, {worths},
            -- [if exact_match]
            search @@ ANY(%(identifiers)s::tsquery[]) AS exact
            -- [else]
            false AS exact
            -- [end]
        FROM matching OFFSET 0
    ) AS each_word
),
by_words AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY words + %(exact_bonus)s::float8 * exact::integer DESC) AS words_rank
    FROM weighed
    ORDER BY words_rank LIMIT {word_candidates}
),
-- [else]
matching AS (SELECT NULL::uuid AS id WHERE false),
by_words AS (
    SELECT NULL::uuid AS id, NULL::uuid AS follows, NULL::text AS opening, NULL::integer AS size, NULL::text AS text,
        NULL::boolean AS exact, NULL::float8 AS words, NULL::bigint AS present, NULL::bigint AS words_rank
    WHERE false
),
-- [end]

-- [if by_meaning]
-- [if exact_scan]
near AS MATERIALIZED (
    SELECT memory_id AS id, -(vector <#> %(vector)s::vector) AS nearness
    FROM memories_embedding
    WHERE organization_id = %(organization)s::uuid AND audience = ANY(%(audiences)s::uuid[])
        AND model = %(model)s::text
        -- [if filter_inside_ann]
        AND memory_id IN (SELECT id FROM memories_memory WHERE {visible})
        -- [end]
    ORDER BY nearness DESC LIMIT {rescored}
),
-- [else]
-- Index: embedding_nearest, which holds the sign bits; then the whole vectors of the nearest by these.
by_sign_bits AS MATERIALIZED (
    SELECT memory_id AS id
    FROM memories_embedding
    WHERE organization_id = %(organization)s::uuid AND audience = ANY(%(audiences)s::uuid[])
        AND model = %(model)s::text
        -- [if filter_inside_ann]
        -- A filter may leave so few that none of them is among the nearest: only what it leaves is looked at.
        AND memory_id IN (SELECT id FROM memories_memory WHERE {visible})
        -- [end]
    ORDER BY signs <~> %(sign_bits)s::varbit LIMIT {by_sign_bits}
),
near AS MATERIALIZED (
    SELECT embedding.memory_id AS id, -(embedding.vector <#> %(vector)s::vector) AS nearness
    FROM by_sign_bits
    JOIN memories_embedding AS embedding
        ON embedding.organization_id = %(organization)s::uuid AND embedding.memory_id = by_sign_bits.id
        AND embedding.model = %(model)s::text
    ORDER BY nearness DESC LIMIT {rescored}
),
-- [end]
-- "OFFSET 0" has them looked up one by one, however many the planner expects.
by_meaning AS MATERIALIZED (
    SELECT near.id, nearness, seen.*, row_number() OVER (ORDER BY nearness DESC) AS meaning_rank
    FROM near, LATERAL (
        SELECT follows, memory_unpacked(search) AS search, opening, octet_length(content) AS size,
            -- [if exact_match]
            content AS text
            -- [else]
            NULL::text AS text
            -- [end]
        FROM memories_memory
        WHERE id = near.id AND {visible} OFFSET 0
    ) AS seen
    ORDER BY nearness DESC LIMIT {final}
),
-- [else]
near AS (SELECT NULL::uuid AS id WHERE false),
by_meaning AS (
    SELECT NULL::uuid AS id, NULL::float8 AS nearness, NULL::uuid AS follows, NULL::tsvector AS search,
        NULL::text AS opening, NULL::integer AS size, NULL::text AS text, NULL::bigint AS meaning_rank
    WHERE false
),
-- [end]

-- Both lists in one. What is found by one of them alone gets the other's score here.
candidate AS MATERIALIZED (
    SELECT * FROM by_words
    -- [if by_meaning]
    UNION ALL
    SELECT id, follows, opening, size, text, exact, {sum_of_worths}, {present_words}, NULL
    FROM (
        SELECT id, follows, opening, size, text, {worths},
            -- [if exact_match]
            search @@ ANY(%(identifiers)s::tsquery[]) AS exact
            -- [else]
            false AS exact
            -- [end]
        FROM by_meaning WHERE NOT EXISTS (SELECT FROM by_words WHERE by_words.id = by_meaning.id) OFFSET 0
    ) AS each_word
    -- [end]
),
scored AS MATERIALIZED (
    SELECT id, candidate.follows, candidate.size, words, present, words_rank, meaning_rank,
        -- [if by_meaning]
        coalesce(nearness, (
            SELECT -(vector <#> %(vector)s::vector) FROM memories_embedding
            WHERE organization_id = %(organization)s::uuid AND memory_id = candidate.id AND model = %(model)s::text
        )) AS nearness,
        -- [else]
        NULL::float8 AS nearness,
        -- [end]
        -- [if exact_match]
        -- Counts an identifier of the query, the query within the text, the query that stands alone in it, and the query
        -- that is all of it.
        exact::integer + CASE
            -- Bytes: strpos takes a time of both lengths multiplied for a text of one letter.
            WHEN %(contains_regex)s::text IS NULL OR position(
                (SELECT convert_to(%(literal)s::text, 'UTF8')) IN convert_to(lower(candidate.text), 'UTF8')
            ) = 0 THEN 0
            ELSE (candidate.text ~* %(contains_regex)s::text)::integer
                + coalesce(candidate.text ~* %(standalone_regex)s::text, false)::integer
                + (lower(btrim(candidate.text)) = %(literal)s::text)::integer
        END AS exact,
        -- [else]
        0 AS exact,
        -- [end]
        -- Whether it ends in a question, which what was saved next may answer.
        -- [if by_meaning]
        (
            SELECT right(content, 60) ~ '[?？؟]' FROM memories_memory WHERE id = candidate.id
        )::integer AS asks,
        -- [else]
        0 AS asks,
        -- [end]
        -- The place of the asked word that it begins with; below 0 if it begins as a standing rule does.
        coalesce(
            array_position(%(words)s::text[], candidate.opening), -array_position({rule_openings}, candidate.opening), 0
        ) AS opening
    FROM candidate LEFT JOIN by_meaning USING (id)
),
-- Nearness has no fixed scale: the farthest candidate gets 0, the nearest 1.
spread AS (
    SELECT *, (nearness - min(nearness) OVER ()) / nullif(max(nearness) OVER () - min(nearness) OVER (), 0) AS meaning
    FROM scored
),
summed AS MATERIALIZED (
    SELECT *, (1 - %(meaning_share)s::float8) * words + %(meaning_share)s::float8 * coalesce(meaning, 0)
        + {lead} * (opening > 0)::integer + %(exact_bonus)s::float8 * exact AS score
    FROM spread
),

-- [if follow_links]
-- From the ten best, along their ten strongest links in both directions, two steps far. Each step leaves 0.6 of the
-- score, times the link's weight. A link never leads out of what the actor sees: every step asks.
-- Index: relation_is_unique_per_pair, and the one on the target.
walk (id, share, steps, seed, score) AS (
    SELECT id, 1::float8, 0, id, score - %(exact_bonus)s::float8 * exact
    FROM (SELECT * FROM summed ORDER BY score DESC LIMIT 10) AS seeds
    UNION ALL
    SELECT reached.id, walk.share * reached.weight * 0.6, walk.steps + 1, walk.seed, walk.score
    FROM walk, LATERAL (
        SELECT link.id, weight
        FROM (
            (SELECT target_id AS id, weight FROM memories_association
            WHERE organization_id = %(organization)s::uuid AND origin_id = walk.id ORDER BY weight DESC LIMIT 10)
            UNION ALL
            (SELECT origin_id, weight FROM memories_association
            WHERE organization_id = %(organization)s::uuid AND target_id = walk.id ORDER BY weight DESC LIMIT 10)
        ) AS link, LATERAL (SELECT FROM memories_memory WHERE id = link.id AND {visible} OFFSET 0) AS seen
        ORDER BY weight DESC LIMIT 10
    ) AS reached
    WHERE walk.steps < 2 AND reached.id <> walk.seed
),
-- [end]
-- [if has_links]
-- What was reached, the seed that gives it most, and which share of the seed's score that is. What a custom retriever
-- found has no seed: its share is of a full score. It counts as far as the actor sees it.
by_links AS MATERIALIZED (
    SELECT DISTINCT ON (id) id, seed, share
    FROM (
        SELECT NULL::uuid AS id, NULL::uuid AS seed, NULL::float8 AS share, NULL::float8 AS pull WHERE false
        -- [if follow_links]
        UNION ALL
        SELECT id, seed, share, share * score FROM walk WHERE steps > 0
        -- [end]
        -- [if extra_candidates]
        UNION ALL
        SELECT id, NULL, share, share FROM unnest(%(extra_ids)s::uuid[], %(extra_scores)s::float8[]) AS extra (id, share),
            LATERAL (SELECT FROM memories_memory WHERE id = extra.id AND {visible} OFFSET 0) AS seen
        -- [end]
    ) AS reached
    ORDER BY id, pull DESC
),
-- [end]

-- As many as one row: bytes are quicker to send and to read than hundreds of values. An array of numbers takes
-- 20 bytes, and 12 for each of them.
listed AS (
    SELECT string_agg(
        uuid_send(id) || uuid_send(coalesce(follows, {nil})) || uuid_send(coalesce(seed, {nil})) || array_send(ARRAY[
            coalesce(score, 0), coalesce(words, 0), coalesce(meaning, 'NaN'), coalesce(nearness, 'NaN'), coalesce(present, 0),
            coalesce(size, 0), coalesce(opening, 0), coalesce(asks, 0), coalesce(exact, 0), coalesce(words_rank, 0),
            coalesce(meaning_rank, 0), coalesce(share, 0)
        ]::float8[]),
        ''::bytea
    ) AS candidates
    -- [if has_links]
    FROM (
        SELECT id, follows, seed, score, words, meaning, size, opening, asks, exact, words_rank, meaning_rank, share,
            -- What only a link led to was not compared yet. Adding nothing to `search` has it unpacked once.
            coalesce(present, (
                SELECT {flagged_words}
                FROM (SELECT search || ''::tsvector AS search FROM memories_memory WHERE id = reached.id OFFSET 0)
            )) AS present,
            -- [if by_meaning]
            coalesce(nearness, (
                SELECT -(vector <#> %(vector)s::vector) FROM memories_embedding
                WHERE organization_id = %(organization)s::uuid AND memory_id = reached.id AND model = %(model)s::text
            )) AS nearness
            -- [else]
            nearness
            -- [end]
        FROM (SELECT * FROM summed FULL JOIN by_links USING (id)) AS reached
    ) AS candidate
    -- [else]
    FROM (SELECT *, NULL::uuid AS seed, NULL::float8 AS share FROM summed) AS candidate
    -- [end]
)

SELECT (SELECT count(*) FROM matching), (SELECT count(*) FROM by_meaning),
    (
        SELECT count(*) FROM by_meaning
        WHERE true
            -- [if by_words]
            AND NOT search @@ %(matching)s::tsquery
            -- [end]
            -- [if fallback_query]
            AND NOT search @@ %(fallback)s::tsquery
            -- [end]
    ),
    -- [if has_links]
    (SELECT count(*) FROM by_links LEFT JOIN summed USING (id) WHERE summed.id IS NULL),
    -- [else]
    0::bigint,
    -- [end]
    (SELECT count(*) FROM near), candidates
FROM listed
