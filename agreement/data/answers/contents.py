"""The documents of a project: what is known of the codings of each, and the answers, read when they are needed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agreement.data.answers.answers import TextAnswers
from agreement.data.answers.summaries import AnswerSummary, CodingSummary, TextSummary
from agreement.data.codings.documents import row_key
from agreement.data.storage.versions import Version


class AnswerSource(Protocol):
    """What reads the answers of documents."""

    def load(self, contents: Sequence[TextContent]) -> None:
        """Give these documents their answers."""

    def load_all(self, content: TextContent) -> None:
        """Give a document, and all of the project that have none yet, their answers."""


class TextContent:
    """What was answered in a document: a summary of each coding, and the answers, which are read when they are needed.

    `version` names the state of the codings and of the scheme; None where nothing is stored of such answers. `cache`
    has what was computed of this document alone; a document that changes has another content. `is_outdated` says that
    somebody has changed the document before its answers were read: they are newer than the version says, and nothing
    that is made of them is stored.
    """

    __slots__ = ("_answers", "cache", "is_outdated", "pk", "source", "summary", "version")

    def __init__(
        self, pk: int, summary: TextSummary, version: Version | None = None, source: AnswerSource | None = None
    ) -> None:
        self.pk, self.summary, self.version, self.source = pk, summary, version, source
        self.cache: dict[Hashable, Any] = {}
        self.is_outdated = False
        self._answers: TextAnswers | None = None

    @classmethod
    def of(
        cls, answers: TextAnswers, version: Version | None = None, source: AnswerSource | None = None
    ) -> TextContent:
        """Return the content that has these answers. Of the same answers there is one object."""
        found: TextContent | None = answers.cache.get("content")
        if found is None:
            found = cls(answers.pk, answers.summarize(), version, source)
            found._answers = answers
            answers.cache["content"] = found
        return found

    @property
    def codings(self) -> tuple[CodingSummary, ...]:
        """A summary of each coding."""
        return self.summary.codings

    @property
    def coders(self) -> frozenset[str]:
        """Who has answered."""
        return self.summary.coder_sets.coders

    @property
    def n_judgements(self) -> int:
        """How many judgements all codings have."""
        return self.summary.n_judgements

    @property
    def is_loaded(self) -> bool:
        """Whether the answers were read."""
        return self._answers is not None

    @property
    def answers(self) -> TextAnswers:
        """The answers. Where they were not read, those of all documents of the project are, at once."""
        if self._answers is None and self.source is not None:
            self.source.load_all(self)
        if self._answers is None:
            raise LookupError(f"the answers of document {self.pk} have no source")
        return self._answers

    def take(self, answers: TextAnswers, *, is_outdated: bool = False) -> None:
        """Take answers that were read. Where these are newer than the version says, that is remembered."""
        self._answers, self.is_outdated = answers, is_outdated

    def drop(self) -> None:
        """Forget the answers, which can be read again."""
        if self.source is not None:
            self._answers = None

    def select(self, codings: Sequence[CodingSummary]) -> TextContent:
        """Return the content with only these of its codings. Of equal selections there is one object."""
        if len(codings) == len(self.codings):
            return self
        key = ("selection", tuple((one.coder, one.reason) for one in codings))
        found: TextContent | None = self.cache.get(key)
        if found is None:
            found = self.cache.setdefault(key, SelectedContent(self, tuple(codings)))
        return found

    @property
    def root(self) -> TextContent:
        """The content of all codings of the document."""
        return self


class SelectedContent(TextContent):
    """Some of the codings of a document."""

    __slots__ = ("_of",)

    def __init__(self, of: TextContent, codings: tuple[CodingSummary, ...]) -> None:
        super().__init__(of.pk, AnswerSummary.of(codings, of.summary.digest_of_keys), of.version)
        self._of = of

    @property
    def root(self) -> TextContent:
        """The content of all codings of the document."""
        return self._of

    @property
    def is_loaded(self) -> bool:
        """Whether the answers of the document were read."""
        return self._of.is_loaded

    @property
    def answers(self) -> TextAnswers:
        """The answers in these codings."""
        coders = {one.coder for one in self.codings}
        return self._of.answers.select(one for one in self._of.answers.coder_answers if one.coder in coders)


def load_answers(texts: Iterable[TextEntry]) -> None:
    """Read the answers of these documents that were not read yet, together."""
    missing: dict[int, tuple[AnswerSource, list[TextContent]]] = {}
    for text in texts:
        root = text.content.root
        if not root.is_loaded and root.source is not None:
            missing.setdefault(id(root.source), (root.source, []))[1].append(root)
    for source, contents in missing.values():
        source.load(contents)


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A document of a project: a text in a round, and what was answered there.

    `place` is that of the round among those of the project, and `occasion` above 1 where coders saw the text again
    within the round. `reason` is one of REASONS_LEFT_OUT where all of it is practice or repeats. `is_one_of_several`
    says whether the text has other documents, too.
    """

    slug: str
    title: str
    round: str
    content: TextContent
    place: int = 0
    occasion: int = 1
    reason: str = ""
    is_one_of_several: bool = False

    @property
    def answers(self) -> TextAnswers:
        """What was answered. Where that was not read, it is now, of all documents: see `load_answers`."""
        return self.content.answers

    @property
    def pk(self) -> int:
        """The key of the document, which of the first of its text is the primary key of that."""
        return self.content.pk

    @property
    def text_pk(self) -> int:
        """The primary key of the text."""
        return row_key(self.content.pk)

    @property
    def name(self) -> str:
        """The address of the text, with the round where there are several documents of it."""
        return self.slug + self._distinction

    @property
    def label(self) -> str:
        """The title of the text, with the round where there are several documents of it."""
        return self.title + self._distinction

    @property
    def _distinction(self) -> str:
        if not self.is_one_of_several:
            return ""
        return f" ({self.round}, occasion {self.occasion})" if self.occasion > 1 else f" ({self.round})"
