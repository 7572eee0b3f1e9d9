"""What the pages of results add to those of a project: tabs, and the card on its overview."""

from agreement.results.registry import PAGES
from annotations.models.people.rights import Right
from annotations.projects.navigation import Tab, register_fragment, register_tabs


def register() -> None:
    """Register all of it."""
    register_tabs(
        *(
            Tab(
                *(page.name, page.title, page.route, page.right, page.tab, page.answers, page.group),
                about_models=page.about_models,
            )
            for page in PAGES
            if page.tab
        )
    )
    # Who discusses items finds the questions of coders with the flags.
    register_tabs(Tab("discussion", "Flags and questions", "flags", Right.DISCUSS, 60))
    register_fragment("unanswered", "agreement/parts/unanswered.html")
    register_fragment("overview_head", "agreement/parts/overview/overview_head.html")
    register_fragment("overview", "agreement/parts/overview/overview_card.html")
    register_fragment("export", "agreement/parts/links/export_link.html")
    register_fragment("scheme", "agreement/parts/links/scheme_link.html")
