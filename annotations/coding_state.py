"""What the coding page starts from: one dictionary, the same for the page and the API."""

from typing import Any

from annotations import operations
from annotations.models import Coding, Project, Text
from annotations.timing import seconds_at_work


def coding_state(coding: Coding, project: Project) -> dict[str, Any]:
    """The text, scheme, markables and judgements that the coding's coder sees. Nine queries."""
    return {
        "project": {"slug": project.slug, "title": project.title},
        "user": coding.coder.get_username(),
        "text": text_state(coding.text),
        "scheme": scheme_state(project),
        "markables": [
            {"key": key, "level": level, "label": label, "parts": parts, "head": head, "own": not predefined}
            for key, level, label, parts, head, predefined in coding.text.markables.of_coding(coding).values_list(
                "key", "level__key", "label", "parts", "head", "predefined"
            )
        ],
        "coding": {"status": coding.status, "version": coding.version, "seconds": seconds_at_work(coding)},
        "judgements": operations.judgements_of(coding),
    }


def text_state(text: Text) -> dict[str, Any]:
    """A text with its segments, offsets in code points."""
    return {
        "slug": text.slug,
        "title": text.title,
        "content": text.content,
        "language": text.language,
        "direction": text.direction,
        "segments": list(text.segments.values("kind", "start", "end", "label", "speaker")),
    }


def scheme_state(project: Project) -> dict[str, Any]:
    """Levels and categories in the order in which they are shown."""
    return {
        "answers": project.answers,
        "levels": list(project.levels.values("key", "label", "coded", "coders_mark")),
        "categories": [
            {
                "key": category.key,
                "label": category.label,
                "points_to": category.points_to.key if category.points_to else None,
                "max_pointers": category.max_pointers,
                "allow_later": category.allow_later,
                "takes_index": category.takes_index,
                "takes_optional": category.takes_optional,
            }
            for category in project.categories.select_related("points_to")
        ],
    }
