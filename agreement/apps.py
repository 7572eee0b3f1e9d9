from typing import Any

from django.apps import AppConfig
from django.db import transaction


class AgreementConfig(AppConfig):
    name = "agreement"
    verbose_name = "What managers learn"

    def ready(self) -> None:
        """Register the tables of agreement in archives, and its tabs and fragments in the pages of projects."""
        from agreement.models import Computation, FiguresVersion, Flag, Mapping, Remark, StoredAnswers
        from agreement.results.allows import consequences
        from agreement.results.registry import PAGES
        from annotations.models.people.rights import Right
        from annotations.projects.anonymization import forgetting_person
        from annotations.projects.navigation import Tab, register_fragment, register_tabs
        from annotations.schemes.design.consequences import register_consequences
        from annotations.texts.changes import markables_changed, register_dependent
        from annotations.transfers.archiving.tables import ArchivedTable, add_tables, is_text_mapping, leave_out

        add_tables(
            # Two remarks may say the same at the same moment: then they stay in the order in which they were made.
            ArchivedTable("remarks", Remark, "markable__text__project", ("markable", "created_at")),
            ArchivedTable("flags", Flag, "markable__text__project", ("markable",)),
            ArchivedTable("mappings", Mapping, "project", ("name",), {"classes": is_text_mapping}),
        )
        leave_out(Computation, "figures, which can be computed again")
        leave_out(FiguresVersion, "how often figures were refreshed here")
        leave_out(StoredAnswers, "answers in another form, which can be read again")
        register_dependent("comment", Remark, "markable__text")
        register_dependent("flag", Flag, "markable__text")
        for page in PAGES:
            if page.tab:
                fields = (page.name, page.title, page.route, page.right, page.tab, page.answers, page.group)
                register_tabs(Tab(*fields, about_models=page.about_models))
        # Flags and questions of coders share a tab.
        register_tabs(Tab("discussion", "Flags and questions", "flags", Right.DISCUSS, 60))
        register_fragment("unanswered", "agreement/parts/unanswered.html")
        register_fragment("overview_head", "agreement/parts/overview/overview_head.html")
        register_fragment("overview", "agreement/parts/overview/overview_card.html")
        register_fragment("export", "agreement/parts/links/export_link.html")
        register_fragment("scheme", "agreement/parts/links/scheme_link.html")
        register_consequences(consequences)
        forgetting_person.connect(delete_figures_of)
        markables_changed.connect(refresh_figures)


def delete_figures_of(sender: object, user: Any, **_: object) -> None:  # noqa: ARG001 - Django's signature
    """Delete figures that may name the person: stored ones of their projects, and all answers in this process."""
    from agreement.data.reading import forget_answers
    from agreement.models import Computation

    Computation.objects.filter(project__texts__codings__coder=user).delete()
    forget_answers()
    # forget again what was read before the new name was committed
    transaction.on_commit(forget_answers)


def refresh_figures(sender: object, project: int, **_: object) -> None:  # noqa: ARG001 - Django's signature
    """Make all processes recompute the figures of a project, because its markables changed."""
    from agreement.models import FiguresVersion

    FiguresVersion.increase(project)
