from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoriesConfig(AppConfig):
    name = "memories"

    def ready(self) -> None:
        from memories.models import pgvector
        from memoryhub import pooled_connections, roles

        post_migrate.connect(pgvector.adopt_after_migrate, sender=self)
        roles.connect_role_signals(self)
        pooled_connections.check_by_socket()
