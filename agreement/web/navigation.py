"""What the pages of results add to those of a project: tabs, the card on its overview, where a new project opens."""

from annotations.models.rights import Right
from annotations.projects.navigation import (
    NO_PYRAMIDS,
    PYRAMIDS,
    Landing,
    Tab,
    register_fragment,
    register_landing,
    register_tabs,
)


def register() -> None:
    """Register all of it."""
    register_tabs(
        Tab("agreement", "Agreement", "agreement", Right.SEE_RESULTS, 100),
        Tab("items", "Items", "items", Right.SEE_RESULTS, 110),
        Tab("coders", "Coders", "coders", Right.SEE_RESULTS, 120),
        Tab("categories", "Categories", "categories", Right.SEE_RESULTS, 130, NO_PYRAMIDS),
        Tab("texts", "By text", "texts", Right.SEE_RESULTS, 140),
        Tab("course", "Trend", "course", Right.SEE_RESULTS, 150),
        Tab("scores", "Scores", "scores", Right.SEE_RESULTS, 160, PYRAMIDS),
        Tab("study", "Study", "study", Right.SEE_RESULTS, 170, PYRAMIDS),
        Tab("scus", "SCUs", "scus", Right.SEE_RESULTS, 180, PYRAMIDS),
        Tab("peers", "Peers", "peers", Right.SEE_RESULTS, 190, PYRAMIDS),
    )
    register_fragment("overview_head", "agreement/parts/overview_head.html")
    register_fragment("overview", "agreement/parts/overview_card.html")
    register_fragment("scheme", "agreement/parts/scheme_link.html")
    message = "Project created. Next: import texts."
    register_landing(NO_PYRAMIDS, Landing("allows", message))
