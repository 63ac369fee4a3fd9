"""Prints the status of embedding models, creates missing vectors and drops unused ones."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from memories.embedding import active_model
from memories.models import Embedding, EmbeddingModel, Memory, pgvector
from memories.operations import embed


class Command(BaseCommand):
    help = "Show the state of each embedding model."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--make", action="store_true", help="Make the missing vectors now.")
        parser.add_argument("--drop", metavar="MODEL", help="Delete the vectors of a model that is not active.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not pgvector.has_vectors(connection):
            raise CommandError("This Postgres has no pgvector: recall by meaning is switched off.")
        if options["make"]:
            embed.catch_up()
        if options["drop"]:
            self.drop(options["drop"])
        self.report()

    def report(self) -> None:
        present, memories = active_model.get_active_models(), Memory.objects.filter(forgotten_at=None).count()
        asked = present.query_provider.name if present.query_provider else "nobody"
        self.stdout.write(f"{memories:,} memories; {asked} answers")
        shares = {known.model.name: known.share for known in embed.measure_coverage()}
        for model in EmbeddingModel.objects.order_by("created_at"):
            vectors = Embedding.objects.filter(model=model.name).count()
            behind = f"{shares.get(model.name, 0):.0%} done, {embed.count_waiting(model.name):,} wait"
            state = "covers all" if model.covered_at else behind
            failing = f"; failing since {model.failed_at:%Y-%m-%d %H:%M}: {model.error}" if model.failed_at else ""
            self.stdout.write(f"  {model.name}: {vectors:,} vectors, {state}{failing}")

    def drop(self, name: str) -> None:
        if name in {provider.name for provider in active_model.get_active_models().providers}:
            raise CommandError(f"{name} is in use.")
        dropped, _ = Embedding.objects.filter(model=name).delete()
        EmbeddingModel.objects.filter(pk=name).delete()
        self.stdout.write(f"{dropped:,} vectors of {name} removed.")
