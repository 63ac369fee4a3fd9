"""Present importance of a memory: one formula, in Python and in SQL.

It depends on what was written and on elapsed time alone, never on how often a job ran. It halves with every half-life
in which the memory is not used, and rises with use. Pinned memories and identities do not fade.

All others fade at the same rate, so memories that were never recalled keep their order and can be indexed by it: see
the function memory_standing in memories/sql/functions.sql, which has the same half-life.
"""

from datetime import datetime

HALF_LIFE_DAYS = 90.0
USE_BONUS = 0.2  # the share of what is missing to 1 that endless use would add
USE_HALF = 20.0  # so many recalls give half of that
FADED = 50.0  # half-lives after which nothing is left to halve
DAY = 86_400.0


def importance_at(
    *,
    importance: float,
    type: str,
    pinned: bool,
    updated_at: datetime,
    last_accessed_at: datetime | None,
    access_count: int,
    now: datetime,
) -> float:
    touched = max(updated_at, last_accessed_at or updated_at)
    idle_days = max(0.0, (now - touched).total_seconds() / DAY)
    kept = 1.0 if pinned or type == "identity" else 2.0 ** -min(idle_days / HALF_LIFE_DAYS, FADED)
    used = access_count / (access_count + USE_HALF)
    return float(kept * (importance + (1.0 - importance) * USE_BONUS * used))


# The same over a row of memories_memory beside its usage; takes %(now)s.
IMPORTANCE_NOW = f"""
(CASE WHEN pinned OR type = 'identity' THEN 1.0 ELSE power(2.0::float8, -least({FADED}, greatest(0.0, extract(
    epoch FROM %(now)s::timestamptz - greatest(updated_at, last_accessed_at))::float8 / {DAY}) / {HALF_LIFE_DAYS})) END
    * (importance + (1.0 - importance) * {USE_BONUS} * coalesce(access_count / (access_count + {USE_HALF}), 0)))
"""
