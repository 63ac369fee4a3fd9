"""The base of every tenant table: an organization, and links that the database keeps within it."""

from typing import Any

from django.db import models

from memoryhub.ids import uuid7


class Tenant(models.Model):
    """Is the base of rows that belong to one organization."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    organization = models.ForeignKey("teams.Organization", on_delete=models.CASCADE, db_index=False, related_name="+")

    class Meta:
        abstract = True


def tenant_link(to: str, **options: Any) -> Any:
    """Return a foreign key whose constraint is a SameOrganization in the model's Meta."""
    defaults: dict[str, Any] = {"on_delete": models.CASCADE, "related_name": "+"}
    return models.ForeignKey(to, db_constraint=False, **defaults | options)


class SameOrganization(models.BaseConstraint):
    """Adds a composite foreign key (organization, link) → (organization, id): the database refuses a link to another
    organization's row. It is the only kind of foreign key that distributed tables allow."""

    def __init__(self, *, field: str, to: str, name: str) -> None:
        super().__init__(name=name)
        self.field = field
        self.to = to

    def deconstruct(self) -> tuple[str, Any, dict[str, Any]]:
        path, _, _ = super().deconstruct()
        return path, (), {"field": self.field, "to": self.to, "name": self.name}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameOrganization) and self.deconstruct() == other.deconstruct()

    def __hash__(self) -> int:
        return hash((self.field, self.to, self.name))

    def constraint_sql(self, model: Any, schema_editor: Any) -> str:
        quote = schema_editor.quote_name
        column = model._meta.get_field(self.field).column
        table = model._meta.apps.get_model(self.to)._meta.db_table
        return (
            f"CONSTRAINT {quote(self.name)} FOREIGN KEY ({quote('organization_id')}, {quote(column)}) "
            f"REFERENCES {quote(table)} ({quote('organization_id')}, {quote('id')}) "
            "DEFERRABLE INITIALLY IMMEDIATE"  # deleting a whole organization may defer the checks
        )

    def create_sql(self, model: Any, schema_editor: Any) -> str:
        table = schema_editor.quote_name(model._meta.db_table)
        return f"ALTER TABLE {table} ADD {self.constraint_sql(model, schema_editor)}"

    def remove_sql(self, model: Any, schema_editor: Any) -> str:
        table = schema_editor.quote_name(model._meta.db_table)
        return f"ALTER TABLE {table} DROP CONSTRAINT {schema_editor.quote_name(self.name)}"

    def validate(self, model: Any, instance: Any, exclude: Any = None, using: str = "default") -> None:
        """Do nothing: the database decides."""


def tenant_key(table: str) -> models.UniqueConstraint:
    """Return the key that a SameOrganization in another table refers to."""
    return models.UniqueConstraint(fields=["organization", "id"], name=f"{table}_is_of_one_organization")
