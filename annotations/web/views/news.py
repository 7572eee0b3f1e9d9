"""What is new in a project for its member: guidelines, answers, and questions that wait for one."""

from __future__ import annotations

from typing import Any

from annotations.models import Project, User
from annotations.projects.guidelines import guidelines_news
from annotations.texts.questions import count_news, count_unanswered


def news_for(project: Project, user: User, *, codes: bool) -> dict[str, Any]:
    """Return what `annotations/projects/news.html` shows. Guidelines and answers are for those who code."""
    return {
        "news": guidelines_news(project, user) if codes else None,
        "n_news": count_news(project, user) if codes else 0,
        "n_unanswered": count_unanswered(project),
    }
