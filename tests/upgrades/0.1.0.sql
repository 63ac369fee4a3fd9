--
-- PostgreSQL database dump
--



SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: procrastinate_job_event_type; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.procrastinate_job_event_type AS ENUM (
    'deferred',
    'started',
    'deferred_for_retry',
    'failed',
    'succeeded',
    'cancelled',
    'abort_requested',
    'aborted',
    'scheduled',
    'retried'
);


--
-- Name: procrastinate_job_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.procrastinate_job_status AS ENUM (
    'todo',
    'doing',
    'succeeded',
    'failed',
    'cancelled',
    'aborting',
    'aborted'
);


--
-- Name: procrastinate_job_to_defer_v1; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.procrastinate_job_to_defer_v1 AS (
	queue_name character varying,
	task_name character varying,
	priority integer,
	lock text,
	queueing_lock text,
	args jsonb,
	scheduled_at timestamp with time zone
);


--
-- Name: memory_normal(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_normal(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN ((octet_length($1) = char_length($1)) OR ($1 ~ '[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0730-\u074a\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u0898-\u08ff\u0951-\u0954\u0e38-\u0e4b\u0eb8-\u0ecb\u0f18-\u0f87\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ufe20-\ufe2f]{31}'::text)) THEN $1 ELSE NORMALIZE($1, NFC) END;


--
-- Name: memory_plain(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_plain(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace($1, '[!-/:-@[-`{-~]'::text, ' '::text, 'g'::text);


--
-- Name: memory_words(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_words(text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN to_tsvector('english'::regconfig, public.memory_plain(public.memory_normal($1)));


--
-- Name: file_search(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.file_search(path text, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (setweight(public.memory_words(path), 'A'::"char") || setweight(public.memory_words("left"(content, 65536)), 'C'::"char"));


--
-- Name: memory_apart(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_apart(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(regexp_replace($1, '->|[,;=*|~"''`()\[\]{}<>“”„‚‘’«»‹›「」『』【】（）〈〉《》…—–。、！？：；，．]'::text, ' '::text, 'g'::text), '(?<=[!-~])(?=[\u0e00-\u0e7f\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef])|(?<=[\u0e00-\u0e7f\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef])(?=[!-~])'::text, ' '::text, 'g'::text);


--
-- Name: memory_identifiers(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_identifiers(text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ARRAY(SELECT DISTINCT ('='::text || tokens.token) FROM (SELECT rtrim(ltrim(word.word, '([{<"''`*_“„‘«‹「『【（〈《'::text), '.,;:!?)]}>"''`*_”“’»›」』】）〉》…。、！？：；，．'::text) AS token FROM (SELECT lower(public.memory_normal($1)) AS whole) said, LATERAL regexp_split_to_table(((said.whole || ' '::text) || public.memory_apart(said.whole)), '\s+'::text) word(word) WHERE (word.word ~ '[^a-z]'::text)) tokens WHERE ((tokens.token ~ '[^a-z]'::text) AND (length(tokens.token) <= 200) AND ((length(tokens.token) > 1) OR (octet_length(tokens.token) > 1))));


--
-- Name: memory_opening(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_opening(text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower("substring"("left"($1, 100), '\w+'::text));


--
-- Name: memory_pairs(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_pairs(text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN (octet_length($1) = char_length($1)) THEN '{}'::text[] ELSE ARRAY(SELECT DISTINCT ('~'::text || pairs.pair) FROM regexp_matches(public.memory_normal($1), '[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}'::text, 'g'::text) run(run), LATERAL (SELECT (written."character" || lead(written."character") OVER (ORDER BY written.place)) AS pair FROM unnest(string_to_array(run.run[1], NULL::text)) WITH ORDINALITY written("character", place)) pairs WHERE (pairs.pair IS NOT NULL)) END;


--
-- Name: memory_search(uuid, text, text[], text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_search(audience uuid, key text, tags text[], summary text, category text, content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (((setweight(public.memory_words(((key || ' '::text) || array_to_string(tags, ' '::text))), 'A'::"char") || setweight(public.memory_words(((summary || ' '::text) || category)), 'B'::"char")) || setweight(public.memory_words(content), 'C'::"char")) || array_to_tsvector(((public.memory_identifiers(((((((key || ' '::text) || array_to_string(tags, ' '::text)) || ' '::text) || summary) || ' '::text) || content)) || public.memory_pairs(((((((key || ' '::text) || array_to_string(tags, ' '::text)) || ' '::text) || summary) || ' '::text) || content))) || COALESCE(('@'::text || (audience)::text), '@'::text))));


--
-- Name: memory_standing(double precision, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.memory_standing(importance double precision, updated_at timestamp with time zone) RETURNS double precision
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ((ln(GREATEST(importance, (0.000000001)::double precision)) / ln((2.0)::double precision)) + ((EXTRACT(epoch FROM (updated_at - '2020-01-01 00:00:00+00'::timestamp with time zone)))::double precision / ((86400.0 * 90.0))::double precision));


--
-- Name: procrastinate_cancel_job_v1(bigint, boolean, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status = 'todo'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        IF abort THEN
            UPDATE procrastinate_jobs
            SET abort_requested = true,
                status = CASE status
                    WHEN 'todo' THEN 'cancelled'::procrastinate_job_status ELSE status
                END
            WHERE id = job_id AND status IN ('todo', 'doing')
            RETURNING id INTO _job_id;
        ELSE
            UPDATE procrastinate_jobs
            SET status = 'cancelled'::procrastinate_job_status
            WHERE id = job_id AND status = 'todo'
            RETURNING id INTO _job_id;
        END IF;
    END IF;
    RETURN _job_id;
END;
$$;


--
-- Name: procrastinate_defer_jobs_v1(public.procrastinate_job_to_defer_v1[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_defer_jobs_v1(jobs public.procrastinate_job_to_defer_v1[]) RETURNS bigint[]
    LANGUAGE plpgsql
    AS $$
DECLARE
    job_ids bigint[];
BEGIN
    WITH inserted_jobs AS (
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
        SELECT (job).queue_name,
               (job).task_name,
               (job).priority,
               (job).lock,
               (job).queueing_lock,
               (job).args,
               (job).scheduled_at
        FROM unnest(jobs) AS job
        RETURNING id
    )
    SELECT array_agg(id) FROM inserted_jobs INTO job_ids;

    RETURN job_ids;
END;
$$;


--
-- Name: procrastinate_defer_periodic_job_v2(character varying, character varying, character varying, character varying, integer, character varying, bigint, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_defer_periodic_job_v2(_queue_name character varying, _lock character varying, _queueing_lock character varying, _task_name character varying, _priority integer, _periodic_id character varying, _defer_timestamp bigint, _args jsonb) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
	_job_id bigint;
	_defer_id bigint;
BEGIN
    INSERT
        INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
        VALUES (_task_name, _periodic_id, _defer_timestamp)
        ON CONFLICT DO NOTHING
        RETURNING id into _defer_id;

    IF _defer_id IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE procrastinate_periodic_defers
        SET job_id = (
            SELECT COALESCE((
                SELECT unnest(procrastinate_defer_jobs_v1(
                    ARRAY[
                        ROW(
                            _queue_name,
                            _task_name,
                            _priority,
                            _lock,
                            _queueing_lock,
                            _args,
                            NULL::timestamptz
                        )
                    ]::procrastinate_job_to_defer_v1[]
                ))
            ), NULL)
        )
        WHERE id = _defer_id
        RETURNING job_id INTO _job_id;

    DELETE
        FROM procrastinate_periodic_defers
        USING (
            SELECT id
            FROM procrastinate_periodic_defers
            WHERE procrastinate_periodic_defers.task_name = _task_name
            AND procrastinate_periodic_defers.periodic_id = _periodic_id
            AND procrastinate_periodic_defers.defer_timestamp < _defer_timestamp
            ORDER BY id
            FOR UPDATE
        ) to_delete
        WHERE procrastinate_periodic_defers.id = to_delete.id;

    RETURN _job_id;
END;
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: procrastinate_jobs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.procrastinate_jobs (
    id bigint NOT NULL,
    queue_name character varying(128) NOT NULL,
    task_name character varying(128) NOT NULL,
    lock text,
    args jsonb DEFAULT '{}'::jsonb NOT NULL,
    status public.procrastinate_job_status DEFAULT 'todo'::public.procrastinate_job_status NOT NULL,
    scheduled_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    queueing_lock text,
    priority integer DEFAULT 0 NOT NULL,
    abort_requested boolean DEFAULT false NOT NULL,
    worker_id bigint,
    CONSTRAINT check_not_todo_abort_requested CHECK ((NOT ((status = 'todo'::public.procrastinate_job_status) AND (abort_requested = true))))
);


--
-- Name: procrastinate_fetch_job_v2(character varying[], bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_fetch_job_v2(target_queue_names character varying[], p_worker_id bigint) RETURNS public.procrastinate_jobs
    LANGUAGE plpgsql
    AS $$
DECLARE
	found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
            FROM procrastinate_jobs AS jobs
            WHERE
                -- reject the job if its lock has earlier or higher priority jobs
                NOT EXISTS (
                    SELECT 1
                        FROM procrastinate_jobs AS other_jobs
                        WHERE
                            jobs.lock IS NOT NULL
                            AND other_jobs.lock = jobs.lock
                            AND (
                                -- job with same lock is already running
                                other_jobs.status = 'doing'
                                OR
                                -- job with same lock is waiting and has higher priority (or same priority but was queued first)
                                (
                                    other_jobs.status = 'todo'
                                    AND (
                                        other_jobs.priority > jobs.priority
                                        OR (
                                        other_jobs.priority = jobs.priority
                                        AND other_jobs.id < jobs.id
                                        )
                                    )
                                )
                            )
                )
                AND jobs.status = 'todo'
                AND (target_queue_names IS NULL OR jobs.queue_name = ANY( target_queue_names ))
                AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
            ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1
            FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
        SET status = 'doing', worker_id = p_worker_id
        FROM candidate
        WHERE procrastinate_jobs.id = candidate.id
        RETURNING procrastinate_jobs.* INTO found_jobs;

 RETURN found_jobs;
END;
$$;


--
-- Name: procrastinate_finish_job_v1(bigint, public.procrastinate_job_status, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_finish_job_v1(job_id bigint, end_status public.procrastinate_job_status, delete_job boolean) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF end_status NOT IN ('succeeded', 'failed', 'aborted') THEN
        RAISE 'End status should be either "succeeded", "failed" or "aborted" (job id: %)', job_id;
    END IF;
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = end_status,
            abort_requested = false,
            attempts = CASE status
                WHEN 'doing' THEN attempts + 1 ELSE attempts
            END
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" or "todo" status (job id: %)', job_id;
    END IF;
END;
$$;


--
-- Name: procrastinate_notify_queue_abort_job_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_notify_queue_abort_job_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'abort_job_requested', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;


--
-- Name: procrastinate_notify_queue_job_inserted_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_notify_queue_job_inserted_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'job_inserted', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;


--
-- Name: procrastinate_prune_stalled_workers_v1(double precision); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat double precision) RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    DELETE FROM procrastinate_workers
    WHERE last_heartbeat < NOW() - (seconds_since_heartbeat || 'SECOND')::INTERVAL
    RETURNING procrastinate_workers.id;
END;
$$;


--
-- Name: procrastinate_register_worker_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_register_worker_v1() RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY
    INSERT INTO procrastinate_workers DEFAULT VALUES
    RETURNING procrastinate_workers.id;
END;
$$;


--
-- Name: procrastinate_retry_job_v1(bigint, timestamp with time zone, integer, character varying, character varying); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_retry_job_v1(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
BEGIN
    SELECT abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status = 'doing'
    FOR UPDATE
    INTO _abort_requested;
    IF _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" status (job id: %)', job_id;
    END IF;
END;
$$;


--
-- Name: procrastinate_retry_job_v2(bigint, timestamp with time zone, integer, character varying, character varying); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_retry_job_v2(job_id bigint, retry_at timestamp with time zone, new_priority integer, new_queue_name character varying, new_lock character varying) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
    _current_status procrastinate_job_status;
BEGIN
    SELECT status, abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status IN ('doing', 'failed')
    FOR UPDATE
    INTO _current_status, _abort_requested;
    IF _current_status = 'doing' AND _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status IN ('doing', 'failed')
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or has an invalid status to retry (job id: %)', job_id;
    END IF;

END;
$$;


--
-- Name: procrastinate_trigger_abort_requested_events_procedure_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_trigger_abort_requested_events_procedure_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'abort_requested'::procrastinate_job_event_type);
    RETURN NEW;
END;
$$;


--
-- Name: procrastinate_trigger_function_scheduled_events_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_trigger_function_scheduled_events_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type, at)
        VALUES (NEW.id, 'scheduled'::procrastinate_job_event_type, NEW.scheduled_at);

	RETURN NEW;
END;
$$;


--
-- Name: procrastinate_trigger_function_status_events_insert_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_trigger_function_status_events_insert_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'deferred'::procrastinate_job_event_type);
	RETURN NEW;
END;
$$;


--
-- Name: procrastinate_trigger_function_status_events_update_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_trigger_function_status_events_update_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    WITH t AS (
        SELECT CASE
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND NEW.status = 'doing'::procrastinate_job_status
                THEN 'started'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'deferred_for_retry'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'failed'::procrastinate_job_status
                THEN 'failed'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'succeeded'::procrastinate_job_status
                THEN 'succeeded'::procrastinate_job_event_type
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND (
                    NEW.status = 'cancelled'::procrastinate_job_status
                    OR NEW.status = 'failed'::procrastinate_job_status
                    OR NEW.status = 'succeeded'::procrastinate_job_status
                )
                THEN 'cancelled'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'aborted'::procrastinate_job_status
                THEN 'aborted'::procrastinate_job_event_type
            WHEN OLD.status = 'failed'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'retried'::procrastinate_job_event_type
            ELSE NULL
        END as event_type
    )
    INSERT INTO procrastinate_events(job_id, type)
        SELECT NEW.id, t.event_type
        FROM t
        WHERE t.event_type IS NOT NULL;
	RETURN NEW;
END;
$$;


--
-- Name: procrastinate_unlink_periodic_defers_v1(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_unlink_periodic_defers_v1() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_periodic_defers
    SET job_id = NULL
    WHERE job_id = OLD.id;
    RETURN OLD;
END;
$$;


--
-- Name: procrastinate_unregister_worker_v1(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_unregister_worker_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM procrastinate_workers
    WHERE id = worker_id;
END;
$$;


--
-- Name: procrastinate_update_heartbeat_v1(bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.procrastinate_update_heartbeat_v1(worker_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE procrastinate_workers
    SET last_heartbeat = NOW()
    WHERE id = worker_id;
END;
$$;


--
-- Name: auth_group; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);


--
-- Name: auth_group_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_group_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_permission; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user (
    id integer NOT NULL,
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    username character varying(150) NOT NULL,
    first_name character varying(150) NOT NULL,
    last_name character varying(150) NOT NULL,
    email character varying(254) NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL
);


--
-- Name: auth_user_groups; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_groups (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    group_id integer NOT NULL
);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: auth_user_user_permissions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.auth_user_user_permissions (
    id bigint NOT NULL,
    user_id integer NOT NULL,
    permission_id integer NOT NULL
);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.auth_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_admin_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id integer NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_content_type; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_migrations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: django_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);


--
-- Name: memories_answer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_answer (
    id uuid NOT NULL,
    caller character varying(64) NOT NULL,
    key character varying(255) NOT NULL,
    fingerprint character varying(64) NOT NULL,
    answer jsonb,
    memory_ids uuid[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL
);


--
-- Name: memories_asset; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_asset (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    file character varying(200) NOT NULL,
    name character varying(255) NOT NULL,
    content_type character varying(127) NOT NULL,
    size bigint NOT NULL,
    sha256 character varying(64) NOT NULL,
    agent_id uuid,
    organization_id uuid NOT NULL,
    user_id integer,
    memory_id uuid NOT NULL,
    removed_at timestamp with time zone,
    CONSTRAINT asset_has_a_sha256 CHECK (((sha256)::text ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT memories_asset_size_check CHECK ((size >= 0))
);


--
-- Name: memories_association; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_association (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    relation character varying(16) NOT NULL,
    weight double precision NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    agent_id uuid,
    organization_id uuid NOT NULL,
    user_id integer,
    origin_id uuid NOT NULL,
    target_id uuid NOT NULL,
    CONSTRAINT association_is_between_two CHECK ((NOT (origin_id = target_id))),
    CONSTRAINT relation_is_known CHECK (((relation)::text = ANY ((ARRAY['related_to'::character varying, 'updates'::character varying, 'contradicts'::character varying, 'caused_by'::character varying, 'result_of'::character varying, 'part_of'::character varying])::text[]))),
    CONSTRAINT weight_is_between_0_and_1 CHECK (((weight >= (0.0)::double precision) AND (weight <= (1.0)::double precision)))
);


--
-- Name: memories_batch; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_batch (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deed character varying(16) NOT NULL,
    tags text[] NOT NULL,
    expires_at timestamp with time zone,
    memory_ids uuid[] NOT NULL,
    versions_before integer[] NOT NULL,
    versions_after integer[] NOT NULL,
    undone_at timestamp with time zone,
    undone_by character varying(200) NOT NULL,
    left_ids uuid[] NOT NULL,
    agent_id uuid,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    user_id integer,
    workspace_id uuid,
    CONSTRAINT batched_memories_have_versions CHECK (((
CASE
    WHEN (memory_ids IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(memory_ids, 1), 0)
END =
CASE
    WHEN (versions_before IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(versions_before, 1), 0)
END) AND (
CASE
    WHEN (versions_before IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(versions_before, 1), 0)
END =
CASE
    WHEN (versions_after IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(versions_after, 1), 0)
END)))
);


--
-- Name: memories_day; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_day (
    workspace_key uuid NOT NULL,
    day date NOT NULL,
    saved integer NOT NULL,
    recalled integer NOT NULL,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    CONSTRAINT memories_day_recalled_check CHECK ((recalled >= 0)),
    CONSTRAINT memories_day_saved_check CHECK ((saved >= 0))
);


--
-- Name: memories_embedding; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_embedding (
    id uuid NOT NULL,
    audience uuid NOT NULL,
    model character varying(100) NOT NULL,
    dimension integer NOT NULL,
    memory_version integer NOT NULL,
    vector real[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    CONSTRAINT memories_embedding_dimension_check CHECK ((dimension >= 0)),
    CONSTRAINT memories_embedding_memory_version_check CHECK ((memory_version >= 0))
);


--
-- Name: memories_embeddingmodel; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_embeddingmodel (
    name character varying(100) NOT NULL,
    made_by jsonb NOT NULL,
    dimension integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    queued_at timestamp with time zone,
    covered_at timestamp with time zone,
    failed_at timestamp with time zone,
    error text NOT NULL,
    CONSTRAINT memories_embeddingmodel_dimension_check CHECK ((dimension >= 0))
);


--
-- Name: memories_fileversion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_fileversion (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    version integer NOT NULL,
    path character varying(500) NOT NULL,
    content text NOT NULL,
    change character varying(16) NOT NULL,
    agent_id uuid,
    organization_id uuid NOT NULL,
    user_id integer,
    file_id uuid NOT NULL,
    token_id uuid,
    CONSTRAINT memories_fileversion_version_check CHECK ((version >= 0))
);


--
-- Name: memories_growth; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_growth (
    day date NOT NULL,
    memories integer NOT NULL,
    recalls integer NOT NULL,
    CONSTRAINT memories_growth_memories_check CHECK ((memories >= 0)),
    CONSTRAINT memories_growth_recalls_check CHECK ((recalls >= 0))
);


--
-- Name: memories_lexeme; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_lexeme (
    audience uuid NOT NULL,
    lexeme text NOT NULL,
    memories integer NOT NULL,
    organization_id uuid NOT NULL,
    CONSTRAINT memories_lexeme_memories_check CHECK ((memories >= 0))
);


--
-- Name: memories_memory; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_memory (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    key character varying(200) NOT NULL,
    content text NOT NULL,
    summary character varying(1000) NOT NULL,
    type character varying(16) NOT NULL,
    category character varying(64) NOT NULL,
    tags character varying(64)[] NOT NULL,
    importance double precision NOT NULL,
    pinned boolean NOT NULL,
    expires_at timestamp with time zone,
    source character varying(64) NOT NULL,
    scope character varying(16) NOT NULL,
    metadata jsonb NOT NULL,
    version integer NOT NULL,
    verified_at timestamp with time zone,
    verified_by character varying(200) NOT NULL,
    review_by timestamp with time zone,
    forgotten_at timestamp with time zone,
    forgotten_by character varying(200) NOT NULL,
    forget_reason character varying(1000) NOT NULL,
    channel_id character varying(200) NOT NULL,
    owns_key boolean NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    purged_at timestamp with time zone,
    audience uuid GENERATED ALWAYS AS (
CASE
    WHEN ((scope)::text = 'team'::text) THEN team_id
    WHEN ((scope)::text = 'project'::text) THEN project_id
    WHEN ((scope)::text = 'agent'::text) THEN agent_id
    WHEN ((scope)::text = 'global'::text) THEN person_id
    ELSE NULL::uuid
END) STORED,
    agent_id uuid,
    organization_id uuid NOT NULL,
    person_id uuid,
    project_id uuid,
    session_id uuid,
    team_id uuid NOT NULL,
    user_id integer,
    workspace_id uuid,
    search tsvector GENERATED ALWAYS AS (public.memory_search(
CASE
    WHEN ((scope)::text = 'team'::text) THEN team_id
    WHEN ((scope)::text = 'project'::text) THEN project_id
    WHEN ((scope)::text = 'agent'::text) THEN agent_id
    WHEN ((scope)::text = 'global'::text) THEN person_id
    ELSE NULL::uuid
END, (key)::text, (tags)::text[], (summary)::text, (category)::text, content)) STORED,
    opening text GENERATED ALWAYS AS (public.memory_opening(content)) STORED,
    CONSTRAINT content_is_1_to_50000_bytes CHECK (((octet_length(content) <= 50000) AND (NOT (content = ''::text)))),
    CONSTRAINT importance_is_between_0_and_1 CHECK (((importance >= (0.0)::double precision) AND (importance <= (1.0)::double precision))),
    CONSTRAINT memories_memory_version_check CHECK ((version >= 0)),
    CONSTRAINT only_a_key_is_owned CHECK (((NOT owns_key) OR (NOT ((key)::text = ''::text)))),
    CONSTRAINT scope_names_its_audience CHECK ((((scope)::text = 'team'::text) OR ((project_id IS NOT NULL) AND ((scope)::text = 'project'::text)) OR ((agent_id IS NOT NULL) AND ((scope)::text = 'agent'::text)) OR ((person_id IS NOT NULL) AND ((scope)::text = 'global'::text)))),
    CONSTRAINT tags_are_32_at_most CHECK ((
CASE
    WHEN (tags IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(tags, 1), 0)
END <= 32)),
    CONSTRAINT type_is_known CHECK (((type)::text = ANY ((ARRAY['fact'::character varying, 'preference'::character varying, 'decision'::character varying, 'identity'::character varying, 'event'::character varying, 'observation'::character varying, 'goal'::character varying, 'todo'::character varying, 'lesson'::character varying])::text[]))),
    CONSTRAINT version_is_positive CHECK ((version >= 1))
);


--
-- Name: memories_recalllog; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_recalllog (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    query text NOT NULL,
    mode character varying(16) NOT NULL,
    filters jsonb NOT NULL,
    memory_ids uuid[] NOT NULL,
    versions integer[] NOT NULL,
    total_found integer NOT NULL,
    agent_id uuid,
    organization_id uuid NOT NULL,
    session_id uuid,
    team_id uuid NOT NULL,
    user_id integer,
    token_id uuid,
    took_ms double precision,
    audience uuid,
    workspace_id uuid,
    CONSTRAINT memories_recalllog_total_found_check CHECK ((total_found >= 0)),
    CONSTRAINT recalled_memories_have_versions CHECK ((
CASE
    WHEN (memory_ids IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(memory_ids, 1), 0)
END =
CASE
    WHEN (versions IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(versions, 1), 0)
END))
);


--
-- Name: memories_revision; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_revision (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    key character varying(200) NOT NULL,
    content text NOT NULL,
    summary character varying(1000) NOT NULL,
    type character varying(16) NOT NULL,
    category character varying(64) NOT NULL,
    tags character varying(64)[] NOT NULL,
    importance double precision NOT NULL,
    pinned boolean NOT NULL,
    expires_at timestamp with time zone,
    source character varying(64) NOT NULL,
    scope character varying(16) NOT NULL,
    metadata jsonb NOT NULL,
    version integer NOT NULL,
    verified_at timestamp with time zone,
    verified_by character varying(200) NOT NULL,
    review_by timestamp with time zone,
    forgotten_at timestamp with time zone,
    forgotten_by character varying(200) NOT NULL,
    forget_reason character varying(1000) NOT NULL,
    change character varying(16) NOT NULL,
    audience uuid NOT NULL,
    agent_id uuid,
    memory_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    user_id integer,
    token_id uuid,
    CONSTRAINT memories_revision_version_check CHECK ((version >= 0))
);


--
-- Name: memories_settledquestion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_settledquestion (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    agent_id uuid,
    user_id integer,
    created_at timestamp with time zone NOT NULL,
    team_id uuid NOT NULL,
    question character varying(500) NOT NULL,
    memory_id uuid,
    audience uuid,
    workspace_id uuid
);


--
-- Name: memories_source; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_source (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    message_id character varying(200) NOT NULL,
    url character varying(2000) NOT NULL,
    quote text NOT NULL,
    agent_id uuid,
    memory_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    session_id uuid,
    user_id integer,
    removed_at timestamp with time zone,
    CONSTRAINT source_says_something CHECK ((NOT (((message_id)::text = ''::text) AND (quote = ''::text) AND (session_id IS NULL) AND ((url)::text = ''::text))))
);


--
-- Name: memories_teamfile; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_teamfile (
    id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    path character varying(500) NOT NULL,
    content text NOT NULL,
    version integer NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    search tsvector GENERATED ALWAYS AS (public.file_search((path)::text, content)) STORED,
    agent_id uuid,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    user_id integer,
    workspace_id uuid,
    CONSTRAINT file_is_1_mib_at_most CHECK ((octet_length(content) <= 1048576)),
    CONSTRAINT memories_teamfile_version_check CHECK ((version >= 0)),
    CONSTRAINT path_stays_inside CHECK ((NOT ((path)::text ~ '(^|/)\.{0,2}(/|$)'::text)))
);


--
-- Name: memories_unembedded; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_unembedded (
    id uuid NOT NULL,
    organization_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    model character varying(100) NOT NULL,
    memory_version integer NOT NULL,
    attempts smallint NOT NULL,
    links boolean DEFAULT false NOT NULL,
    CONSTRAINT memories_unembedded_attempts_check CHECK ((attempts >= 0)),
    CONSTRAINT memories_unembedded_memory_version_check CHECK ((memory_version >= 0))
);


--
-- Name: memories_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_usage (
    organization_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    audience uuid NOT NULL,
    access_count integer NOT NULL,
    last_accessed_at timestamp with time zone NOT NULL,
    CONSTRAINT memories_usage_access_count_check CHECK ((access_count >= 0))
);


--
-- Name: memories_vocabulary; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories_vocabulary (
    id uuid NOT NULL,
    audience uuid NOT NULL,
    memories integer NOT NULL,
    mean_bytes double precision CONSTRAINT memories_vocabulary_mean_length_not_null NOT NULL,
    counted_at timestamp with time zone NOT NULL,
    organization_id uuid NOT NULL,
    CONSTRAINT memories_vocabulary_memories_check CHECK ((memories >= 0))
);


--
-- Name: procrastinate_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.procrastinate_events (
    id bigint NOT NULL,
    job_id bigint NOT NULL,
    type public.procrastinate_job_event_type,
    at timestamp with time zone DEFAULT now()
);


--
-- Name: procrastinate_events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.procrastinate_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: procrastinate_events_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.procrastinate_events_id_seq OWNED BY public.procrastinate_events.id;


--
-- Name: procrastinate_jobs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.procrastinate_jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: procrastinate_jobs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.procrastinate_jobs_id_seq OWNED BY public.procrastinate_jobs.id;


--
-- Name: procrastinate_periodic_defers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.procrastinate_periodic_defers (
    id bigint NOT NULL,
    task_name character varying(128) NOT NULL,
    defer_timestamp bigint,
    job_id bigint,
    periodic_id character varying(128) DEFAULT ''::character varying NOT NULL
);


--
-- Name: procrastinate_periodic_defers_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.procrastinate_periodic_defers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: procrastinate_periodic_defers_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.procrastinate_periodic_defers_id_seq OWNED BY public.procrastinate_periodic_defers.id;


--
-- Name: procrastinate_workers; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.procrastinate_workers (
    id bigint NOT NULL,
    last_heartbeat timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: procrastinate_workers_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.procrastinate_workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.procrastinate_workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: teams_admission; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_admission (
    id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    agent_id uuid,
    organization_id uuid NOT NULL,
    person_id uuid,
    project_id uuid NOT NULL,
    CONSTRAINT admission_is_of_an_agent_or_a_person CHECK ((((agent_id IS NULL) AND (person_id IS NOT NULL)) OR ((agent_id IS NOT NULL) AND (person_id IS NULL))))
);


--
-- Name: teams_agent; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_agent (
    id uuid NOT NULL,
    slug character varying(64) NOT NULL,
    name character varying(200) NOT NULL,
    level character varying(16) NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    CONSTRAINT agent_level_is_known CHECK (((level)::text = ANY ((ARRAY['member'::character varying, 'director'::character varying, 'executive'::character varying])::text[]))),
    CONSTRAINT agent_slug_is_plain CHECK (((slug)::text ~ '^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$'::text))
);


--
-- Name: teams_attempts; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.teams_attempts (
    who bytea NOT NULL,
    tries integer NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT teams_attempts_tries_check CHECK ((tries >= 0))
);


--
-- Name: teams_invitation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_invitation (
    id uuid NOT NULL,
    role character varying(16) NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    made_by_id integer,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    used_by_id integer,
    CONSTRAINT invitation_role_is_known CHECK (((role)::text = ANY ((ARRAY['viewer'::character varying, 'editor'::character varying, 'owner'::character varying])::text[])))
);


--
-- Name: teams_membership; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_membership (
    id uuid NOT NULL,
    role character varying(16) NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    user_id integer NOT NULL,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    CONSTRAINT membership_role_is_known CHECK (((role)::text = ANY ((ARRAY['viewer'::character varying, 'editor'::character varying, 'owner'::character varying])::text[])))
);


--
-- Name: teams_organization; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_organization (
    id uuid NOT NULL,
    slug character varying(64) NOT NULL,
    name character varying(200) NOT NULL,
    workspaces_enabled boolean NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT organization_slug_is_plain CHECK (((slug)::text ~ '^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$'::text))
);


--
-- Name: teams_pace; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.teams_pace (
    organization_id uuid NOT NULL,
    token_id uuid NOT NULL,
    minute timestamp with time zone NOT NULL,
    requests integer NOT NULL,
    CONSTRAINT teams_pace_requests_check CHECK ((requests >= 0))
);


--
-- Name: teams_person; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_person (
    id uuid NOT NULL,
    handle character varying(128) NOT NULL,
    name character varying(200) NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    organization_id uuid NOT NULL,
    user_id integer,
    last_used_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT person_has_a_handle CHECK ((NOT ((handle)::text = ''::text)))
);


--
-- Name: teams_project; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_project (
    id uuid NOT NULL,
    slug character varying(64) NOT NULL,
    name character varying(200) NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    organization_id uuid NOT NULL,
    team_id uuid NOT NULL,
    CONSTRAINT project_slug_is_plain CHECK (((slug)::text ~ '^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$'::text))
);


--
-- Name: teams_registrations; Type: TABLE; Schema: public; Owner: -
--

CREATE UNLOGGED TABLE public.teams_registrations (
    organization_id uuid NOT NULL,
    token_id uuid NOT NULL,
    day date NOT NULL,
    registered integer NOT NULL,
    CONSTRAINT teams_registrations_registered_check CHECK ((registered >= 0))
);


--
-- Name: teams_session; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_session (
    id uuid NOT NULL,
    name character varying(200) NOT NULL,
    channel_id character varying(200) NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    agent_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    person_id uuid,
    project_id uuid,
    workspace_id uuid,
    last_used_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    CONSTRAINT session_has_a_name CHECK ((NOT ((name)::text = ''::text)))
);


--
-- Name: teams_team; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_team (
    id uuid NOT NULL,
    slug character varying(64) NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    organization_id uuid NOT NULL,
    parent_id uuid,
    CONSTRAINT team_is_not_its_own_parent CHECK ((NOT ((parent_id = id) AND (parent_id IS NOT NULL)))),
    CONSTRAINT team_slug_is_plain CHECK (((slug)::text ~ '^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$'::text))
);


--
-- Name: teams_token; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_token (
    id uuid NOT NULL,
    label character varying(100) NOT NULL,
    prefix character varying(16) NOT NULL,
    digest bytea NOT NULL,
    verbs character varying(16)[] NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    agent_id uuid NOT NULL,
    organization_id uuid NOT NULL,
    person_id uuid,
    persons character varying(128)[] DEFAULT '{}'::character varying(128)[] NOT NULL,
    any_person boolean DEFAULT false NOT NULL,
    CONSTRAINT token_lists_people_or_takes_anybody CHECK (((NOT any_person) OR (persons = '{}'::character varying(128)[]))),
    CONSTRAINT token_verbs_are_known CHECK (((verbs <@ ARRAY['read'::character varying(16), 'write'::character varying(16), 'forget'::character varying(16)]) AND (
CASE
    WHEN (verbs IS NULL) THEN NULL::integer
    ELSE COALESCE(array_length(verbs, 1), 0)
END >= 1)))
);


--
-- Name: teams_workspace; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.teams_workspace (
    id uuid NOT NULL,
    slug character varying(64) NOT NULL,
    name character varying(200) NOT NULL,
    organization_id uuid NOT NULL,
    CONSTRAINT workspace_slug_is_plain CHECK (((slug)::text ~ '^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$'::text))
);


--
-- Name: procrastinate_events id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_events ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_events_id_seq'::regclass);


--
-- Name: procrastinate_jobs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_jobs ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_jobs_id_seq'::regclass);


--
-- Name: procrastinate_periodic_defers id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_periodic_defers ALTER COLUMN id SET DEFAULT nextval('public.procrastinate_periodic_defers_id_seq'::regclass);


--
-- Data for Name: auth_group; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_group VALUES
	(1, 'support'),
	(2, 'operator');


--
-- Data for Name: auth_group_permissions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_group_permissions VALUES
	(1, 1, 130),
	(2, 1, 4),
	(3, 1, 134),
	(4, 1, 138),
	(5, 1, 12),
	(6, 1, 142),
	(7, 1, 16),
	(8, 1, 146),
	(9, 1, 150),
	(10, 1, 154),
	(11, 1, 158),
	(12, 1, 32),
	(13, 1, 162),
	(14, 1, 166),
	(15, 1, 170),
	(16, 1, 44),
	(17, 1, 174),
	(18, 1, 49),
	(19, 1, 178),
	(20, 1, 53),
	(21, 1, 182),
	(22, 1, 57),
	(23, 1, 61),
	(24, 1, 65),
	(25, 1, 69),
	(26, 1, 73),
	(27, 1, 78),
	(28, 1, 82),
	(29, 1, 86),
	(30, 1, 90),
	(31, 1, 95),
	(32, 1, 99),
	(33, 1, 103),
	(34, 1, 107),
	(35, 1, 112),
	(36, 1, 118),
	(37, 1, 122),
	(38, 1, 126),
	(39, 2, 4),
	(40, 2, 12),
	(41, 2, 13),
	(42, 2, 14),
	(43, 2, 16),
	(44, 2, 30),
	(45, 2, 32),
	(46, 2, 41),
	(47, 2, 42),
	(48, 2, 43),
	(49, 2, 44),
	(50, 2, 45),
	(51, 2, 46),
	(52, 2, 47),
	(53, 2, 48),
	(54, 2, 49),
	(55, 2, 50),
	(56, 2, 51),
	(57, 2, 52),
	(58, 2, 53),
	(59, 2, 54),
	(60, 2, 55),
	(61, 2, 56),
	(62, 2, 57),
	(63, 2, 58),
	(64, 2, 59),
	(65, 2, 60),
	(66, 2, 61),
	(67, 2, 62),
	(68, 2, 63),
	(69, 2, 64),
	(70, 2, 65),
	(71, 2, 66),
	(72, 2, 67),
	(73, 2, 68),
	(74, 2, 69),
	(75, 2, 70),
	(76, 2, 71),
	(77, 2, 72),
	(78, 2, 73),
	(79, 2, 74),
	(80, 2, 75),
	(81, 2, 76),
	(82, 2, 77),
	(83, 2, 78),
	(84, 2, 79),
	(85, 2, 80),
	(86, 2, 81),
	(87, 2, 82),
	(88, 2, 83),
	(89, 2, 84),
	(90, 2, 85),
	(91, 2, 86),
	(92, 2, 87),
	(93, 2, 88),
	(94, 2, 89),
	(95, 2, 90),
	(96, 2, 91),
	(97, 2, 92),
	(98, 2, 93),
	(99, 2, 94),
	(100, 2, 95),
	(101, 2, 96),
	(102, 2, 97),
	(103, 2, 98),
	(104, 2, 99),
	(105, 2, 100),
	(106, 2, 101),
	(107, 2, 102),
	(108, 2, 103),
	(109, 2, 104),
	(110, 2, 105),
	(111, 2, 106),
	(112, 2, 107),
	(113, 2, 108),
	(114, 2, 109),
	(115, 2, 110),
	(116, 2, 111),
	(117, 2, 112),
	(118, 2, 113),
	(119, 2, 114),
	(120, 2, 115),
	(121, 2, 116),
	(122, 2, 117),
	(123, 2, 118),
	(124, 2, 119),
	(125, 2, 120),
	(126, 2, 121),
	(127, 2, 122),
	(128, 2, 123),
	(129, 2, 124),
	(130, 2, 125),
	(131, 2, 126),
	(132, 2, 127),
	(133, 2, 128),
	(134, 2, 129),
	(135, 2, 130),
	(136, 2, 131),
	(137, 2, 132),
	(138, 2, 133),
	(139, 2, 134),
	(140, 2, 135),
	(141, 2, 136),
	(142, 2, 137),
	(143, 2, 138),
	(144, 2, 139),
	(145, 2, 140),
	(146, 2, 141),
	(147, 2, 142),
	(148, 2, 143),
	(149, 2, 144),
	(150, 2, 145),
	(151, 2, 146),
	(152, 2, 147),
	(153, 2, 148),
	(154, 2, 149),
	(155, 2, 150),
	(156, 2, 151),
	(157, 2, 152),
	(158, 2, 153),
	(159, 2, 154),
	(160, 2, 155),
	(161, 2, 156),
	(162, 2, 157),
	(163, 2, 158),
	(164, 2, 159),
	(165, 2, 160),
	(166, 2, 161),
	(167, 2, 162),
	(168, 2, 163),
	(169, 2, 164),
	(170, 2, 165),
	(171, 2, 166),
	(172, 2, 167),
	(173, 2, 168),
	(174, 2, 169),
	(175, 2, 170),
	(176, 2, 171),
	(177, 2, 172),
	(178, 2, 173),
	(179, 2, 174),
	(180, 2, 175),
	(181, 2, 176),
	(182, 2, 177),
	(183, 2, 178),
	(184, 2, 179),
	(185, 2, 180),
	(186, 2, 181),
	(187, 2, 182);


--
-- Data for Name: auth_permission; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_permission VALUES
	(1, 'Can add log entry', 1, 'add_logentry'),
	(2, 'Can change log entry', 1, 'change_logentry'),
	(3, 'Can delete log entry', 1, 'delete_logentry'),
	(4, 'Can view log entry', 1, 'view_logentry'),
	(5, 'Can add permission', 2, 'add_permission'),
	(6, 'Can change permission', 2, 'change_permission'),
	(7, 'Can delete permission', 2, 'delete_permission'),
	(8, 'Can view permission', 2, 'view_permission'),
	(9, 'Can add group', 3, 'add_group'),
	(10, 'Can change group', 3, 'change_group'),
	(11, 'Can delete group', 3, 'delete_group'),
	(12, 'Can view group', 3, 'view_group'),
	(13, 'Can add user', 4, 'add_user'),
	(14, 'Can change user', 4, 'change_user'),
	(15, 'Can delete user', 4, 'delete_user'),
	(16, 'Can view user', 4, 'view_user'),
	(17, 'Can add content type', 5, 'add_contenttype'),
	(18, 'Can change content type', 5, 'change_contenttype'),
	(19, 'Can delete content type', 5, 'delete_contenttype'),
	(20, 'Can view content type', 5, 'view_contenttype'),
	(21, 'Can add session', 6, 'add_session'),
	(22, 'Can change session', 6, 'change_session'),
	(23, 'Can delete session', 6, 'delete_session'),
	(24, 'Can view session', 6, 'view_session'),
	(25, 'Can add procrastinate event', 7, 'add_procrastinateevent'),
	(26, 'Can change procrastinate event', 7, 'change_procrastinateevent'),
	(27, 'Can delete procrastinate event', 7, 'delete_procrastinateevent'),
	(28, 'Can view procrastinate event', 7, 'view_procrastinateevent'),
	(29, 'Can add procrastinate job', 8, 'add_procrastinatejob'),
	(30, 'Can change procrastinate job', 8, 'change_procrastinatejob'),
	(31, 'Can delete procrastinate job', 8, 'delete_procrastinatejob'),
	(32, 'Can view procrastinate job', 8, 'view_procrastinatejob'),
	(33, 'Can add procrastinate periodic defer', 9, 'add_procrastinateperiodicdefer'),
	(34, 'Can change procrastinate periodic defer', 9, 'change_procrastinateperiodicdefer'),
	(35, 'Can delete procrastinate periodic defer', 9, 'delete_procrastinateperiodicdefer'),
	(36, 'Can view procrastinate periodic defer', 9, 'view_procrastinateperiodicdefer'),
	(37, 'Can add procrastinate worker', 10, 'add_procrastinateworker'),
	(38, 'Can change procrastinate worker', 10, 'change_procrastinateworker'),
	(39, 'Can delete procrastinate worker', 10, 'delete_procrastinateworker'),
	(40, 'Can view procrastinate worker', 10, 'view_procrastinateworker'),
	(41, 'Can add organization', 11, 'add_organization'),
	(42, 'Can change organization', 11, 'change_organization'),
	(43, 'Can delete organization', 11, 'delete_organization'),
	(44, 'Can view organization', 11, 'view_organization'),
	(45, 'Can export organizations and teams', 11, 'export_organization'),
	(46, 'Can add agent', 12, 'add_agent'),
	(47, 'Can change agent', 12, 'change_agent'),
	(48, 'Can delete agent', 12, 'delete_agent'),
	(49, 'Can view agent', 12, 'view_agent'),
	(50, 'Can add person', 13, 'add_person'),
	(51, 'Can change person', 13, 'change_person'),
	(52, 'Can delete person', 13, 'delete_person'),
	(53, 'Can view person', 13, 'view_person'),
	(54, 'Can add project', 14, 'add_project'),
	(55, 'Can change project', 14, 'change_project'),
	(56, 'Can delete project', 14, 'delete_project'),
	(57, 'Can view project', 14, 'view_project'),
	(58, 'Can add admission', 15, 'add_admission'),
	(59, 'Can change admission', 15, 'change_admission'),
	(60, 'Can delete admission', 15, 'delete_admission'),
	(61, 'Can view admission', 15, 'view_admission'),
	(62, 'Can add team', 16, 'add_team'),
	(63, 'Can change team', 16, 'change_team'),
	(64, 'Can delete team', 16, 'delete_team'),
	(65, 'Can view team', 16, 'view_team'),
	(66, 'Can add membership', 17, 'add_membership'),
	(67, 'Can change membership', 17, 'change_membership'),
	(68, 'Can delete membership', 17, 'delete_membership'),
	(69, 'Can view membership', 17, 'view_membership'),
	(70, 'Can add token', 18, 'add_token'),
	(71, 'Can change token', 18, 'change_token'),
	(72, 'Can delete token', 18, 'delete_token'),
	(73, 'Can view token', 18, 'view_token'),
	(74, 'Can revoke tokens', 18, 'revoke_token'),
	(75, 'Can add workspace', 19, 'add_workspace'),
	(76, 'Can change workspace', 19, 'change_workspace'),
	(77, 'Can delete workspace', 19, 'delete_workspace'),
	(78, 'Can view workspace', 19, 'view_workspace'),
	(79, 'Can add session', 20, 'add_session'),
	(80, 'Can change session', 20, 'change_session'),
	(81, 'Can delete session', 20, 'delete_session'),
	(82, 'Can view session', 20, 'view_session'),
	(83, 'Can add pace', 21, 'add_pace'),
	(84, 'Can change pace', 21, 'change_pace'),
	(85, 'Can delete pace', 21, 'delete_pace'),
	(86, 'Can view pace', 21, 'view_pace'),
	(87, 'Can add invitation', 22, 'add_invitation'),
	(88, 'Can change invitation', 22, 'change_invitation'),
	(89, 'Can delete invitation', 22, 'delete_invitation'),
	(90, 'Can view invitation', 22, 'view_invitation'),
	(91, 'Can revoke invitations', 22, 'revoke_invitation'),
	(92, 'Can add attempts', 23, 'add_attempts'),
	(93, 'Can change attempts', 23, 'change_attempts'),
	(94, 'Can delete attempts', 23, 'delete_attempts'),
	(95, 'Can view attempts', 23, 'view_attempts'),
	(96, 'Can add registrations', 24, 'add_registrations'),
	(97, 'Can change registrations', 24, 'change_registrations'),
	(98, 'Can delete registrations', 24, 'delete_registrations'),
	(99, 'Can view registrations', 24, 'view_registrations'),
	(100, 'Can add lexeme', 25, 'add_lexeme'),
	(101, 'Can change lexeme', 25, 'change_lexeme'),
	(102, 'Can delete lexeme', 25, 'delete_lexeme'),
	(103, 'Can view lexeme', 25, 'view_lexeme'),
	(104, 'Can add memory', 26, 'add_memory'),
	(105, 'Can change memory', 26, 'change_memory'),
	(106, 'Can delete memory', 26, 'delete_memory'),
	(107, 'Can view memory', 26, 'view_memory'),
	(108, 'Can pin and unpin memories', 26, 'pin_memory'),
	(109, 'Can tag memories', 26, 'tag_memory'),
	(110, 'Can let memories expire', 26, 'expire_memory'),
	(111, 'Can forget memories', 26, 'forget_memory'),
	(112, 'Can restore memories', 26, 'restore_memory'),
	(113, 'Can purge memories', 26, 'purge_memory'),
	(114, 'Can have memories'' vectors made anew', 26, 'reembed_memory'),
	(115, 'Can add embedding', 27, 'add_embedding'),
	(116, 'Can change embedding', 27, 'change_embedding'),
	(117, 'Can delete embedding', 27, 'delete_embedding'),
	(118, 'Can view embedding', 27, 'view_embedding'),
	(119, 'Can add association', 28, 'add_association'),
	(120, 'Can change association', 28, 'change_association'),
	(121, 'Can delete association', 28, 'delete_association'),
	(122, 'Can view association', 28, 'view_association'),
	(123, 'Can add asset', 29, 'add_asset'),
	(124, 'Can change asset', 29, 'change_asset'),
	(125, 'Can delete asset', 29, 'delete_asset'),
	(126, 'Can view asset', 29, 'view_asset'),
	(127, 'Can add recall log', 30, 'add_recalllog'),
	(128, 'Can change recall log', 30, 'change_recalllog'),
	(129, 'Can delete recall log', 30, 'delete_recalllog'),
	(130, 'Can view recall log', 30, 'view_recalllog'),
	(131, 'Can add revision', 31, 'add_revision'),
	(132, 'Can change revision', 31, 'change_revision'),
	(133, 'Can delete revision', 31, 'delete_revision'),
	(134, 'Can view revision', 31, 'view_revision'),
	(135, 'Can add source', 32, 'add_source'),
	(136, 'Can change source', 32, 'change_source'),
	(137, 'Can delete source', 32, 'delete_source'),
	(138, 'Can view source', 32, 'view_source'),
	(139, 'Can add team file', 33, 'add_teamfile'),
	(140, 'Can change team file', 33, 'change_teamfile'),
	(141, 'Can delete team file', 33, 'delete_teamfile'),
	(142, 'Can view team file', 33, 'view_teamfile'),
	(143, 'Can add file version', 34, 'add_fileversion'),
	(144, 'Can change file version', 34, 'change_fileversion'),
	(145, 'Can delete file version', 34, 'delete_fileversion'),
	(146, 'Can view file version', 34, 'view_fileversion'),
	(147, 'Can add vocabulary', 35, 'add_vocabulary'),
	(148, 'Can change vocabulary', 35, 'change_vocabulary'),
	(149, 'Can delete vocabulary', 35, 'delete_vocabulary'),
	(150, 'Can view vocabulary', 35, 'view_vocabulary'),
	(151, 'Can add answer', 36, 'add_answer'),
	(152, 'Can change answer', 36, 'change_answer'),
	(153, 'Can delete answer', 36, 'delete_answer'),
	(154, 'Can view answer', 36, 'view_answer'),
	(155, 'Can add usage', 37, 'add_usage'),
	(156, 'Can change usage', 37, 'change_usage'),
	(157, 'Can delete usage', 37, 'delete_usage'),
	(158, 'Can view usage', 37, 'view_usage'),
	(159, 'Can add embedding model', 38, 'add_embeddingmodel'),
	(160, 'Can change embedding model', 38, 'change_embeddingmodel'),
	(161, 'Can delete embedding model', 38, 'delete_embeddingmodel'),
	(162, 'Can view embedding model', 38, 'view_embeddingmodel'),
	(163, 'Can add unembedded', 39, 'add_unembedded'),
	(164, 'Can change unembedded', 39, 'change_unembedded'),
	(165, 'Can delete unembedded', 39, 'delete_unembedded'),
	(166, 'Can view unembedded', 39, 'view_unembedded'),
	(167, 'Can add batch', 40, 'add_batch'),
	(168, 'Can change batch', 40, 'change_batch'),
	(169, 'Can delete batch', 40, 'delete_batch'),
	(170, 'Can view batch', 40, 'view_batch'),
	(171, 'Can add settled question', 41, 'add_settledquestion'),
	(172, 'Can change settled question', 41, 'change_settledquestion'),
	(173, 'Can delete settled question', 41, 'delete_settledquestion'),
	(174, 'Can view settled question', 41, 'view_settledquestion'),
	(175, 'Can add growth', 42, 'add_growth'),
	(176, 'Can change growth', 42, 'change_growth'),
	(177, 'Can delete growth', 42, 'delete_growth'),
	(178, 'Can view growth', 42, 'view_growth'),
	(179, 'Can add day', 43, 'add_day'),
	(180, 'Can change day', 43, 'change_day'),
	(181, 'Can delete day', 43, 'delete_day'),
	(182, 'Can view day', 43, 'view_day');


--
-- Data for Name: auth_user; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.auth_user VALUES
	(1, 'pbkdf2_sha256$1000000$4aQ77mHD1HH30VKWVO2dyE$aFVfeSVOjyHPuFkeh4hUAB0iNdZWX8zK/PyR+tqg9X8=', NULL, false, 'owner', '', '', '', false, true, '2026-11-18 18:08:59.276836+00');


--
-- Data for Name: auth_user_groups; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: auth_user_user_permissions; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_admin_log; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: django_content_type; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_content_type VALUES
	(1, 'admin', 'logentry'),
	(2, 'auth', 'permission'),
	(3, 'auth', 'group'),
	(4, 'auth', 'user'),
	(5, 'contenttypes', 'contenttype'),
	(6, 'sessions', 'session'),
	(7, 'procrastinate', 'procrastinateevent'),
	(8, 'procrastinate', 'procrastinatejob'),
	(9, 'procrastinate', 'procrastinateperiodicdefer'),
	(10, 'procrastinate', 'procrastinateworker'),
	(11, 'teams', 'organization'),
	(12, 'teams', 'agent'),
	(13, 'teams', 'person'),
	(14, 'teams', 'project'),
	(15, 'teams', 'admission'),
	(16, 'teams', 'team'),
	(17, 'teams', 'membership'),
	(18, 'teams', 'token'),
	(19, 'teams', 'workspace'),
	(20, 'teams', 'session'),
	(21, 'teams', 'pace'),
	(22, 'teams', 'invitation'),
	(23, 'teams', 'attempts'),
	(24, 'teams', 'registrations'),
	(25, 'memories', 'lexeme'),
	(26, 'memories', 'memory'),
	(27, 'memories', 'embedding'),
	(28, 'memories', 'association'),
	(29, 'memories', 'asset'),
	(30, 'memories', 'recalllog'),
	(31, 'memories', 'revision'),
	(32, 'memories', 'source'),
	(33, 'memories', 'teamfile'),
	(34, 'memories', 'fileversion'),
	(35, 'memories', 'vocabulary'),
	(36, 'memories', 'answer'),
	(37, 'memories', 'usage'),
	(38, 'memories', 'embeddingmodel'),
	(39, 'memories', 'unembedded'),
	(40, 'memories', 'batch'),
	(41, 'memories', 'settledquestion'),
	(42, 'memories', 'growth'),
	(43, 'memories', 'day');


--
-- Data for Name: django_migrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.django_migrations VALUES
	(1, 'contenttypes', '0001_initial', '2026-11-18 18:07:37.271471+00'),
	(2, 'auth', '0001_initial', '2026-11-18 18:07:37.68503+00'),
	(3, 'admin', '0001_initial', '2026-11-18 18:07:37.830023+00'),
	(4, 'admin', '0002_logentry_remove_auto_add', '2026-11-18 18:07:37.903667+00'),
	(5, 'admin', '0003_logentry_add_action_flag_choices', '2026-11-18 18:07:37.995084+00'),
	(6, 'contenttypes', '0002_remove_content_type_name', '2026-11-18 18:07:38.189893+00'),
	(7, 'auth', '0002_alter_permission_name_max_length', '2026-11-18 18:07:38.281149+00'),
	(8, 'auth', '0003_alter_user_email_max_length', '2026-11-18 18:07:38.373122+00'),
	(9, 'auth', '0004_alter_user_username_opts', '2026-11-18 18:07:38.467031+00'),
	(10, 'auth', '0005_alter_user_last_login_null', '2026-11-18 18:07:38.535738+00'),
	(11, 'auth', '0006_require_contenttypes_0002', '2026-11-18 18:07:38.541247+00'),
	(12, 'auth', '0007_alter_validators_add_error_messages', '2026-11-18 18:07:38.605828+00'),
	(13, 'auth', '0008_alter_user_username_max_length', '2026-11-18 18:07:38.694929+00'),
	(14, 'auth', '0009_alter_user_last_name_max_length', '2026-11-18 18:07:38.763022+00'),
	(15, 'auth', '0010_alter_group_name_max_length', '2026-11-18 18:07:38.850557+00'),
	(16, 'auth', '0011_update_proxy_permissions', '2026-11-18 18:07:38.930653+00'),
	(17, 'auth', '0012_alter_user_first_name_max_length', '2026-11-18 18:07:39.022429+00'),
	(18, 'teams', '0001_initial', '2026-11-18 18:07:46.832079+00'),
	(19, 'teams', '0002_pace', '2026-11-18 18:07:47.005114+00'),
	(20, 'teams', '0003_invitations', '2026-11-18 18:07:47.265098+00'),
	(21, 'teams', '0004_attempts', '2026-11-18 18:07:47.353922+00'),
	(22, 'teams', '0005_operators', '2026-11-18 18:07:47.586757+00'),
	(23, 'teams', '0006_whom_tokens_serve', '2026-11-18 18:07:47.933414+00'),
	(24, 'teams', '0007_unused_tokens', '2026-11-18 18:07:48.117482+00'),
	(25, 'teams', '0008_exporting', '2026-11-18 18:07:48.236048+00'),
	(26, 'memories', '0001_search_functions', '2026-11-18 18:07:48.29554+00'),
	(27, 'memories', '0002_memories', '2026-11-18 18:08:17.284828+00'),
	(28, 'memories', '0003_standing', '2026-11-18 18:08:17.301508+00'),
	(29, 'memories', '0004_usage', '2026-11-18 18:08:18.277424+00'),
	(30, 'memories', '0005_lists', '2026-11-18 18:08:18.893858+00'),
	(31, 'memories', '0006_embedding_models', '2026-11-18 18:08:21.226712+00'),
	(32, 'memories', '0007_vocabulary_in_bytes', '2026-11-18 18:08:21.760224+00'),
	(33, 'memories', '0008_scripts_and_signs', '2026-11-18 18:08:23.093344+00'),
	(34, 'memories', '0009_lists_by_importance', '2026-11-18 18:08:23.794254+00'),
	(35, 'memories', '0010_opening', '2026-11-18 18:08:24.141373+00'),
	(36, 'memories', '0011_files_of_workspaces', '2026-11-18 18:08:26.54132+00'),
	(37, 'memories', '0012_attention', '2026-11-18 18:08:27.553637+00'),
	(38, 'memories', '0013_days', '2026-11-18 18:08:28.352738+00'),
	(39, 'memories', '0014_core_memories', '2026-11-18 18:08:28.726142+00'),
	(40, 'memories', '0015_files_in_folders', '2026-11-18 18:08:29.543749+00'),
	(41, 'memories', '0016_batches', '2026-11-18 18:08:30.00522+00'),
	(42, 'memories', '0017_activity', '2026-11-18 18:08:31.797499+00'),
	(43, 'memories', '0018_settled_questions', '2026-11-18 18:08:33.615405+00'),
	(44, 'memories', '0019_batches_in_order', '2026-11-18 18:08:34.011221+00'),
	(45, 'memories', '0020_authors', '2026-11-18 18:08:34.438599+00'),
	(46, 'memories', '0021_tokens_in_history', '2026-11-18 18:08:36.316589+00'),
	(47, 'memories', '0022_forgotten_at', '2026-11-18 18:08:36.62121+00'),
	(48, 'memories', '0023_operators', '2026-11-18 18:08:36.964387+00'),
	(49, 'memories', '0024_forgotten_words', '2026-11-18 18:08:37.327447+00'),
	(50, 'memories', '0025_links_of_new_memories', '2026-11-18 18:08:37.588503+00'),
	(51, 'memories', '0026_speed_and_growth', '2026-11-18 18:08:37.939341+00'),
	(52, 'memories', '0027_roles', '2026-11-18 18:08:39.109029+00'),
	(53, 'memories', '0028_no_trigrams', '2026-11-18 18:08:39.11445+00'),
	(54, 'memories', '0029_taken_off', '2026-11-18 18:08:39.456024+00'),
	(55, 'memories', '0030_taken_off_found', '2026-11-18 18:08:39.795473+00'),
	(56, 'memories', '0031_pairs_in_one_pass', '2026-11-18 18:08:39.803925+00'),
	(57, 'memories', '0032_marks_in_order', '2026-11-18 18:08:39.812022+00'),
	(58, 'memories', '0033_contexts_of_recalls', '2026-11-18 18:08:42.862618+00'),
	(59, 'memories', '0034_indexes_of_recalls', '2026-11-18 18:08:44.206495+00'),
	(60, 'memories', '0035_columns_of_embedding_models', '2026-11-18 18:08:44.469134+00'),
	(61, 'procrastinate', '0001_initial', '2026-11-18 18:08:44.503197+00'),
	(62, 'procrastinate', '0002_drop_started_at_column', '2026-11-18 18:08:44.518831+00'),
	(63, 'procrastinate', '0003_drop_started_at_column', '2026-11-18 18:08:44.525417+00'),
	(64, 'procrastinate', '0004_drop_procrastinate_version_table', '2026-11-18 18:08:44.533042+00'),
	(65, 'procrastinate', '0005_fix_procrastinate_fetch_job', '2026-11-18 18:08:44.542447+00'),
	(66, 'procrastinate', '0006_fix_trigger_status_events_insert', '2026-11-18 18:08:44.546957+00'),
	(67, 'procrastinate', '0007_add_queueing_lock_column', '2026-11-18 18:08:44.559607+00'),
	(68, 'procrastinate', '0008_close_fetch_job_race_condition', '2026-11-18 18:08:44.564977+00'),
	(69, 'procrastinate', '0009_add_defer_job_function', '2026-11-18 18:08:44.581429+00'),
	(70, 'procrastinate', '0010_add_procrastinate_periodic_defers', '2026-11-18 18:08:44.597339+00'),
	(71, 'procrastinate', '0011_add_foreign_key_index', '2026-11-18 18:08:44.608143+00'),
	(72, 'procrastinate', '0012_add_locks_to_periodic_defer', '2026-11-18 18:08:44.610294+00'),
	(73, 'procrastinate', '0013_fix_procrastinate_defer_periodic_job', '2026-11-18 18:08:44.613346+00'),
	(74, 'procrastinate', '0014_add_finish_job_and_retry_job_functions', '2026-11-18 18:08:44.617964+00'),
	(75, 'procrastinate', '0015_add_trigger_on_job_deletion', '2026-11-18 18:08:44.621564+00'),
	(76, 'procrastinate', '0016_delete_finished_jobs', '2026-11-18 18:08:44.622912+00'),
	(77, 'procrastinate', '0017_add_checks_to_finish_job', '2026-11-18 18:08:44.637377+00'),
	(78, 'procrastinate', '0018_add_checks_to_retry_job', '2026-11-18 18:08:44.645124+00'),
	(79, 'procrastinate', '0019_fix_finish_job_compat_issue', '2026-11-18 18:08:44.65248+00'),
	(80, 'procrastinate', '0020_add_index_on_procrastinate_jobs', '2026-11-18 18:08:44.65801+00'),
	(81, 'procrastinate', '0021_add_kwargs_to_defer_periodic_job', '2026-11-18 18:08:44.684099+00'),
	(82, 'procrastinate', '0022_null_locks_excluded', '2026-11-18 18:08:44.69342+00'),
	(83, 'procrastinate', '0023_remove_old_finish_job_function', '2026-11-18 18:08:44.701098+00'),
	(84, 'procrastinate', '0024_job_id_bigint', '2026-11-18 18:08:44.716091+00'),
	(85, 'procrastinate', '0025_add_models', '2026-11-18 18:08:44.73459+00'),
	(86, 'procrastinate', '0026_add_job_priority', '2026-11-18 18:08:44.748138+00'),
	(87, 'procrastinate', '0027_add_periodic_job_priority', '2026-11-18 18:08:44.753544+00'),
	(88, 'procrastinate', '0028_add_cancel_states', '2026-11-18 18:08:44.772405+00'),
	(89, 'procrastinate', '0029_add_additional_params_to_retry_job', '2026-11-18 18:08:44.824916+00'),
	(90, 'procrastinate', '0030_alter_procrastinateevent_options', '2026-11-18 18:08:44.838758+00'),
	(91, 'procrastinate', '0031_add_indexes_for_fetch_job', '2026-11-18 18:08:44.844272+00'),
	(92, 'procrastinate', '0032_pre_cancel_notification', '2026-11-18 18:08:44.906932+00'),
	(93, 'procrastinate', '0033_post_cancel_notification', '2026-11-18 18:08:44.990497+00'),
	(94, 'procrastinate', '0034_pre_add_heartbeat', '2026-11-18 18:08:45.019157+00'),
	(95, 'procrastinate', '0035_post_add_heartbeat', '2026-11-18 18:08:45.026031+00'),
	(96, 'procrastinate', '0036_add_worker_model', '2026-11-18 18:08:45.034815+00'),
	(97, 'procrastinate', '0037_pre_batch_defer_jobs', '2026-11-18 18:08:45.041743+00'),
	(98, 'procrastinate', '0038_post_batch_defer_jobs', '2026-11-18 18:08:45.052235+00'),
	(99, 'procrastinate', '0039_pre_priority_lock_fetch_job', '2026-11-18 18:08:45.057196+00'),
	(100, 'procrastinate', '0040_pre_retry_failed_job', '2026-11-18 18:08:45.069472+00'),
	(101, 'procrastinate', '0041_post_retry_failed_job', '2026-11-18 18:08:45.071761+00'),
	(102, 'sessions', '0001_initial', '2026-11-18 18:08:45.097361+00'),
	(103, 'teams', '0009_whom_tokens_may_name', '2026-11-18 18:08:45.65911+00'),
	(104, 'teams', '0010_unused_people_and_sessions', '2026-11-18 18:08:46.471668+00');


--
-- Data for Name: django_session; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: memories_answer; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_answer VALUES
	('01a1efd9-170e-7208-adf9-95f27cf07a1a', 'keeper', 'k', 'f', '{}', '{}', '2026-11-18 18:09:04.270171+00', '01a1efd9-0326-718d-a234-6f27dd6f130a');


--
-- Data for Name: memories_asset; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_asset VALUES
	('01a1efd9-148c-7964-8cb0-6b9a5659644d', '2026-11-18 18:09:03.624857+00', 'assets/01a1efd9-0326-718d-a234-6f27dd6f130a/01a1efd9-148c-7964-8cb0-6b9a5659644d', 'combination.txt', 'text/plain', 15, 'fcc5503844ff1c8be1a65ff67ab5ae177cba037211b44c2155f1d8edee985fe8', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', NULL);


--
-- Data for Name: memories_association; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_association VALUES
	('01a1efd9-14fc-7f8f-8fb4-33fc1e45a658', '2026-11-18 18:09:03.74086+00', 'related_to', 0.5, '2026-11-18 18:09:03.74086+00', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', '01a1efd9-14d6-7c78-a179-f754a4842f67');


--
-- Data for Name: memories_batch; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_batch VALUES
	('01a1efd9-1704-70ed-8041-c60a138df4e1', '2026-11-18 18:09:04.260123+00', 'pin', '{}', NULL, '{01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be}', '{1}', '{2}', NULL, '', '{}', NULL, '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', NULL, NULL);


--
-- Data for Name: memories_day; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_day VALUES
	('01a1efd9-0326-718d-a234-6f27dd6f130a', '2026-11-17', 2, 1, '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-036e-7b16-8ce3-7934f4fce97c');


--
-- Data for Name: memories_embedding; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_embedding VALUES
	('01a1efd9-13c5-7347-8007-b98fa31dc5fd', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', 'wordllama-256', 256, 2, '{-0.011401807,-0.07453386,-0.026133006,-0.032432426,0.0011195696,0.03757293,-0.0060899025,-0.010841459,0.020631239,0.0818486,0.0016008313,-0.15334573,-0.04704755,-0.020908525,-0.08577888,-0.029657727,-0.03777534,-0.07892857,0.08738453,0.08343456,-0.07762778,-0.13681711,-0.020702036,0.038300954,0.009214953,-0.0608628,0.015450273,0.008774257,-0.025918083,0.079937354,-0.052388035,0.056460526,0.039283644,0.003093352,-0.13172522,-0.16637251,0.014849555,-0.0003309274,-0.021852635,0.12191886,0.10708826,0.08200148,0.0009777207,0.09203347,-0.05810481,0.019530786,-0.11580026,-0.041467592,0.124654956,-0.2583898,0.0024486047,-0.004832413,0.054282244,-0.017348697,-0.015017429,-0.017098695,0.09765443,0.016987208,0.1363232,0.0073592863,0.09338751,-0.017048165,0.008566277,-0.012968699,-0.06754202,0.034600813,0.00024563473,0.009920675,-0.076701514,0.13749436,-0.05560185,0.10137631,-0.06407795,0.005339284,0.002281084,0.0980107,-0.04223439,0.087207444,-0.13248976,0.06071362,0.059544485,-0.012488654,0.08279894,0.06242133,0.09299824,0.07813911,0.038240496,-0.10118874,0.00830059,0.049772106,0.102714784,-0.024814826,-0.10622685,-0.12007419,-0.025124317,0.009567424,0.035868164,0.030319527,0.0011062089,0.021110773,-0.023336098,0.0152189275,-0.033169594,0.036256287,0.09477643,0.014855695,0.061500758,0.11578771,-0.06567274,0.07507163,0.051381376,0.119766735,-0.0165997,0.0063088257,-0.01569267,0.059409313,0.06425916,0.07626281,0.12896924,-0.012131617,0.045694157,-0.04739323,-0.0077480674,0.034779143,0.0691386,0.058428127,0.02463854,-0.026591187,0.048544936,0.008902471,-0.042904697,-0.12441662,0.085962236,0.019423528,0.05246559,-0.021668838,0.032275863,-0.01773795,-0.047113873,0.030223526,0.008030518,-0.040478468,0.015322451,0.07012076,-0.06121042,0.008905175,-0.0073729455,-0.0015565975,-0.078020446,-0.040427435,0.0726022,-0.021440366,0.14066494,0.00079523906,0.010571275,0.009753698,0.07257416,-0.0021891652,0.01104517,0.052746773,0.045039397,-0.06293863,0.021062644,-0.024008626,0.10411161,0.032827195,-0.017692115,-0.12590015,0.0050026327,-0.030442333,-0.06216379,0.09445772,0.03641638,0.04254697,0.033143446,0.03466967,0.04557315,0.031850744,-0.03340957,-0.04120844,-0.0153278345,-0.09560446,0.008818441,0.0014502736,-0.018383963,-0.0013964138,-0.07350748,-0.036384556,0.086629346,-0.056997433,0.10738725,-0.020591872,-0.019313423,0.052641325,0.029566746,-0.05016184,-0.072799265,0.02717876,0.028351147,0.0039534853,0.09268826,0.06703713,-0.008991056,0.039600756,0.029325193,-0.011998926,0.0913245,0.043109227,0.096080534,-0.015094014,-0.04771017,0.03830541,-0.07534917,-0.067016095,-0.054852843,0.023882752,-0.0096647935,0.094553836,0.047040466,0.052766666,0.0065631433,0.045762,-0.03769062,-0.05047202,0.013054911,0.10800423,-0.00948463,-0.085486926,-0.010887012,0.05666861,0.09933014,-0.073499955,0.023126015,-0.046851244,-0.040682714,-0.088093095,-0.007883056,0.050407354,-0.034169704,-0.08184692,-0.016248731,0.07062727,-0.04421111,0.06814023,0.058771495,0.0050480315,-0.06280266,0.017766781,-0.08069047,0.05420749,0.06042527,0.08496061,-0.0025900276,-0.031419735,0.04814239,-0.019068483}', '2026-11-18 18:09:03.609749+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be');


--
-- Data for Name: memories_embeddingmodel; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_embeddingmodel VALUES
	('wordllama-256', '{"provider": "wordllama"}', 256, '2026-11-18 18:09:03.425466+00', '2026-11-18 18:09:03.525146+00', '2026-11-18 18:09:03.535376+00', NULL, '');


--
-- Data for Name: memories_fileversion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_fileversion VALUES
	('01a1efd9-1575-7c46-875e-57742f82f940', '2026-11-18 18:09:03.835703+00', 1, 'house/plan.md', '# Plan', 'created', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-1563-782f-a48e-ed22159d0d17', '01a1efd9-0d40-7816-8fb9-843ae8cad06c'),
	('01a1efd9-1596-7684-9215-73658eef514e', '2026-11-18 18:09:03.865698+00', 2, 'house/plan.md', '# Plan B', 'updated', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-1563-782f-a48e-ed22159d0d17', '01a1efd9-0d40-7816-8fb9-843ae8cad06c');


--
-- Data for Name: memories_growth; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_growth VALUES
	('2026-11-17', 2, 1);


--
-- Data for Name: memories_lexeme; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_lexeme VALUES
	('9b9ff0b3-42ba-524c-8264-89bc24c3f5bd', 'safe', 1, '01a1efd9-0326-718d-a234-6f27dd6f130a'),
	('9b9ff0b3-42ba-524c-8264-89bc24c3f5bd', 'paint', 1, '01a1efd9-0326-718d-a234-6f27dd6f130a'),
	('9b9ff0b3-42ba-524c-8264-89bc24c3f5bd', 'money', 1, '01a1efd9-0326-718d-a234-6f27dd6f130a'),
	('9b9ff0b3-42ba-524c-8264-89bc24c3f5bd', 'harbour', 1, '01a1efd9-0326-718d-a234-6f27dd6f130a'),
	('9b9ff0b3-42ba-524c-8264-89bc24c3f5bd', 'fact', 1, '01a1efd9-0326-718d-a234-6f27dd6f130a'),
	('9b9ff0b3-42ba-524c-8264-89bc24c3f5bd', 'behind', 1, '01a1efd9-0326-718d-a234-6f27dd6f130a');


--
-- Data for Name: memories_memory; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_memory VALUES
	('01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', '2026-11-18 18:09:02.041601+00', 'safe', 'The safe is behind the painting of the harbour.', '', 'fact', 'fact', '{money}', 0.5, false, NULL, 'manual', 'team', '{"a": [1.5]}', 2, NULL, '', NULL, NULL, '', '', 'c', true, '2026-11-18 18:09:03.57301+00', NULL, DEFAULT, '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0d05-7514-9995-aea50397aa3a', NULL, '01a1efd9-0e1d-7dd6-8607-f92a42b003fd', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', NULL, NULL, DEFAULT, DEFAULT),
	('01a1efd9-14d6-7c78-a179-f754a4842f67', '2026-11-18 18:09:03.70265+00', '', 'A key too many.', '', 'fact', 'fact', '{}', 0.5, false, NULL, 'manual', 'team', '{}', 2, NULL, '', NULL, '2026-11-18 18:09:03.793469+00', 'keeper', 'thrown away', 'c', false, '2026-11-18 18:09:03.793469+00', NULL, DEFAULT, '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0d05-7514-9995-aea50397aa3a', NULL, '01a1efd9-0e1d-7dd6-8607-f92a42b003fd', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', NULL, NULL, DEFAULT, DEFAULT);


--
-- Data for Name: memories_recalllog; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_recalllog VALUES
	('01a1efd9-1645-71e5-8482-115b0323512c', '2026-11-18 18:09:03.895221+00', 'safe', 'hybrid', '{}', '{01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be}', '{2}', 1, '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0e1d-7dd6-8607-f92a42b003fd', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', NULL, '01a1efd9-0d40-7816-8fb9-843ae8cad06c', 173.37, '01a1efd9-0d05-7514-9995-aea50397aa3a', NULL);


--
-- Data for Name: memories_revision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_revision VALUES
	('01a1efd9-0e59-7e13-b0b7-a17e4405e696', '2026-11-18 18:09:02.041601+00', 'safe', 'The safe is in the cellar.', '', 'fact', 'fact', '{money}', 0.5, false, NULL, 'manual', 'team', '{"a": [1.5]}', 1, NULL, '', NULL, NULL, '', '', 'created', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-0d40-7816-8fb9-843ae8cad06c'),
	('01a1efd9-146b-7e15-a290-071c87dfd3fd', '2026-11-18 18:09:03.57301+00', 'safe', 'The safe is behind the painting of the harbour.', '', 'fact', 'fact', '{money}', 0.5, false, NULL, 'manual', 'team', '{"a": [1.5]}', 2, NULL, '', NULL, NULL, '', '', 'updated', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-0d40-7816-8fb9-843ae8cad06c'),
	('01a1efd9-14d6-7d9b-b91f-c6485e367d57', '2026-11-18 18:09:03.70265+00', '', 'A key too many.', '', 'fact', 'fact', '{}', 0.5, false, NULL, 'manual', 'team', '{}', 1, NULL, '', NULL, NULL, '', '', 'created', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-14d6-7c78-a179-f754a4842f67', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-0d40-7816-8fb9-843ae8cad06c'),
	('01a1efd9-1539-74ad-be74-525fd260ef75', '2026-11-18 18:09:03.793469+00', '', 'A key too many.', '', 'fact', 'fact', '{}', 0.5, false, NULL, 'manual', 'team', '{}', 2, NULL, '', NULL, '2026-11-18 18:09:03.793469+00', 'keeper', 'thrown away', 'forgotten', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-14d6-7c78-a179-f754a4842f67', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-0d40-7816-8fb9-843ae8cad06c');


--
-- Data for Name: memories_settledquestion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_settledquestion VALUES
	('01a1efd9-167a-75d2-9763-e2dbacd084ac', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', NULL, '2026-11-18 18:09:04.091766+00', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', 'how many keys?', NULL, '01a1efd9-036e-7b16-8ce3-7934f4fce97c', NULL);


--
-- Data for Name: memories_source; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_source VALUES
	('01a1efd9-14cb-77a1-9cf1-c50e500e7eff', '2026-11-18 18:09:03.67306+00', '', '', 'behind the painting', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, NULL, NULL);


--
-- Data for Name: memories_teamfile; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_teamfile VALUES
	('01a1efd9-1563-782f-a48e-ed22159d0d17', '2026-11-18 18:09:03.835703+00', 'house/plan.md', '# Plan B', 2, '2026-11-18 18:09:03.865698+00', NULL, DEFAULT, '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', NULL, NULL);


--
-- Data for Name: memories_unembedded; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_unembedded VALUES
	('01a1efd9-1700-7b84-8d45-6ce2e4607c10', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', 'another', 1, 0, false);


--
-- Data for Name: memories_usage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_usage VALUES
	('01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0e59-7cf2-9f6a-e6ccf01db1be', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', 1, '2026-11-18 18:09:03.895221+00');


--
-- Data for Name: memories_vocabulary; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.memories_vocabulary VALUES
	('01a1efd9-15ac-7011-af3d-17230cf82244', '67fed55d-540f-5d8b-adfd-63a913e962b8', 0, 0, '2026-11-18 18:09:03.895221+00', '01a1efd9-0326-718d-a234-6f27dd6f130a'),
	('01a1efd9-15cc-7f5b-8e86-fc77aa028645', 'a4747dce-e404-5709-b71d-555509678210', 0, 0, '2026-11-18 18:09:03.895221+00', '01a1efd9-0326-718d-a234-6f27dd6f130a'),
	('01a1efd9-15df-73ce-a7db-a1827df13a85', '9b9ff0b3-42ba-524c-8264-89bc24c3f5bd', 1, 47, '2026-11-18 18:09:03.895221+00', '01a1efd9-0326-718d-a234-6f27dd6f130a');


--
-- Data for Name: procrastinate_events; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: procrastinate_jobs; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: procrastinate_periodic_defers; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: procrastinate_workers; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: teams_admission; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_admission VALUES
	('01a1efd9-0db2-7766-9ffe-018dac4c22db', '2026-11-18 18:09:01.875791+00', '01a1efd9-0da5-7b27-ac13-c07dd840aaa1', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '01a1efd9-0d6e-74b4-97fe-69748188df71');


--
-- Data for Name: teams_agent; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_agent VALUES
	('01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', 'keeper', '', 'member', '2026-11-18 18:09:01.660692+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-036e-7b16-8ce3-7934f4fce97c'),
	('01a1efd9-0da5-7b27-ac13-c07dd840aaa1', 'agent-1', '', 'member', '2026-11-18 18:09:01.870282+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0d92-7991-9233-fe8c57479756');


--
-- Data for Name: teams_attempts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_attempts VALUES
	('\x7777777777777777777777777777777777777777777777777777777777777777', 1, '2026-11-18 18:09:04.246971+00');


--
-- Data for Name: teams_invitation; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_invitation VALUES
	('01a1efd9-0d5b-767d-976b-676545973cfc', 'viewer', '\x6464646464646464646464646464646464646464646464646464646464646464', '2026-11-18 18:09:01.794859+00', '2026-11-19 18:09:01.787298+00', NULL, NULL, 1, '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-036e-7b16-8ce3-7934f4fce97c', NULL);


--
-- Data for Name: teams_membership; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_membership VALUES
	('01a1efd9-0cab-7509-850d-2e6fa012bb11', 'owner', '2026-11-18 18:09:01.616686+00', 1, '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-036e-7b16-8ce3-7934f4fce97c');


--
-- Data for Name: teams_organization; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_organization VALUES
	('01a1efd9-0326-718d-a234-6f27dd6f130a', 'acme', 'Acme', true, '2026-11-18 18:08:59.1747+00');


--
-- Data for Name: teams_pace; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_pace VALUES
	('01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0d40-7816-8fb9-843ae8cad06c', '2026-11-18 18:09:04.246971+00', 1);


--
-- Data for Name: teams_person; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_person VALUES
	('01a1efd9-0d05-7514-9995-aea50397aa3a', 'mira', '', '2026-11-18 18:09:01.727066+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL, '2026-11-18 18:09:01.7014+00');


--
-- Data for Name: teams_project; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_project VALUES
	('01a1efd9-0d6e-74b4-97fe-69748188df71', 'apollo', 'Apollo', '2026-11-18 18:09:01.813012+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-036e-7b16-8ce3-7934f4fce97c');


--
-- Data for Name: teams_registrations; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_registrations VALUES
	('01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0d40-7816-8fb9-843ae8cad06c', '2026-11-17', 1);


--
-- Data for Name: teams_session; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_session VALUES
	('01a1efd9-0e1d-7dd6-8607-f92a42b003fd', 'moving day', 'c', '2026-11-18 18:09:01.988979+00', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0d05-7514-9995-aea50397aa3a', NULL, NULL, '2026-11-18 18:09:01.981966+00');


--
-- Data for Name: teams_team; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_team VALUES
	('01a1efd9-0349-70f9-a1e2-358b447742ce', 'executive', 'Executive', '', '2026-11-18 18:08:59.215306+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', NULL),
	('01a1efd9-036e-7b16-8ce3-7934f4fce97c', 'ops', 'Ops', '', '2026-11-18 18:08:59.247196+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0349-70f9-a1e2-358b447742ce'),
	('01a1efd9-0d92-7991-9233-fe8c57479756', 'it', 'It', '', '2026-11-18 18:09:01.843098+00', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0349-70f9-a1e2-358b447742ce');


--
-- Data for Name: teams_token; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_token VALUES
	('01a1efd9-0d40-7816-8fb9-843ae8cad06c', '', 'mh_mxPp1hXWA', '\x51520b7353b6c5a87abcc8a521f0cbfe11ee9c9f709487a6792034b970c6a25b', '{read,write,forget}', NULL, NULL, NULL, '2026-11-18 18:09:01.761645+00', '01a1efd9-0ccd-7571-8bb3-bd9b6a85e225', '01a1efd9-0326-718d-a234-6f27dd6f130a', '01a1efd9-0d05-7514-9995-aea50397aa3a', '{}', false);


--
-- Data for Name: teams_workspace; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.teams_workspace VALUES
	('01a1efd9-0382-7d5f-ac4b-8d5da8501cbc', 'blue', 'Blue', '01a1efd9-0326-718d-a234-6f27dd6f130a');


--
-- Name: auth_group_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_id_seq', 2, true);


--
-- Name: auth_group_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_group_permissions_id_seq', 187, true);


--
-- Name: auth_permission_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_permission_id_seq', 182, true);


--
-- Name: auth_user_groups_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_groups_id_seq', 1, false);


--
-- Name: auth_user_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_id_seq', 1, true);


--
-- Name: auth_user_user_permissions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.auth_user_user_permissions_id_seq', 1, false);


--
-- Name: django_admin_log_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_admin_log_id_seq', 1, false);


--
-- Name: django_content_type_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_content_type_id_seq', 43, true);


--
-- Name: django_migrations_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.django_migrations_id_seq', 104, true);


--
-- Name: procrastinate_events_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.procrastinate_events_id_seq', 1, false);


--
-- Name: procrastinate_jobs_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.procrastinate_jobs_id_seq', 1, false);


--
-- Name: procrastinate_periodic_defers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.procrastinate_periodic_defers_id_seq', 1, false);


--
-- Name: procrastinate_workers_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.procrastinate_workers_id_seq', 1, false);


--
-- Name: teams_admission agent_is_admitted_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_admission
    ADD CONSTRAINT agent_is_admitted_once UNIQUE (project_id, agent_id);


--
-- Name: teams_agent agent_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_agent
    ADD CONSTRAINT agent_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: teams_agent agent_slug_is_unique_in_team; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_agent
    ADD CONSTRAINT agent_slug_is_unique_in_team UNIQUE (team_id, slug);


--
-- Name: memories_vocabulary audience_has_one_vocabulary; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_vocabulary
    ADD CONSTRAINT audience_has_one_vocabulary UNIQUE (organization_id, audience);


--
-- Name: auth_group auth_group_name_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);


--
-- Name: auth_group_permissions auth_group_permissions_group_id_permission_id_0cd325b0_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);


--
-- Name: auth_group_permissions auth_group_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_group auth_group_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);


--
-- Name: auth_permission auth_permission_content_type_id_codename_01ab375a_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);


--
-- Name: auth_permission auth_permission_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_pkey PRIMARY KEY (id);


--
-- Name: auth_user_groups auth_user_groups_user_id_group_id_94350c0c_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_group_id_94350c0c_uniq UNIQUE (user_id, group_id);


--
-- Name: auth_user auth_user_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_pkey PRIMARY KEY (id);


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_permission_id_14a6b632_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_permission_id_14a6b632_uniq UNIQUE (user_id, permission_id);


--
-- Name: auth_user auth_user_username_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user
    ADD CONSTRAINT auth_user_username_key UNIQUE (username);


--
-- Name: django_admin_log django_admin_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);


--
-- Name: django_content_type django_content_type_app_label_model_76bd3d3b_uniq; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);


--
-- Name: django_content_type django_content_type_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);


--
-- Name: django_migrations django_migrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);


--
-- Name: django_session django_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);


--
-- Name: memories_fileversion file_has_each_version_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_fileversion
    ADD CONSTRAINT file_has_each_version_once UNIQUE (organization_id, file_id, version);


--
-- Name: memories_teamfile file_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_teamfile
    ADD CONSTRAINT file_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: memories_answer idempotency_key_is_used_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_answer
    ADD CONSTRAINT idempotency_key_is_used_once UNIQUE (organization_id, caller, key);


--
-- Name: teams_invitation invitation_digest_is_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_invitation
    ADD CONSTRAINT invitation_digest_is_unique UNIQUE (digest);


--
-- Name: teams_person login_is_one_person_in_an_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_person
    ADD CONSTRAINT login_is_one_person_in_an_organization UNIQUE (organization_id, user_id);


--
-- Name: memories_answer memories_answer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_answer
    ADD CONSTRAINT memories_answer_pkey PRIMARY KEY (id);


--
-- Name: memories_asset memories_asset_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_asset
    ADD CONSTRAINT memories_asset_pkey PRIMARY KEY (id);


--
-- Name: memories_association memories_association_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_association
    ADD CONSTRAINT memories_association_pkey PRIMARY KEY (id);


--
-- Name: memories_batch memories_batch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_batch
    ADD CONSTRAINT memories_batch_pkey PRIMARY KEY (id);


--
-- Name: memories_day memories_day_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_day
    ADD CONSTRAINT memories_day_pkey PRIMARY KEY (organization_id, team_id, workspace_key, day);


--
-- Name: memories_embedding memories_embedding_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_embedding
    ADD CONSTRAINT memories_embedding_pkey PRIMARY KEY (id);


--
-- Name: memories_embeddingmodel memories_embeddingmodel_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_embeddingmodel
    ADD CONSTRAINT memories_embeddingmodel_pkey PRIMARY KEY (name);


--
-- Name: memories_fileversion memories_fileversion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_fileversion
    ADD CONSTRAINT memories_fileversion_pkey PRIMARY KEY (id);


--
-- Name: memories_growth memories_growth_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_growth
    ADD CONSTRAINT memories_growth_pkey PRIMARY KEY (day);


--
-- Name: memories_lexeme memories_lexeme_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_lexeme
    ADD CONSTRAINT memories_lexeme_pkey PRIMARY KEY (organization_id, audience, lexeme);


--
-- Name: memories_memory memories_memory_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memories_memory_pkey PRIMARY KEY (id);


--
-- Name: memories_recalllog memories_recalllog_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_recalllog
    ADD CONSTRAINT memories_recalllog_pkey PRIMARY KEY (id);


--
-- Name: memories_revision memories_revision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_revision
    ADD CONSTRAINT memories_revision_pkey PRIMARY KEY (id);


--
-- Name: memories_settledquestion memories_settledquestion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT memories_settledquestion_pkey PRIMARY KEY (id);


--
-- Name: memories_source memories_source_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_source
    ADD CONSTRAINT memories_source_pkey PRIMARY KEY (id);


--
-- Name: memories_teamfile memories_teamfile_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_teamfile
    ADD CONSTRAINT memories_teamfile_pkey PRIMARY KEY (id);


--
-- Name: memories_unembedded memories_unembedded_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_unembedded
    ADD CONSTRAINT memories_unembedded_pkey PRIMARY KEY (id);


--
-- Name: memories_usage memories_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_usage
    ADD CONSTRAINT memories_usage_pkey PRIMARY KEY (organization_id, memory_id);


--
-- Name: memories_vocabulary memories_vocabulary_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_vocabulary
    ADD CONSTRAINT memories_vocabulary_pkey PRIMARY KEY (id);


--
-- Name: memories_revision memory_has_each_version_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_revision
    ADD CONSTRAINT memory_has_each_version_once UNIQUE (organization_id, memory_id, version);


--
-- Name: memories_embedding memory_has_one_vector_per_model; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_embedding
    ADD CONSTRAINT memory_has_one_vector_per_model UNIQUE (organization_id, memory_id, model);


--
-- Name: memories_memory memory_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memory_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: memories_unembedded memory_waits_once_per_model; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_unembedded
    ADD CONSTRAINT memory_waits_once_per_model UNIQUE (organization_id, memory_id, model);


--
-- Name: teams_organization organization_slug_is_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_organization
    ADD CONSTRAINT organization_slug_is_unique UNIQUE (slug);


--
-- Name: teams_person person_handle_is_unique_in_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_person
    ADD CONSTRAINT person_handle_is_unique_in_organization UNIQUE (organization_id, handle);


--
-- Name: teams_membership person_has_one_role_in_a_team; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_membership
    ADD CONSTRAINT person_has_one_role_in_a_team UNIQUE (team_id, user_id);


--
-- Name: teams_admission person_is_admitted_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_admission
    ADD CONSTRAINT person_is_admitted_once UNIQUE (project_id, person_id);


--
-- Name: teams_person person_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_person
    ADD CONSTRAINT person_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: procrastinate_events procrastinate_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_events
    ADD CONSTRAINT procrastinate_events_pkey PRIMARY KEY (id);


--
-- Name: procrastinate_jobs procrastinate_jobs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_pkey PRIMARY KEY (id);


--
-- Name: procrastinate_periodic_defers procrastinate_periodic_defers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_pkey PRIMARY KEY (id);


--
-- Name: procrastinate_periodic_defers procrastinate_periodic_defers_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_unique UNIQUE (task_name, periodic_id, defer_timestamp);


--
-- Name: procrastinate_workers procrastinate_workers_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_workers
    ADD CONSTRAINT procrastinate_workers_pkey PRIMARY KEY (id);


--
-- Name: teams_project project_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_project
    ADD CONSTRAINT project_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: teams_project project_slug_is_unique_in_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_project
    ADD CONSTRAINT project_slug_is_unique_in_organization UNIQUE (organization_id, slug);


--
-- Name: memories_settledquestion question_is_settled_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT question_is_settled_once UNIQUE NULLS NOT DISTINCT (organization_id, team_id, audience, workspace_id, question);


--
-- Name: memories_association relation_is_unique_per_pair; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_association
    ADD CONSTRAINT relation_is_unique_per_pair UNIQUE (organization_id, origin_id, target_id, relation);


--
-- Name: teams_session session_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT session_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: teams_session session_name_is_unique_for_agent; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT session_name_is_unique_for_agent UNIQUE (organization_id, agent_id, name);


--
-- Name: teams_team team_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_team
    ADD CONSTRAINT team_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: teams_team team_slug_is_unique_in_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_team
    ADD CONSTRAINT team_slug_is_unique_in_organization UNIQUE (organization_id, slug);


--
-- Name: teams_admission teams_admission_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_admission
    ADD CONSTRAINT teams_admission_pkey PRIMARY KEY (id);


--
-- Name: teams_agent teams_agent_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_agent
    ADD CONSTRAINT teams_agent_pkey PRIMARY KEY (id);


--
-- Name: teams_attempts teams_attempts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_attempts
    ADD CONSTRAINT teams_attempts_pkey PRIMARY KEY (who);


--
-- Name: teams_invitation teams_invitation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_invitation
    ADD CONSTRAINT teams_invitation_pkey PRIMARY KEY (id);


--
-- Name: teams_membership teams_membership_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_membership
    ADD CONSTRAINT teams_membership_pkey PRIMARY KEY (id);


--
-- Name: teams_organization teams_organization_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_organization
    ADD CONSTRAINT teams_organization_pkey PRIMARY KEY (id);


--
-- Name: teams_pace teams_pace_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_pace
    ADD CONSTRAINT teams_pace_pkey PRIMARY KEY (organization_id, token_id);


--
-- Name: teams_person teams_person_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_person
    ADD CONSTRAINT teams_person_pkey PRIMARY KEY (id);


--
-- Name: teams_project teams_project_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_project
    ADD CONSTRAINT teams_project_pkey PRIMARY KEY (id);


--
-- Name: teams_registrations teams_registrations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_registrations
    ADD CONSTRAINT teams_registrations_pkey PRIMARY KEY (organization_id, token_id);


--
-- Name: teams_session teams_session_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT teams_session_pkey PRIMARY KEY (id);


--
-- Name: teams_team teams_team_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_team
    ADD CONSTRAINT teams_team_pkey PRIMARY KEY (id);


--
-- Name: teams_token teams_token_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_token
    ADD CONSTRAINT teams_token_pkey PRIMARY KEY (id);


--
-- Name: teams_workspace teams_workspace_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_workspace
    ADD CONSTRAINT teams_workspace_pkey PRIMARY KEY (id);


--
-- Name: teams_token token_prefix_is_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_token
    ADD CONSTRAINT token_prefix_is_unique UNIQUE (prefix);


--
-- Name: teams_workspace workspace_is_of_one_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_workspace
    ADD CONSTRAINT workspace_is_of_one_organization UNIQUE (organization_id, id);


--
-- Name: teams_workspace workspace_slug_is_unique_in_organization; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_workspace
    ADD CONSTRAINT workspace_slug_is_unique_in_organization UNIQUE (organization_id, slug);


--
-- Name: answer_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX answer_age ON public.memories_answer USING btree (created_at);


--
-- Name: asset_removed_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX asset_removed_at ON public.memories_asset USING btree (removed_at) WHERE (removed_at IS NOT NULL);


--
-- Name: auth_group_name_a6ea08ec_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);


--
-- Name: auth_group_permissions_group_id_b120cbf9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);


--
-- Name: auth_group_permissions_permission_id_84c5c92e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);


--
-- Name: auth_permission_content_type_id_2f476e4b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);


--
-- Name: auth_user_groups_group_id_97559544; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_group_id_97559544 ON public.auth_user_groups USING btree (group_id);


--
-- Name: auth_user_groups_user_id_6a12ed8b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_groups_user_id_6a12ed8b ON public.auth_user_groups USING btree (user_id);


--
-- Name: auth_user_user_permissions_permission_id_1fbb5f2c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_permission_id_1fbb5f2c ON public.auth_user_user_permissions USING btree (permission_id);


--
-- Name: auth_user_user_permissions_user_id_a95ead1b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_user_permissions_user_id_a95ead1b ON public.auth_user_user_permissions USING btree (user_id);


--
-- Name: auth_user_username_6821ab7c_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX auth_user_username_6821ab7c_like ON public.auth_user USING btree (username varchar_pattern_ops);


--
-- Name: batch_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX batch_newest ON public.memories_batch USING btree (organization_id, team_id, created_at DESC);


--
-- Name: django_admin_log_content_type_id_c4bce8eb; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);


--
-- Name: django_admin_log_user_id_c564eba6; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);


--
-- Name: django_session_expire_date_a5c62663; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);


--
-- Name: django_session_session_key_c0390e0f_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);


--
-- Name: file_deleted; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX file_deleted ON public.memories_teamfile USING btree (organization_id, team_id, deleted_at DESC) WHERE (deleted_at IS NOT NULL);


--
-- Name: file_place; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX file_place ON public.memories_teamfile USING btree (organization_id, team_id, path COLLATE "C") WHERE (deleted_at IS NULL);


--
-- Name: file_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX file_search ON public.memories_teamfile USING gin (search) WHERE (deleted_at IS NULL);


--
-- Name: idx_procrastinate_jobs_worker_not_null; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_procrastinate_jobs_worker_not_null ON public.procrastinate_jobs USING btree (worker_id) WHERE ((worker_id IS NOT NULL) AND (status = 'doing'::public.procrastinate_job_status));


--
-- Name: idx_procrastinate_workers_last_heartbeat; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX idx_procrastinate_workers_last_heartbeat ON public.procrastinate_workers USING btree (last_heartbeat);


--
-- Name: key_has_one_living_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX key_has_one_living_owner ON public.memories_memory USING btree (organization_id, audience, workspace_id, key) NULLS NOT DISTINCT WHERE ((forgotten_at IS NULL) AND owns_key);


--
-- Name: memories_asset_memory_id_58441ab8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_asset_memory_id_58441ab8 ON public.memories_asset USING btree (memory_id);


--
-- Name: memories_association_target_id_d6ffdbbb; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_association_target_id_d6ffdbbb ON public.memories_association USING btree (target_id);


--
-- Name: memories_embeddingmodel_name_db8809a5_like; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_embeddingmodel_name_db8809a5_like ON public.memories_embeddingmodel USING btree (name varchar_pattern_ops);


--
-- Name: memories_memory_person_id_fbf76cb8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_memory_person_id_fbf76cb8 ON public.memories_memory USING btree (person_id);


--
-- Name: memories_memory_project_id_955150b1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_memory_project_id_955150b1 ON public.memories_memory USING btree (project_id);


--
-- Name: memories_memory_session_id_47f7f057; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_memory_session_id_47f7f057 ON public.memories_memory USING btree (session_id);


--
-- Name: memories_memory_workspace_id_775ea7b4; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_memory_workspace_id_775ea7b4 ON public.memories_memory USING btree (workspace_id);


--
-- Name: memories_source_memory_id_4b0677e5; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_source_memory_id_4b0677e5 ON public.memories_source USING btree (memory_id);


--
-- Name: memories_source_session_id_725a5950; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_source_session_id_725a5950 ON public.memories_source USING btree (session_id);


--
-- Name: memories_teamfile_workspace_id_5aab2a79; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_teamfile_workspace_id_5aab2a79 ON public.memories_teamfile USING btree (workspace_id);


--
-- Name: memory_authored; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_authored ON public.memories_memory USING btree (organization_id, audience, agent_id, created_at DESC) WHERE (forgotten_at IS NULL);


--
-- Name: memory_changed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_changed ON public.memories_memory USING btree (organization_id, audience, updated_at DESC) WHERE (forgotten_at IS NULL);


--
-- Name: memory_core; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_core ON public.memories_memory USING btree (organization_id, audience, updated_at DESC) WHERE (((category)::text = 'core'::text) AND (forgotten_at IS NULL));


--
-- Name: memory_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_due ON public.memories_memory USING btree (organization_id, audience, review_by, id) WHERE ((forgotten_at IS NULL) AND (review_by IS NOT NULL));


--
-- Name: memory_expiring; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_expiring ON public.memories_memory USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (forgotten_at IS NULL));


--
-- Name: memory_forgotten; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_forgotten ON public.memories_memory USING btree (organization_id, audience, created_at DESC) WHERE ((forgotten_at IS NOT NULL) AND (purged_at IS NULL));


--
-- Name: memory_forgotten_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_forgotten_at ON public.memories_memory USING btree (forgotten_at) WHERE (forgotten_at IS NOT NULL);


--
-- Name: memory_key; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_key ON public.memories_memory USING btree (organization_id, audience, key) WHERE (NOT ((key)::text = ''::text));


--
-- Name: memory_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_newest ON public.memories_memory USING btree (organization_id, audience, created_at DESC) WHERE (forgotten_at IS NULL);


--
-- Name: memory_pinned; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_pinned ON public.memories_memory USING btree (organization_id, audience, importance DESC, id DESC) WHERE ((forgotten_at IS NULL) AND pinned);


--
-- Name: memory_search; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_search ON public.memories_memory USING gin (search) WHERE (forgotten_at IS NULL);


--
-- Name: memory_search_gone; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_search_gone ON public.memories_memory USING gin (search) WHERE ((forgotten_at IS NOT NULL) AND (purged_at IS NULL));


--
-- Name: memory_standing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_standing ON public.memories_memory USING btree (organization_id, audience, public.memory_standing(importance, updated_at) DESC) WHERE (forgotten_at IS NULL);


--
-- Name: memory_typed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_typed ON public.memories_memory USING btree (organization_id, audience, type, created_at DESC) WHERE (forgotten_at IS NULL);


--
-- Name: memory_unfading; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_unfading ON public.memories_memory USING btree (organization_id, audience, importance DESC) WHERE ((pinned OR ((type)::text = 'identity'::text)) AND (forgotten_at IS NULL));


--
-- Name: memory_vanishing; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_vanishing ON public.memories_memory USING btree (organization_id, audience, expires_at, id) WHERE ((expires_at IS NOT NULL) AND (forgotten_at IS NULL));


--
-- Name: memory_weightiest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_weightiest ON public.memories_memory USING btree (organization_id, audience, importance DESC, id DESC) WHERE (forgotten_at IS NULL);


--
-- Name: organization_has_one_root_team; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX organization_has_one_root_team ON public.teams_team USING btree (organization_id) WHERE (parent_id IS NULL);


--
-- Name: path_has_one_living_file; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX path_has_one_living_file ON public.memories_teamfile USING btree (organization_id, team_id, path, workspace_id) NULLS NOT DISTINCT WHERE (deleted_at IS NULL);


--
-- Name: procrastinate_events_job_id_fkey_v1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX procrastinate_events_job_id_fkey_v1 ON public.procrastinate_events USING btree (job_id);


--
-- Name: procrastinate_jobs_id_lock_idx_v1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX procrastinate_jobs_id_lock_idx_v1 ON public.procrastinate_jobs USING btree (id, lock) WHERE (status = ANY (ARRAY['todo'::public.procrastinate_job_status, 'doing'::public.procrastinate_job_status]));


--
-- Name: procrastinate_jobs_lock_idx_v1; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX procrastinate_jobs_lock_idx_v1 ON public.procrastinate_jobs USING btree (lock) WHERE (status = 'doing'::public.procrastinate_job_status);


--
-- Name: procrastinate_jobs_priority_idx_v1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX procrastinate_jobs_priority_idx_v1 ON public.procrastinate_jobs USING btree (priority DESC, id) WHERE (status = 'todo'::public.procrastinate_job_status);


--
-- Name: procrastinate_jobs_queue_name_idx_v1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX procrastinate_jobs_queue_name_idx_v1 ON public.procrastinate_jobs USING btree (queue_name);


--
-- Name: procrastinate_jobs_queueing_lock_idx_v1; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX procrastinate_jobs_queueing_lock_idx_v1 ON public.procrastinate_jobs USING btree (queueing_lock) WHERE (status = 'todo'::public.procrastinate_job_status);


--
-- Name: procrastinate_periodic_defers_job_id_fkey_v1; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX procrastinate_periodic_defers_job_id_fkey_v1 ON public.procrastinate_periodic_defers USING btree (job_id);


--
-- Name: recall_by_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX recall_by_agent ON public.memories_recalllog USING btree (organization_id, team_id, agent_id, created_at DESC) WHERE (agent_id IS NOT NULL);


--
-- Name: recall_by_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX recall_by_session ON public.memories_recalllog USING btree (session_id) WHERE (session_id IS NOT NULL);


--
-- Name: recall_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX recall_by_token ON public.memories_recalllog USING btree (organization_id, token_id, created_at DESC) WHERE (token_id IS NOT NULL);


--
-- Name: recall_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX recall_newest ON public.memories_recalllog USING btree (organization_id, team_id, created_at DESC);


--
-- Name: recall_of_audience; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX recall_of_audience ON public.memories_recalllog USING btree (organization_id, team_id, audience, created_at DESC);


--
-- Name: recall_unanswered; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX recall_unanswered ON public.memories_recalllog USING btree (organization_id, team_id, audience, created_at DESC) WHERE ((NOT (query = ''::text)) AND (total_found = 0));


--
-- Name: revision_by_agent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_by_agent ON public.memories_revision USING btree (organization_id, audience, agent_id, created_at DESC) WHERE (agent_id IS NOT NULL);


--
-- Name: revision_by_change; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_by_change ON public.memories_revision USING btree (organization_id, audience, change, created_at DESC) WHERE (NOT ((change)::text = 'created'::text));


--
-- Name: revision_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_by_token ON public.memories_revision USING btree (organization_id, token_id, created_at DESC) WHERE (token_id IS NOT NULL);


--
-- Name: revision_by_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_by_user ON public.memories_revision USING btree (organization_id, audience, user_id, created_at DESC) WHERE (user_id IS NOT NULL);


--
-- Name: revision_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_newest ON public.memories_revision USING btree (organization_id, audience, created_at DESC);


--
-- Name: source_removed_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX source_removed_at ON public.memories_source USING btree (removed_at) WHERE (removed_at IS NOT NULL);


--
-- Name: teams_admission_agent_id_4092ddb4; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_admission_agent_id_4092ddb4 ON public.teams_admission USING btree (agent_id);


--
-- Name: teams_admission_person_id_467fc690; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_admission_person_id_467fc690 ON public.teams_admission USING btree (person_id);


--
-- Name: teams_admission_project_id_2c7601d8; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_admission_project_id_2c7601d8 ON public.teams_admission USING btree (project_id);


--
-- Name: teams_agent_team_id_6ff9c220; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_agent_team_id_6ff9c220 ON public.teams_agent USING btree (team_id);


--
-- Name: teams_attempts_until_696533b7; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_attempts_until_696533b7 ON public.teams_attempts USING btree (until);


--
-- Name: teams_invitation_made_by_id_6a437947; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_invitation_made_by_id_6a437947 ON public.teams_invitation USING btree (made_by_id);


--
-- Name: teams_invitation_team_id_a2bdbbfc; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_invitation_team_id_a2bdbbfc ON public.teams_invitation USING btree (team_id);


--
-- Name: teams_invitation_used_by_id_3edb9415; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_invitation_used_by_id_3edb9415 ON public.teams_invitation USING btree (used_by_id);


--
-- Name: teams_membership_team_id_d18da3f9; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_membership_team_id_d18da3f9 ON public.teams_membership USING btree (team_id);


--
-- Name: teams_membership_user_id_b6b997fa; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_membership_user_id_b6b997fa ON public.teams_membership USING btree (user_id);


--
-- Name: teams_person_user_id_69233760; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_person_user_id_69233760 ON public.teams_person USING btree (user_id);


--
-- Name: teams_project_team_id_1d58ce2c; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_project_team_id_1d58ce2c ON public.teams_project USING btree (team_id);


--
-- Name: teams_session_agent_id_8f3b4cc7; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_session_agent_id_8f3b4cc7 ON public.teams_session USING btree (agent_id);


--
-- Name: teams_session_person_id_c5190f50; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_session_person_id_c5190f50 ON public.teams_session USING btree (person_id);


--
-- Name: teams_session_project_id_9b301a9b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_session_project_id_9b301a9b ON public.teams_session USING btree (project_id);


--
-- Name: teams_session_workspace_id_e07d9534; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_session_workspace_id_e07d9534 ON public.teams_session USING btree (workspace_id);


--
-- Name: teams_team_parent_id_3a2b5ec0; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_team_parent_id_3a2b5ec0 ON public.teams_team USING btree (parent_id);


--
-- Name: teams_token_agent_id_bfe408ba; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_token_agent_id_bfe408ba ON public.teams_token USING btree (agent_id);


--
-- Name: teams_token_person_id_5101096e; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX teams_token_person_id_5101096e ON public.teams_token USING btree (person_id);


--
-- Name: token_unused; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX token_unused ON public.teams_token USING btree (COALESCE(last_used_at, created_at)) WHERE (revoked_at IS NULL);


--
-- Name: unembedded_first; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX unembedded_first ON public.memories_unembedded USING btree (model, attempts, id);


--
-- Name: usage_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX usage_latest ON public.memories_usage USING btree (organization_id, audience, last_accessed_at DESC);


--
-- Name: usage_most; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX usage_most ON public.memories_usage USING btree (organization_id, audience, access_count DESC);


--
-- Name: version_by_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX version_by_token ON public.memories_fileversion USING btree (organization_id, token_id, created_at DESC) WHERE (token_id IS NOT NULL);


--
-- Name: procrastinate_jobs procrastinate_jobs_notify_queue_job_aborted_v1; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER procrastinate_jobs_notify_queue_job_aborted_v1 AFTER UPDATE OF abort_requested ON public.procrastinate_jobs FOR EACH ROW WHEN (((old.abort_requested = false) AND (new.abort_requested = true) AND (new.status = 'doing'::public.procrastinate_job_status))) EXECUTE FUNCTION public.procrastinate_notify_queue_abort_job_v1();


--
-- Name: procrastinate_jobs procrastinate_jobs_notify_queue_job_inserted_v1; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1 AFTER INSERT ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::public.procrastinate_job_status)) EXECUTE FUNCTION public.procrastinate_notify_queue_job_inserted_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_abort_requested_events_v1; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER procrastinate_trigger_abort_requested_events_v1 AFTER UPDATE OF abort_requested ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.abort_requested = true)) EXECUTE FUNCTION public.procrastinate_trigger_abort_requested_events_procedure_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_delete_jobs_v1; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER procrastinate_trigger_delete_jobs_v1 BEFORE DELETE ON public.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION public.procrastinate_unlink_periodic_defers_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_scheduled_events_v1; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER procrastinate_trigger_scheduled_events_v1 AFTER INSERT OR UPDATE ON public.procrastinate_jobs FOR EACH ROW WHEN (((new.scheduled_at IS NOT NULL) AND (new.status = 'todo'::public.procrastinate_job_status))) EXECUTE FUNCTION public.procrastinate_trigger_function_scheduled_events_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_status_events_insert_v1; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER procrastinate_trigger_status_events_insert_v1 AFTER INSERT ON public.procrastinate_jobs FOR EACH ROW WHEN ((new.status = 'todo'::public.procrastinate_job_status)) EXECUTE FUNCTION public.procrastinate_trigger_function_status_events_insert_v1();


--
-- Name: procrastinate_jobs procrastinate_trigger_status_events_update_v1; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER procrastinate_trigger_status_events_update_v1 AFTER UPDATE OF status ON public.procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION public.procrastinate_trigger_function_status_events_update_v1();


--
-- Name: teams_admission admission_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_admission
    ADD CONSTRAINT admission_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: teams_admission admission_person_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_admission
    ADD CONSTRAINT admission_person_is_of_its_organization FOREIGN KEY (organization_id, person_id) REFERENCES public.teams_person(organization_id, id) DEFERRABLE;


--
-- Name: teams_admission admission_project_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_admission
    ADD CONSTRAINT admission_project_is_of_its_organization FOREIGN KEY (organization_id, project_id) REFERENCES public.teams_project(organization_id, id) DEFERRABLE;


--
-- Name: teams_agent agent_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_agent
    ADD CONSTRAINT agent_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_asset asset_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_asset
    ADD CONSTRAINT asset_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_asset asset_memory_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_asset
    ADD CONSTRAINT asset_memory_is_of_its_organization FOREIGN KEY (organization_id, memory_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: memories_association association_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_association
    ADD CONSTRAINT association_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_association association_origin_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_association
    ADD CONSTRAINT association_origin_is_of_its_organization FOREIGN KEY (organization_id, origin_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: memories_association association_target_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_association
    ADD CONSTRAINT association_target_is_of_its_organization FOREIGN KEY (organization_id, target_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: auth_group_permissions auth_group_permissio_permission_id_84c5c92e_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_group_permissions auth_group_permissions_group_id_b120cbf9_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_permission auth_permission_content_type_id_2f476e4b_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_group_id_97559544_fk_auth_group_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_group_id_97559544_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_groups auth_user_groups_user_id_6a12ed8b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_groups
    ADD CONSTRAINT auth_user_groups_user_id_6a12ed8b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permi_permission_id_1fbb5f2c_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: auth_user_user_permissions auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.auth_user_user_permissions
    ADD CONSTRAINT auth_user_user_permissions_user_id_a95ead1b_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_batch batch_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_batch
    ADD CONSTRAINT batch_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_batch batch_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_batch
    ADD CONSTRAINT batch_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_batch batch_workspace_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_batch
    ADD CONSTRAINT batch_workspace_is_of_its_organization FOREIGN KEY (organization_id, workspace_id) REFERENCES public.teams_workspace(organization_id, id) DEFERRABLE;


--
-- Name: memories_day day_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_day
    ADD CONSTRAINT day_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: django_admin_log django_admin_log_content_type_id_c4bce8eb_fk_django_co; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: django_admin_log django_admin_log_user_id_c564eba6_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_embedding embedding_memory_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_embedding
    ADD CONSTRAINT embedding_memory_is_of_its_organization FOREIGN KEY (organization_id, memory_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: memories_teamfile file_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_teamfile
    ADD CONSTRAINT file_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_teamfile file_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_teamfile
    ADD CONSTRAINT file_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_teamfile file_workspace_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_teamfile
    ADD CONSTRAINT file_workspace_is_of_its_organization FOREIGN KEY (organization_id, workspace_id) REFERENCES public.teams_workspace(organization_id, id) DEFERRABLE;


--
-- Name: teams_invitation invitation_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_invitation
    ADD CONSTRAINT invitation_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: teams_membership membership_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_membership
    ADD CONSTRAINT membership_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_answer memories_answer_organization_id_1fe36fc3_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_answer
    ADD CONSTRAINT memories_answer_organization_id_1fe36fc3_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_asset memories_asset_organization_id_ea1d9088_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_asset
    ADD CONSTRAINT memories_asset_organization_id_ea1d9088_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_asset memories_asset_user_id_90a59e2a_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_asset
    ADD CONSTRAINT memories_asset_user_id_90a59e2a_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_association memories_association_organization_id_651df07d_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_association
    ADD CONSTRAINT memories_association_organization_id_651df07d_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_association memories_association_user_id_58eb6b27_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_association
    ADD CONSTRAINT memories_association_user_id_58eb6b27_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_batch memories_batch_organization_id_aa832250_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_batch
    ADD CONSTRAINT memories_batch_organization_id_aa832250_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_batch memories_batch_user_id_b603a1f9_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_batch
    ADD CONSTRAINT memories_batch_user_id_b603a1f9_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_day memories_day_organization_id_887075ee_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_day
    ADD CONSTRAINT memories_day_organization_id_887075ee_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_embedding memories_embedding_organization_id_a9866387_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_embedding
    ADD CONSTRAINT memories_embedding_organization_id_a9866387_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_fileversion memories_fileversion_organization_id_6efba1a8_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_fileversion
    ADD CONSTRAINT memories_fileversion_organization_id_6efba1a8_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_fileversion memories_fileversion_user_id_49d085ba_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_fileversion
    ADD CONSTRAINT memories_fileversion_user_id_49d085ba_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_lexeme memories_lexeme_organization_id_1bb636e3_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_lexeme
    ADD CONSTRAINT memories_lexeme_organization_id_1bb636e3_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_memory memories_memory_organization_id_f6e8e5ad_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memories_memory_organization_id_f6e8e5ad_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_memory memories_memory_user_id_08d324c8_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memories_memory_user_id_08d324c8_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_recalllog memories_recalllog_organization_id_2b966119_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_recalllog
    ADD CONSTRAINT memories_recalllog_organization_id_2b966119_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_recalllog memories_recalllog_user_id_ee2ca44a_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_recalllog
    ADD CONSTRAINT memories_recalllog_user_id_ee2ca44a_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_revision memories_revision_organization_id_9e0e23ed_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_revision
    ADD CONSTRAINT memories_revision_organization_id_9e0e23ed_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_revision memories_revision_user_id_5a0e1dae_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_revision
    ADD CONSTRAINT memories_revision_user_id_5a0e1dae_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_settledquestion memories_settledques_organization_id_6971873f_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT memories_settledques_organization_id_6971873f_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_settledquestion memories_settledquestion_user_id_3e1147ab_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT memories_settledquestion_user_id_3e1147ab_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_source memories_source_organization_id_b6889c07_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_source
    ADD CONSTRAINT memories_source_organization_id_b6889c07_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_source memories_source_user_id_9eec3228_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_source
    ADD CONSTRAINT memories_source_user_id_9eec3228_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_teamfile memories_teamfile_organization_id_661484ce_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_teamfile
    ADD CONSTRAINT memories_teamfile_organization_id_661484ce_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_teamfile memories_teamfile_user_id_30fdd777_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_teamfile
    ADD CONSTRAINT memories_teamfile_user_id_30fdd777_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_unembedded memories_unembedded_organization_id_2a432da7_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_unembedded
    ADD CONSTRAINT memories_unembedded_organization_id_2a432da7_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_usage memories_usage_organization_id_a597c53c_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_usage
    ADD CONSTRAINT memories_usage_organization_id_a597c53c_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_vocabulary memories_vocabulary_organization_id_d45d489e_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_vocabulary
    ADD CONSTRAINT memories_vocabulary_organization_id_d45d489e_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: memories_memory memory_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memory_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_memory memory_person_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memory_person_is_of_its_organization FOREIGN KEY (organization_id, person_id) REFERENCES public.teams_person(organization_id, id) DEFERRABLE;


--
-- Name: memories_memory memory_project_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memory_project_is_of_its_organization FOREIGN KEY (organization_id, project_id) REFERENCES public.teams_project(organization_id, id) DEFERRABLE;


--
-- Name: memories_memory memory_session_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memory_session_is_of_its_organization FOREIGN KEY (organization_id, session_id) REFERENCES public.teams_session(organization_id, id) DEFERRABLE;


--
-- Name: memories_memory memory_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memory_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_memory memory_workspace_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_memory
    ADD CONSTRAINT memory_workspace_is_of_its_organization FOREIGN KEY (organization_id, workspace_id) REFERENCES public.teams_workspace(organization_id, id) DEFERRABLE;


--
-- Name: procrastinate_events procrastinate_events_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_events
    ADD CONSTRAINT procrastinate_events_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.procrastinate_jobs(id) ON DELETE CASCADE;


--
-- Name: procrastinate_jobs procrastinate_jobs_worker_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_jobs
    ADD CONSTRAINT procrastinate_jobs_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES public.procrastinate_workers(id) ON DELETE SET NULL;


--
-- Name: procrastinate_periodic_defers procrastinate_periodic_defers_job_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.procrastinate_periodic_defers
    ADD CONSTRAINT procrastinate_periodic_defers_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.procrastinate_jobs(id);


--
-- Name: teams_project project_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_project
    ADD CONSTRAINT project_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_recalllog recall_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_recalllog
    ADD CONSTRAINT recall_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_recalllog recall_session_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_recalllog
    ADD CONSTRAINT recall_session_is_of_its_organization FOREIGN KEY (organization_id, session_id) REFERENCES public.teams_session(organization_id, id) DEFERRABLE;


--
-- Name: memories_recalllog recall_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_recalllog
    ADD CONSTRAINT recall_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_recalllog recall_workspace_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_recalllog
    ADD CONSTRAINT recall_workspace_is_of_its_organization FOREIGN KEY (organization_id, workspace_id) REFERENCES public.teams_workspace(organization_id, id) DEFERRABLE;


--
-- Name: memories_revision revision_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_revision
    ADD CONSTRAINT revision_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_revision revision_memory_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_revision
    ADD CONSTRAINT revision_memory_is_of_its_organization FOREIGN KEY (organization_id, memory_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: teams_session session_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT session_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: teams_session session_person_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT session_person_is_of_its_organization FOREIGN KEY (organization_id, person_id) REFERENCES public.teams_person(organization_id, id) DEFERRABLE;


--
-- Name: teams_session session_project_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT session_project_is_of_its_organization FOREIGN KEY (organization_id, project_id) REFERENCES public.teams_project(organization_id, id) DEFERRABLE;


--
-- Name: teams_session session_workspace_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT session_workspace_is_of_its_organization FOREIGN KEY (organization_id, workspace_id) REFERENCES public.teams_workspace(organization_id, id) DEFERRABLE;


--
-- Name: memories_settledquestion settled_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT settled_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_settledquestion settled_memory_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT settled_memory_is_of_its_organization FOREIGN KEY (organization_id, memory_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: memories_settledquestion settled_team_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT settled_team_is_of_its_organization FOREIGN KEY (organization_id, team_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: memories_settledquestion settled_workspace_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_settledquestion
    ADD CONSTRAINT settled_workspace_is_of_its_organization FOREIGN KEY (organization_id, workspace_id) REFERENCES public.teams_workspace(organization_id, id) DEFERRABLE;


--
-- Name: memories_source source_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_source
    ADD CONSTRAINT source_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_source source_memory_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_source
    ADD CONSTRAINT source_memory_is_of_its_organization FOREIGN KEY (organization_id, memory_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: memories_source source_session_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_source
    ADD CONSTRAINT source_session_is_of_its_organization FOREIGN KEY (organization_id, session_id) REFERENCES public.teams_session(organization_id, id) DEFERRABLE;


--
-- Name: teams_team team_parent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_team
    ADD CONSTRAINT team_parent_is_of_its_organization FOREIGN KEY (organization_id, parent_id) REFERENCES public.teams_team(organization_id, id) DEFERRABLE;


--
-- Name: teams_admission teams_admission_organization_id_c1aa94eb_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_admission
    ADD CONSTRAINT teams_admission_organization_id_c1aa94eb_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_agent teams_agent_organization_id_d0d8621f_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_agent
    ADD CONSTRAINT teams_agent_organization_id_d0d8621f_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_invitation teams_invitation_made_by_id_6a437947_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_invitation
    ADD CONSTRAINT teams_invitation_made_by_id_6a437947_fk_auth_user_id FOREIGN KEY (made_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_invitation teams_invitation_organization_id_5fc46e08_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_invitation
    ADD CONSTRAINT teams_invitation_organization_id_5fc46e08_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_invitation teams_invitation_used_by_id_3edb9415_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_invitation
    ADD CONSTRAINT teams_invitation_used_by_id_3edb9415_fk_auth_user_id FOREIGN KEY (used_by_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_membership teams_membership_organization_id_68a130b3_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_membership
    ADD CONSTRAINT teams_membership_organization_id_68a130b3_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_membership teams_membership_user_id_b6b997fa_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_membership
    ADD CONSTRAINT teams_membership_user_id_b6b997fa_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_pace teams_pace_organization_id_33e86e02_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_pace
    ADD CONSTRAINT teams_pace_organization_id_33e86e02_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_person teams_person_organization_id_c24a4f30_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_person
    ADD CONSTRAINT teams_person_organization_id_c24a4f30_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_person teams_person_user_id_69233760_fk_auth_user_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_person
    ADD CONSTRAINT teams_person_user_id_69233760_fk_auth_user_id FOREIGN KEY (user_id) REFERENCES public.auth_user(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_project teams_project_organization_id_2832750c_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_project
    ADD CONSTRAINT teams_project_organization_id_2832750c_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_registrations teams_registrations_organization_id_982f6c99_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_registrations
    ADD CONSTRAINT teams_registrations_organization_id_982f6c99_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_session teams_session_organization_id_6fda9f95_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_session
    ADD CONSTRAINT teams_session_organization_id_6fda9f95_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_team teams_team_organization_id_e98fce1d_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_team
    ADD CONSTRAINT teams_team_organization_id_e98fce1d_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_token teams_token_organization_id_5477e8ee_fk_teams_organization_id; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_token
    ADD CONSTRAINT teams_token_organization_id_5477e8ee_fk_teams_organization_id FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_workspace teams_workspace_organization_id_89bd1492_fk_teams_org; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_workspace
    ADD CONSTRAINT teams_workspace_organization_id_89bd1492_fk_teams_org FOREIGN KEY (organization_id) REFERENCES public.teams_organization(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: teams_token token_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_token
    ADD CONSTRAINT token_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: teams_token token_person_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.teams_token
    ADD CONSTRAINT token_person_is_of_its_organization FOREIGN KEY (organization_id, person_id) REFERENCES public.teams_person(organization_id, id) DEFERRABLE;


--
-- Name: memories_unembedded unembedded_memory_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_unembedded
    ADD CONSTRAINT unembedded_memory_is_of_its_organization FOREIGN KEY (organization_id, memory_id) REFERENCES public.memories_memory(organization_id, id) DEFERRABLE;


--
-- Name: memories_fileversion version_agent_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_fileversion
    ADD CONSTRAINT version_agent_is_of_its_organization FOREIGN KEY (organization_id, agent_id) REFERENCES public.teams_agent(organization_id, id) DEFERRABLE;


--
-- Name: memories_fileversion version_file_is_of_its_organization; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories_fileversion
    ADD CONSTRAINT version_file_is_of_its_organization FOREIGN KEY (organization_id, file_id) REFERENCES public.memories_teamfile(organization_id, id) DEFERRABLE;


--
-- PostgreSQL database dump complete
--


