-- The functions behind the generated search columns, and those that statements call.
--
-- This is their present definition. A migration that changes one runs this file again; where a generated column is made
-- by the function, it writes that column anew, too.

-- One form of what Unicode can write in two; plain ASCII has only one. Letters with dozens of marks, more than any
-- language has, stay as they are: to bring n marks into order takes n² steps. Unicode's stream-safe text format draws
-- the line at the same number. memoryhub.text has the same marks.
CREATE OR REPLACE FUNCTION memory_has_many_marks(text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN $1 ~ '[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0730-\u074a\u07eb-\u07f3\u0816-\u082d\u0859-\u085b\u0898-\u08ff\u0951-\u0954\u0e38-\u0e4b\u0eb8-\u0ecb\u0f18-\u0f87\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ufe20-\ufe2f]{31}';

CREATE OR REPLACE FUNCTION memory_normal(text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN octet_length($1) = char_length($1) OR memory_has_many_marks($1) THEN $1
    ELSE normalize($1, NFC)
END;

-- Words alone: each sign becomes one space. Postgres' parser, which also looks for addresses, paths and numbers, takes a
-- time that grows with the square of a long run of punctuation. What it would have found is among the identifiers.
CREATE OR REPLACE FUNCTION memory_plain(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace($1, '[!-/:-@[-`{-~]', ' ', 'g');

-- The text in small letters and in the plain form of each character (full width, ligatures and superscripts are forms of
-- others), without invisible characters, and with a space for what memory_grams reads. Two Arabic signs stand for whole
-- sentences and would make the text eighteen times as long.
CREATE OR REPLACE FUNCTION memory_even(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(normalize(
    regexp_replace(
        regexp_replace(translate($1, U&'\FDFA\FDFB', ''), '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff\uf900-\ufaff\uff66-\uff9f]+', ' ', 'g'),
        '[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]+', '', 'g'
    ), NFKC
));

-- Letters without the marks that people leave out when they type: accents of Latin and Greek letters, the dots of ё,
-- vowel signs of Arabic and Hebrew, the variants of alef. Marks that make another letter (й) or are always written (the
-- vowel signs of Hindi) stay.
CREATE OR REPLACE FUNCTION memory_bare(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN replace(replace(replace(replace(
    translate(
        normalize(
            regexp_replace(
                normalize($1, NFD),
                '[\u0300-\u0305\u0307-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670]+', '', 'g'
            ), NFC
        ),
        'ăĕğĭŏŭøđðłħıς' || U&'\0623\0625\0622\0671\06CC\06A9',
        'aegiouoddlhiσ' || U&'\0627\0627\0627\0627\064A\0643'
    ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');

-- The text as its words are compared: even and bare, if it has more than plain letters and punctuation.
CREATE OR REPLACE FUNCTION memory_folded(text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN octet_length($1) = char_length($1) THEN $1
    WHEN $1 !~ '[^\u0001-\u007f\u00a0-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00bb\u2010-\u2027\u2030-\u205e\u2190-\u245f\u2500-\u2bff\U0001f000-\U0001faff]' THEN $1
    WHEN memory_has_many_marks($1) THEN $1
    ELSE memory_bare(memory_even($1))
END;

-- Postgres' dictionaries of a language. They are named in full, as the expression of a column must never change.
CREATE OR REPLACE FUNCTION memory_dictionaries(language text) RETURNS regconfig
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE language
    WHEN 'english' THEN 'pg_catalog.english'::regconfig
    WHEN 'arabic' THEN 'pg_catalog.arabic'::regconfig
    WHEN 'armenian' THEN 'pg_catalog.armenian'::regconfig
    WHEN 'basque' THEN 'pg_catalog.basque'::regconfig
    WHEN 'catalan' THEN 'pg_catalog.catalan'::regconfig
    WHEN 'danish' THEN 'pg_catalog.danish'::regconfig
    WHEN 'dutch' THEN 'pg_catalog.dutch'::regconfig
    WHEN 'finnish' THEN 'pg_catalog.finnish'::regconfig
    WHEN 'french' THEN 'pg_catalog.french'::regconfig
    WHEN 'german' THEN 'pg_catalog.german'::regconfig
    WHEN 'greek' THEN 'pg_catalog.greek'::regconfig
    WHEN 'hindi' THEN 'pg_catalog.hindi'::regconfig
    WHEN 'hungarian' THEN 'pg_catalog.hungarian'::regconfig
    WHEN 'indonesian' THEN 'pg_catalog.indonesian'::regconfig
    WHEN 'irish' THEN 'pg_catalog.irish'::regconfig
    WHEN 'italian' THEN 'pg_catalog.italian'::regconfig
    WHEN 'lithuanian' THEN 'pg_catalog.lithuanian'::regconfig
    WHEN 'nepali' THEN 'pg_catalog.nepali'::regconfig
    WHEN 'norwegian' THEN 'pg_catalog.norwegian'::regconfig
    WHEN 'portuguese' THEN 'pg_catalog.portuguese'::regconfig
    WHEN 'romanian' THEN 'pg_catalog.romanian'::regconfig
    WHEN 'russian' THEN 'pg_catalog.russian'::regconfig
    WHEN 'serbian' THEN 'pg_catalog.serbian'::regconfig
    WHEN 'spanish' THEN 'pg_catalog.spanish'::regconfig
    WHEN 'swedish' THEN 'pg_catalog.swedish'::regconfig
    WHEN 'tamil' THEN 'pg_catalog.tamil'::regconfig
    WHEN 'turkish' THEN 'pg_catalog.turkish'::regconfig
    WHEN 'yiddish' THEN 'pg_catalog.yiddish'::regconfig
    ELSE 'pg_catalog.simple'::regconfig
END;

-- The text with plain letters in place of accented ones, each in its place.
CREATE OR REPLACE FUNCTION memory_unaccented(text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length($1) = char_length($1) THEN $1 ELSE translate(
    $1,
    'àáâãäåāăąçćčďđèéêëēėęěğìíîïīįıłñńňòóôõöőøřśšşșťţțùúûüūůűųýÿźżžёÀÁÂÃÄÅĀĂĄÇĆČĎĐÈÉÊËĒĖĘĚĞÌÍÎÏĪĮŁÑŃŇÒÓÔÕÖŐØŘŚŠŞȘŤŢȚÙÚÛÜŪŮŰŲÝŸŹŻŽЁİÇ',
    'aaaaaaaaacccddeeeeeeeegiiiiiiilnnnooooooorsssstttuuuuuuuuyyzzzеAAAAAAAAACCCDDEEEEEEEEGIIIIIILNNNOOOOOOORSSSSTTTUUUUUUUUYYZZZЕIC'
) END;

-- Words of languages whose dictionaries know endings with accents: as the dictionary has them, then bare; and as it has
-- the bare ones, for those who type without accents. In Turkish, I and i are two letters.
CREATE OR REPLACE FUNCTION memory_accented_words(content text, language text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN memory_unaccented(
        to_tsvector(memory_dictionaries(language), memory_plain(memory_even(
            CASE language WHEN 'turkish' THEN translate(content, 'Iİ', 'ıi') ELSE content END
        )))::text
    )::tsvector
    || strip(to_tsvector(memory_dictionaries(language), memory_plain(memory_folded(content))));

-- The words of a text that is not English. Where Postgres has no dictionaries, long words are cut, so that most of their
-- endings do not matter.
CREATE OR REPLACE FUNCTION memory_foreign_words(content text, language text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN language = 'simple' THEN to_tsvector('pg_catalog.simple', regexp_replace(
        memory_plain(memory_folded(content)), '([[:alpha:]\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b4d\u0b82-\u0bcd\u0c00-\u0c4d\u0c81-\u0ccd\u0d00-\u0d4d\u0d82-\u0ddf\u200c\u200d]{6})[[:alpha:]\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b4d\u0b82-\u0bcd\u0c00-\u0c4d\u0c81-\u0ccd\u0d00-\u0d4d\u0d82-\u0ddf\u200c\u200d]+', '\1', 'g'
    ))
    WHEN octet_length(content) > char_length(content) AND NOT memory_has_many_marks(content)
        AND language IN ('catalan', 'french', 'hungarian', 'irish', 'lithuanian', 'portuguese', 'romanian', 'turkish')
    THEN memory_accented_words(content, language)
    ELSE to_tsvector(memory_dictionaries(language), memory_plain(memory_folded(content)))
END;

-- What a text's words are in its language. The planner writes this function out wherever it is called, so it is short.
CREATE OR REPLACE FUNCTION memory_words(content text, language text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN language = 'english' THEN to_tsvector('pg_catalog.english', memory_plain(memory_folded(content)))
    ELSE memory_foreign_words(content, language) END;

-- The text with spaces where signs join one identifier to another: quotation marks, brackets, commas, arrows, and the
-- border between letters with and without spaces between words.
CREATE OR REPLACE FUNCTION memory_apart(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
    regexp_replace($1, '->|[,;=*|~"''`()\[\]{}<>“”„‚‘’«»‹›「」『』【】（）〈〉《》…—–。、！？：；，．]', ' ', 'g'),
    '(?<=[!-~])(?=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef])|(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef])(?=[!-~])',
    ' ', 'g'
);

-- Names, numbers, paths, flags and the like, as they were written: what stands between spaces or apart, less the
-- punctuation around it, if it is more than letters, of whatever script. They carry a "=" so that they are never taken for
-- words.
CREATE OR REPLACE FUNCTION memory_identifiers(text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
    SELECT DISTINCT '=' || token
    FROM (
        SELECT rtrim(ltrim(word, '([{<"''`*_“„‘«‹「『【（〈《'), '.,;:!?)]}>"''`*_”“’»›」』】）〉》…。、！？：；，．') AS token
        FROM (SELECT lower(memory_normal($1)) AS whole) AS said,
            regexp_split_to_table(whole || ' ' || memory_apart(whole), '\s+') AS word
        WHERE word ~ '[^a-z]'
    ) AS tokens
    WHERE token ~ '[^[:alpha:]\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b4d\u0b82-\u0bcd\u0c00-\u0c4d\u0c81-\u0ccd\u0d00-\u0d4d\u0d82-\u0ddf\u200c\u200d''’]' AND token !~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff\uf900-\ufaff\uff66-\uff9f]'
        AND length(token) <= 200 AND (length(token) > 1 OR octet_length(token) > 1)
);

-- Writing without spaces between its words: of Chinese, Japanese and Korean each character and the one after it are a
-- word; of Thai, Lao, Khmer and Burmese, whose letters are sounds, each character and the two after it. A shorter run is a
-- word as it is. They carry a "~". The time grows with the length of the text; `substr` would count from the start each
-- time.
CREATE OR REPLACE FUNCTION memory_grams(text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN octet_length($1) = char_length($1) OR $1 !~ '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff\uf900-\ufaff\uff66-\uff9f]' THEN '{}'::text[] ELSE ARRAY(
    SELECT DISTINCT '~' || gram
    FROM regexp_matches(
            CASE WHEN memory_has_many_marks($1) THEN $1 ELSE normalize($1, NFKC) END,
            '([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff]+)|([\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]+)', 'g'
        ) AS run,
        LATERAL (
            SELECT character || CASE
                WHEN run[1] IS NULL THEN coalesce(lead(character) OVER written_on, CASE place WHEN 1 THEN '' END)
                ELSE coalesce(
                    lead(character) OVER written_on || lead(character, 2) OVER written_on,
                    CASE place WHEN 1 THEN coalesce(lead(character) OVER written_on, '') END
                )
            END AS gram
            FROM unnest(string_to_array(coalesce(run[1], run[2]), NULL)) WITH ORDINALITY AS written (character, place)
            WINDOW written_on AS (ORDER BY place)
        ) AS grams
    WHERE gram IS NOT NULL
) END;

-- What a memory can be found by. The audience is a lexeme too ("@" and its id), so that one index finds words within a
-- team without reading others'.
CREATE OR REPLACE FUNCTION memory_search(
    audience uuid, key text, tags text[], summary text, category text, content text, language text
) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(memory_words(key || ' ' || array_to_string(tags, ' '), language), 'A')
    || setweight(memory_words(summary || ' ' || category, language), 'B')
    || setweight(memory_words(content, language), 'C')
    || array_to_tsvector(
        memory_identifiers(key || ' ' || array_to_string(tags, ' ') || ' ' || summary || ' ' || content)
        || memory_grams(key || ' ' || array_to_string(tags, ' ') || ' ' || summary || ' ' || content)
        || coalesce('@' || audience::text, '@')
    );

-- What a file can be found by. A tsvector holds at most 1 MiB: the first 65,536 characters of a file always fit.
CREATE OR REPLACE FUNCTION file_search(path text, content text, language text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(memory_words(path, language), 'A')
    || setweight(memory_words(left(content, 65536), language), 'C');

-- The first word of a text, which recall would otherwise look for in every candidate.
CREATE OR REPLACE FUNCTION memory_opening(text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(substring(left($1, 100) FROM '\w+'));

-- The order by importance of what was never recalled, for an index (see memories.rules.importance).
CREATE OR REPLACE FUNCTION memory_standing(importance float8, updated_at timestamptz) RETURNS float8
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ln(greatest(importance, 1e-9)) / ln(2.0::float8)
    + extract(epoch FROM updated_at - '2020-01-01 00:00+00'::timestamptz)::float8 / (86400.0 * 90.0);

-- A long search column unpacked: it would be unpacked again for each word that it is searched for. Adding nothing does it.
CREATE OR REPLACE FUNCTION memory_unpacked(search tsvector) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN pg_column_size(search) > 1000 THEN search || ''::tsvector ELSE search END;

-- What a word of the query is worth in a row, as BM25 has it: its weight (the rarer, the greater) times a frequency that
-- saturates, less in rows longer than the mean. Words of the key and the tags (the label) count half as much again.
-- Postgres' rank of one word grows with its count c as the sum of 1/1 + 1/4 + 1/9 + … + 1/c², over pi²/6; that tells the
-- count, without unpacking the row's words. A word that is another in another language is a query for either, whose rank
-- is their mean: the number of its lexemes makes the sum of it. The planner writes this function out wherever it is called.
CREATE OR REPLACE FUNCTION memory_word_worth(
    search tsvector, size integer, mean float8, word tsquery, label tsquery, weight float8
) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN search @@ word THEN
    weight * CASE WHEN search @@ label THEN 1.5 ELSE 1 END
    / (1 + 0.9 * (0.6 + 0.4 * size / mean)
        / (0.6079271 / (1 - least(0.99, ts_rank(ARRAY[1, 1, 1, 1]::real[], search, word) * (numnode(word) + 1) / 2)) - 0.5))
ELSE 0 END;

-- The wording of a text: small letters, and one space in place of spaces and signs. `memories.text.wording` has the same.
-- The planner writes this function out in the index, so that a save does not plan a query within.
CREATE OR REPLACE FUNCTION memory_wording(text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN btrim(regexp_replace(
    lower(translate($1, '.,;:!?"''()[]*_`İΣς', '               iσσ')),
    '[\u0009-\u000d\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'
));
