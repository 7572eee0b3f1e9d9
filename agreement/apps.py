from django.apps import AppConfig


class AgreementConfig(AppConfig):
    name = "agreement"
    verbose_name = "What managers learn"

    def ready(self) -> None:
        """Say which of these tables the archive of a project holds."""
        from agreement.models import Computation, Flag, Mapping, Remark
        from annotations.archiving.tables import Archived, add_tables, is_words, leave_out

        add_tables(
            # Two remarks may say the same at the same moment, so the rest is the order in which they were made.
            Archived("remarks", Remark, "markable__text__project", ("markable", "created_at")),
            Archived("flags", Flag, "markable__text__project", ("markable",)),
            Archived("mappings", Mapping, "project", ("name",), {"classes": is_words}),
        )
        leave_out(Computation, "figures, which can be computed again")
