"""Reads of pairs: the duplicates and contradictions that an actor may see, and in which words two texts differ."""

from collections.abc import Sequence
from uuid import UUID

from memories.models import Pair, PairQuerySet, PairState
from memories.text.comparison import Difference, compare_texts
from memoryhub.errors import NotFound
from teams.actor import Actor

NO_SUCH_PAIR = "There is no such pair."


def list_pairs(
    *, actor: Actor, state: str = PairState.OPEN, kinds: Sequence[str] = (), memory_id: UUID | None = None
) -> PairQuerySet:
    """Return the pairs in this state that the actor may see, with their memories. Index: pair_newest."""
    rows = Pair.objects.visible_to(actor).filter(state=state)
    if kinds:
        rows = rows.of_kind(*kinds)
    if memory_id:
        rows = rows.of_memories([memory_id])
    return rows.with_memories()


def count_open_pairs(*, actor: Actor, most: int) -> int:
    """Return how many open pairs the actor may settle, counted up to `most`."""
    return Pair.objects.settleable_by(actor).open()[:most].count()


def find_pair(*, actor: Actor, pair_id: UUID) -> Pair:
    """Return the pair if the actor may see both of its memories."""
    pair = Pair.objects.visible_to(actor).with_memories().filter(pk=pair_id).first()
    if pair is None:
        raise NotFound(NO_SUCH_PAIR)
    return pair


def find_pair_differences(pair: Pair) -> Sequence[Difference]:
    """Return the words in which the two memories contradict each other, those of the older one first."""
    return compare_texts(pair.older.content, pair.newer.content).differences
