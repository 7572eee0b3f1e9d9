from django.apps import AppConfig


class AnnotationsConfig(AppConfig):
    name = "annotations"
    verbose_name = "What coders do"

    def ready(self) -> None:
        from annotations import token_schema  # noqa: F401 - it makes itself known to the schema
