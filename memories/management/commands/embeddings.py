"""Says how the models that make vectors fare, and makes the vectors that are missing."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from memories import extensions
from memories.embedding import serving
from memories.models import Embedding, EmbeddingModel, Memory
from memories.operations import embedding


class Command(BaseCommand):
    help = "Says how the models that make vectors fare."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--make", action="store_true", help="Makes the missing vectors now.")
        parser.add_argument("--drop", metavar="MODEL", help="Removes the vectors of a model that does not serve.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not extensions.has_vectors(connection):
            raise CommandError("This Postgres has no pgvector: recall by meaning is switched off.")
        if options["make"]:
            embedding.catch_up()
        if options["drop"]:
            self.drop(options["drop"])
        self.report()

    def report(self) -> None:
        present, memories = serving.serving(), Memory.objects.filter(forgotten_at=None).count()
        asked = present.asked.name if present.asked else "nobody"
        self.stdout.write(f"{memories:,} memories; {asked} answers")
        shares = {known.model.name: known.share for known in embedding.coverage()}
        for model in EmbeddingModel.objects.order_by("created_at"):
            vectors = Embedding.objects.filter(model=model.name).count()
            behind = f"{shares.get(model.name, 0):.0%} done, {embedding.waiting(model.name):,} wait"
            state = "covers all" if model.covered_at else behind
            failing = f"; failing since {model.failed_at:%Y-%m-%d %H:%M}: {model.error}" if model.failed_at else ""
            self.stdout.write(f"  {model.name}: {vectors:,} vectors, {state}{failing}")

    def drop(self, name: str) -> None:
        if name in {provider.name for provider in serving.serving().making}:
            raise CommandError(f"{name} is in use.")
        dropped, _ = Embedding.objects.filter(model=name).delete()
        EmbeddingModel.objects.filter(pk=name).delete()
        self.stdout.write(f"{dropped:,} vectors of {name} removed.")
