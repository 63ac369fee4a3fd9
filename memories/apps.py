from django.apps import AppConfig
from django.db.models.signals import post_migrate


class MemoriesConfig(AppConfig):
    name = "memories"

    def ready(self) -> None:
        from memories import extensions
        from memoryhub import roles

        post_migrate.connect(extensions.after_migrate, sender=self)
        roles.watch(self)
