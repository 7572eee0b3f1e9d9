"""What the pages of results add to those of a project: tabs, and the card on its overview."""

from annotations.models.people.rights import Right
from annotations.projects.navigation import (
    NO_PYRAMIDS,
    PYRAMIDS,
    Tab,
    register_fragment,
    register_tabs,
)


def register() -> None:
    """Register all of it."""
    register_tabs(
        Tab("agreement", "Agreement", "agreement", Right.SEE_RESULTS, 100, group="results"),
        Tab("items", "Items", "items", Right.SEE_RESULTS, 110, group="results"),
        Tab("coders", "Coders", "coders", Right.SEE_RESULTS, 120, group="results"),
        Tab("models", "Models", "agreement-models", Right.SEE_RESULTS, 122, NO_PYRAMIDS, "results", about_models=True),
        Tab("gold", "Gold", "gold", Right.COMPARE_WITH_GOLD, 125, group="results"),
        Tab("categories", "Categories", "categories", Right.SEE_RESULTS, 130, NO_PYRAMIDS, group="results"),
        Tab("texts", "By text", "texts", Right.SEE_RESULTS, 140, group="results"),
        Tab("course", "Trend", "course", Right.SEE_RESULTS, 150, group="results"),
        Tab("planning", "How much is enough", "planning", Right.SEE_RESULTS, 155, group="results"),
        Tab("scores", "Scores", "scores", Right.SEE_RESULTS, 160, PYRAMIDS, group="results"),
        Tab("study", "Study", "study", Right.SEE_RESULTS, 170, PYRAMIDS, group="results"),
        Tab("scus", "SCUs", "scus", Right.SEE_RESULTS, 180, PYRAMIDS, group="results"),
        Tab("peers", "Peers", "peers", Right.SEE_RESULTS, 190, PYRAMIDS, group="results"),
    )
    register_tabs(Tab("datasheet", "Datasheet", "datasheet", Right.SEE_RESULTS, 305, group="data"))
    # Who discusses items finds the questions of coders with the flags.
    register_tabs(Tab("discussion", "Flags and questions", "flags", Right.DISCUSS, 60))
    register_fragment("unanswered", "agreement/parts/unanswered.html")
    register_fragment("overview_head", "agreement/parts/overview/overview_head.html")
    register_fragment("overview", "agreement/parts/overview/overview_card.html")
    register_fragment("export", "agreement/parts/links/export_link.html")
    register_fragment("scheme", "agreement/parts/links/scheme_link.html")
