"""A large hub in a few statements: what people and agents leave behind them in sensible numbers, straight into the
tables. The tests of plans use it too."""

from typing import Any

from django.db import connection

from benchmarks.harness import SECONDARY

COLUMNS = """key, content, summary, type, category, tags, importance, pinned, source, scope, metadata, version,
    verified_by, forgotten_by, forget_reason, expires_at, review_by, forgotten_at"""


def made_at(moment: str) -> str:
    """An id as the hub would have made it then."""
    return f"""(lpad(to_hex((extract(epoch FROM {moment}) * 1000)::bigint), 12, '0') || '7'
        || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid"""


THEN = "now() - n * %(step)s::interval"
ITS_TEAM = "(%(teams)s::uuid[])[1 + n %% cardinality(%(teams)s::uuid[])]"
AGENT = "(%(agents)s::uuid[])[1 + n %% cardinality(%(agents)s::uuid[])]"

# One in 50 is forgotten, expires soon or is due for review; each has a common word, some rare ones and a rollback;
# one is the core memory.
MEMORY_ROWS = f"""
INSERT INTO memories_memory (id, organization_id, team_id, agent_id, created_at, updated_at, owns_key, channel_id,
    {COLUMNS})
SELECT {made_at(THEN)}, %(organization)s, {ITS_TEAM}, {AGENT}, {THEN},
    {THEN}, n = 1000, '', CASE WHEN n = 1000 THEN 'core' ELSE '' END,
    concat_ws(' ', 'harbour', 'mid' || (n * 7 %% 100), 'word' || (n * 7919 %% 10007),
        CASE WHEN n %% 500 = 0 THEN 'rollback' END),
    '', (%(types)s::text[])[1 + n %% 9], 'fact', ARRAY['tag' || n %% 40], (n * 37 %% 1000) / 1000.0, n %% 97 = 0,
    'manual', 'team', '{{}}', 1, '', '', '',
    CASE WHEN n %% 50 = 1 THEN now() + n * interval '10 minutes' END, CASE WHEN n %% 50 = 2 THEN now() END,
    CASE WHEN n %% 50 = 3 THEN now() END
FROM generate_series(1, %(memories)s::bigint) AS n
"""
REVISION_ROWS = f"""
INSERT INTO memories_revision (id, organization_id, memory_id, agent_id, token_id, audience, created_at, change,
    {COLUMNS})
SELECT {made_at("created_at")}, organization_id, id, agent_id, %(token)s, audience, created_at, 'created', {COLUMNS}
FROM memories_memory WHERE organization_id = %(organization)s
"""
RECALL_ROWS = (
    """
INSERT INTO memories_usage (organization_id, memory_id, audience, access_count, last_accessed_at)
SELECT organization_id, id, audience, 3, now() FROM memories_memory WHERE organization_id = %(organization)s
LIMIT %(recalls)s
""",
    f"""
INSERT INTO memories_recalllog (id, organization_id, team_id, audience, agent_id, token_id, created_at, query, mode,
    filters, memory_ids, versions, total_found, took_ms)
SELECT {made_at("now() - n * 2 * %(step)s::interval")}, %(organization)s, {ITS_TEAM}, {ITS_TEAM}, {AGENT}, %(token)s,
    now() - n * 2 * %(step)s::interval,
    'question ' || n %% 300, 'hybrid', '{{}}', CASE WHEN n %% 20 = 0 THEN '{{}}'::uuid[] ELSE few.ids END,
    CASE WHEN n %% 20 = 0 THEN '{{}}'::int[] ELSE '{{1,1,1}}'::int[] END, CASE WHEN n %% 20 = 0 THEN 0 ELSE 3 END,
    n %% 50
FROM generate_series(1, %(recalls)s::bigint) AS n, (
    SELECT array_agg(id) AS ids FROM (
        SELECT id FROM memories_memory WHERE organization_id = %(organization)s LIMIT 3
    ) AS three
) AS few
""",
)
FILE_ROWS = (
    f"""
INSERT INTO memories_teamfile (id, organization_id, team_id, agent_id, created_at, updated_at, path, content, version)
SELECT gen_random_uuid(), %(organization)s, {ITS_TEAM}, {AGENT}, now(), now(),
    CASE WHEN n %% 2 = 0 THEN 'conversations/2026-01-01-talk-' ELSE 'notes/' || n %% 20 || '/' END || n || '.md',
    '# Title ' || n || CASE WHEN n %% 20 = 1 THEN ' main' ELSE '' END, 1
FROM generate_series(1, %(files)s::bigint) AS n
""",
    """
INSERT INTO memories_fileversion (id, organization_id, file_id, agent_id, token_id, created_at, version, path, content,
    change)
SELECT gen_random_uuid(), organization_id, id, agent_id, %(token)s, created_at, 1, path, content, 'created'
FROM memories_teamfile WHERE organization_id = %(organization)s
""",
)
FILL_STATEMENTS = (MEMORY_ROWS, REVISION_ROWS, *RECALL_ROWS, *FILE_ROWS)

