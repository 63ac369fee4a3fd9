"""The weight of a rating: how much one actor's word about a memory counts in recall."""

from memories.models.feedback import Rating
from memories.models.memory import Memory
from teams.actor import Actor

WEIGHT_OF_PERSON = 1.0
WEIGHT_OF_AGENT = 0.5


def weigh_rating(actor: Actor, memory: Memory, rating: Rating) -> float:
    """Return the weight of this rating: above 0 for the memory, below 0 against it. Nobody's praise of an own memory
    counts."""
    weight = WEIGHT_OF_AGENT if actor.agent_id else WEIGHT_OF_PERSON
    if rating is not Rating.HELPFUL:
        return -weight
    return 0.0 if _is_author(actor, memory) else weight


def _is_author(actor: Actor, memory: Memory) -> bool:
    if actor.agent_id:
        return memory.agent_id == actor.agent_id
    return memory.agent_id is None and memory.user_id == actor.user_id
