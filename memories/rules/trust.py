"""Provenance: how far the text of a memory can be trusted, by where it comes from."""

from django.db.models import Case, F, Q, Value, When
from django.db.models.expressions import Combinable

from memories.models.constants import Provenance
from memoryhub.errors import Invalid
from teams.actor import Actor

MOST_TRUSTED_FIRST = (
    Provenance.PERSON,
    Provenance.AGENT,
    Provenance.IMPORT,
    Provenance.EXTRACTION,
    Provenance.TOOL,
)
# What readers are told about, until somebody has verified it.
TRUST_LABELS = {
    Provenance.IMPORT: "unverified import",
    Provenance.EXTRACTION: "unverified extraction",
    Provenance.TOOL: "unverified tool output",
}


def provenance_of_caller(actor: Actor) -> Provenance:
    return Provenance.AGENT if actor.agent_id else Provenance.PERSON


def resolve_provenance(actor: Actor, declared: str | None) -> Provenance:
    """Return where a text comes from: from its caller, unless the call declares something less trusted."""
    own = provenance_of_caller(actor)
    if declared is None:
        return own
    if declared not in Provenance.values:
        raise Invalid({"provenance": f"This must be one of {', '.join(Provenance)}."})
    if MOST_TRUSTED_FIRST.index(Provenance(declared)) < MOST_TRUSTED_FIRST.index(own):
        raise Invalid({"provenance": f"An agent cannot declare the provenance {declared!r}."})
    return Provenance(declared)


def label_trust(provenance: str, *, verified: bool) -> str:
    """Return the label of a text that should not be taken at its word; nothing for others."""
    return "" if verified else TRUST_LABELS.get(Provenance(provenance), "")


def find_least_trusted(*sources: str) -> Provenance:
    return max(map(Provenance, sources), key=MOST_TRUSTED_FIRST.index)


def lower_provenance(to: Provenance) -> Combinable:
    """Return a row's provenance after text from `to` was added: the less trusted of the two."""
    lower = MOST_TRUSTED_FIRST[MOST_TRUSTED_FIRST.index(to) + 1 :]
    return Case(When(Q(provenance__in=lower), then=F("provenance")), default=Value(to.value))