# What hangs on memories: of each kind as many as its share of them.
HANGING = (
    """
INSERT INTO memories_association (id, organization_id, agent_id, created_at, updated_at, origin_id, target_id, relation,
    weight)
SELECT gen_random_uuid(), organization_id, agent_id, now(), now(), id, following, 'related_to', 0.5
FROM (SELECT *, lead(id) OVER (ORDER BY id) AS following FROM memories_memory LIMIT %(memories)s / 10) AS pairs
WHERE following IS NOT NULL
""",
    """
INSERT INTO memories_source (id, organization_id, agent_id, created_at, memory_id, message_id, url, quote)
SELECT gen_random_uuid(), organization_id, agent_id, now(), id, 'm1', 'https://wiki.example/harbour', 'As they said.'
FROM memories_memory LIMIT %(memories)s / 10
""",
    """
INSERT INTO memories_asset (id, organization_id, agent_id, created_at, memory_id, file, name, content_type, size,
    sha256)
SELECT gen_random_uuid(), organization_id, agent_id, now(), id, 'assets/' || id, 'harbour.png', 'image/png', 9,
    repeat('a', 64)
FROM memories_memory LIMIT %(memories)s / 20
""",
    """
INSERT INTO memories_embedding (id, organization_id, memory_id, audience, model, dimension, memory_version, vector,
    created_at)
SELECT gen_random_uuid(), organization_id, id, audience, 'wordllama-256', 256, 1,
    ('[' || repeat('0.1,', 255) || '0.1]')::vector, now()
FROM memories_memory WHERE forgotten_at IS NULL LIMIT %(vectors)s
""",
    """
INSERT INTO memories_unembedded (id, organization_id, memory_id, model, memory_version, attempts)
SELECT gen_random_uuid(), organization_id, id, 'older', 1, 0 FROM memories_memory LIMIT %(memories)s / 20
""",
    """
INSERT INTO memories_embeddingmodel (name, made_by, dimension, created_at, queued_at, covered_at, error)
VALUES ('wordllama-256', '{"provider": "wordllama"}', 256, now(), now(), now(), '')
""",
)
# Who: agents' conversations and people grow with the memories, logins and tokens with the teams.
WHO = (
    """
INSERT INTO teams_person (id, organization_id, handle, name)
SELECT gen_random_uuid(), %(organization)s, 'person-' || n, 'Person ' || n
FROM generate_series(1, %(people)s::bigint) AS n
""",
    f"""
INSERT INTO teams_session (id, organization_id, agent_id, name, channel_id)
SELECT gen_random_uuid(), %(organization)s, {AGENT}, 'session-' || n, 'channel-' || n %% 100
FROM generate_series(1, %(memories)s::bigint / 10) AS n
""",
    f"""
INSERT INTO teams_token (id, organization_id, agent_id, label, prefix, digest, verbs, created_at, last_used_at)
SELECT gen_random_uuid(), %(organization)s, {AGENT}, 'token ' || n, 'mh_' || lpad(n::text, 9, '0'), ''::bytea,
    '{{read}}', now() - n * interval '1 hour', CASE WHEN n %% 2 = 0 THEN now() - n * interval '1 hour' END
FROM generate_series(1, %(memories)s::bigint / 100) AS n
""",
    """
INSERT INTO auth_user (username, email, first_name, last_name, password, is_active, is_staff, is_superuser, date_joined)
SELECT 'login-' || n, 'login-' || n || '@example.com', 'Harbour', 'Pilot', '!', true, false, false, now()
FROM generate_series(1, 1000) AS n
""",
    f"""
INSERT INTO teams_membership (id, organization_id, team_id, user_id, role)
SELECT gen_random_uuid(), %(organization)s, {ITS_TEAM}, id, 'viewer'
FROM (SELECT id, row_number() OVER () AS n FROM auth_user WHERE username LIKE 'login-%%') AS logins
""",
    """
INSERT INTO teams_invitation (id, organization_id, team_id, role, digest, made_by_id, expires_at)
SELECT gen_random_uuid(), organization_id, team_id, role, decode(md5(id::text), 'hex'), user_id, now()
FROM teams_membership WHERE organization_id = %(organization)s
""",
    f"""
INSERT INTO teams_project (id, organization_id, team_id, slug, name)
SELECT gen_random_uuid(), %(organization)s, {ITS_TEAM}, 'project-' || n, 'Project ' || n
FROM generate_series(1, 10 * cardinality(%(teams)s::uuid[])) AS n
""",
    """
INSERT INTO teams_admission (id, organization_id, project_id, agent_id)
SELECT gen_random_uuid(), organization_id, id, (%(agents)s::uuid[])[1]
FROM teams_project WHERE organization_id = %(organization)s
""",
    """
INSERT INTO teams_workspace (id, organization_id, slug, name)
SELECT gen_random_uuid(), %(organization)s, 'workspace-' || n, 'Workspace ' || n FROM generate_series(1, 100) AS n
""",
)
# What was done.
DONE = (
    f"""
INSERT INTO memories_batch (id, organization_id, team_id, agent_id, created_at, deed, tags, memory_ids, versions_before,
    versions_after, undone_by, left_ids)
SELECT {made_at(THEN)}, %(organization)s, {ITS_TEAM}, {AGENT}, {THEN}, 'pin', '{{}}', '{{}}', '{{}}', '{{}}', '', '{{}}'
FROM generate_series(1, %(memories)s::bigint / 100) AS n
""",
    """
INSERT INTO memories_settledquestion (id, organization_id, team_id, audience, agent_id, created_at, question)
SELECT gen_random_uuid(), %(organization)s, (%(teams)s::uuid[])[1], (%(teams)s::uuid[])[1], (%(agents)s::uuid[])[1],
    now(), 'question ' || n
FROM generate_series(1, %(memories)s::bigint / 100) AS n
""",
    """
INSERT INTO memories_answer (id, organization_id, caller, key, fingerprint, memory_ids, created_at)
SELECT gen_random_uuid(), %(organization)s, 'agent', 'key-' || n, '', '{}', now()
FROM generate_series(1, %(memories)s::bigint / 20) AS n
""",
    """
INSERT INTO django_admin_log (action_time, user_id, content_type_id, object_id, object_repr, action_flag,
    change_message)
SELECT now(), (SELECT min(id) FROM auth_user), (SELECT min(id) FROM django_content_type), n, 'harbour ' || n, 2, ''
FROM generate_series(1, %(memories)s::bigint / 20) AS n
""",
    """
INSERT INTO procrastinate_jobs (queue_name, task_name, status, attempts)
SELECT task, task, CASE WHEN n %% 50 = 0 THEN 'failed' ELSE 'succeeded' END::procrastinate_job_status, 1
FROM generate_series(1, 8000) AS n, LATERAL (SELECT (ARRAY['sweep', 'embed', 'mend'])[1 + n %% 3] AS task) AS tasks
""",
    """
INSERT INTO procrastinate_events (job_id, type, at)
SELECT id, status::text::procrastinate_job_event_type, now() - id * interval '20 seconds' FROM procrastinate_jobs
""",
)
BESIDE = (*HANGING, *WHO, *DONE)


# Where most rows go, and most indexes are.
FILLED = ["memories_memory", "memories_revision", "memories_embedding", "memories_recalllog"]


def fill(values: dict[str, Any]) -> None:
    """Without their indexes the tables fill sooner; they get them back, and are analysed."""
    with connection.cursor() as cursor:
        cursor.execute(SECONDARY, [FILLED])
        indexes = cursor.fetchall()
        before = [f'DROP INDEX "{name}"' for name, _ in indexes]
        for statement in (*before, "SET session_replication_role = replica"):  # whoever the rows name is there
            cursor.execute(statement)
        for statement in FILL_STATEMENTS + BESIDE:
            cursor.execute(statement, values)
        after = ["RESET session_replication_role", "SET maintenance_work_mem = '512MB'"]
        after += [*(made for _, made in indexes), "RESET maintenance_work_mem", "VACUUM ANALYZE"]
        for statement in after:
            cursor.execute(statement)
