"""The words of texts: markables for display, and the minimal words that MUC-6 matches. Read and not cached."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched

from django.db.models import Q

from agreement.data.coders import GOLD
from agreement.data.documents import Document, row_key, shift_of
from agreement.data.judgements import MAX_TEXTS_IN_QUERY
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import KeyMarkable
from annotations.core.database import bulk
from annotations.models import Coding, Judgement, Markable, Project, Text
from annotations.texts.keywords import Keyword, covered_text, keyword_in_context


@dataclass(frozen=True, slots=True)
class Snippet:
    """A unit for display; `keyword` adds its context."""

    unit: int
    key: str
    label: str
    words: str
    keyword: Keyword


def read_snippets(units: Collection[int]) -> dict[int, Snippet]:
    """Return the snippets of these units. Two queries, more only beyond MAX_KEYS units."""
    return read_snippets_and_texts(units)[0]


def read_snippets_and_texts(units: Collection[int]) -> tuple[dict[int, Snippet], dict[int, str]]:
    """Return the snippets of these units, and the contents of their texts."""
    markables = {
        markable.pk: markable
        for some in batched({row_key(unit) for unit in units}, bulk.MAX_KEYS)
        for markable in Markable.objects.filter(pk__in=some).only("key", "label", "parts", "text_id")
    }
    texts = Text.objects.filter(pk__in={markable.text_id for markable in markables.values()})
    contents, snippets = dict(texts.values_list("pk", "content")), dict[int, Snippet]()
    for unit in units:
        if markable := markables.get(row_key(unit)):
            content, parts = contents[markable.text_id], markable.parts
            words, keyword = covered_text(content, parts), keyword_in_context(content, parts)
            snippets[unit] = Snippet(unit, markable.key, markable.label, words, keyword)
    return snippets, contents


def read_keys(texts: Sequence[Document]) -> dict[int, str]:
    """Return the key of each markable of some documents, by member key. One query for 500 texts."""
    shifts = defaultdict[int, list[int]](list)
    for text in texts:
        shifts[text.text_pk].append(shift_of(text.pk))
    found: dict[int, str] = {}
    for some in batched(shifts, MAX_TEXTS_IN_QUERY):
        rows = Markable.objects.filter(text__in=some).order_by()
        for text_pk, pk, key in rows.values_list("text_id", "pk", "key").iterator(10_000):
            found |= {pk + shift: key for shift in shifts[text_pk]}
    return found


type Members = Collection[Hashable]


def matches_by_muc6(project: Project) -> bool:
    """Return whether markables match by the rules of MUC-6: some category may be marked optional. One query."""
    return project.categories.filter(takes_optional=True).exists()


@dataclass(frozen=True, slots=True)
class Markings:
    """The marks of coders in documents: contents and markables by text, and judgements by coder and unit."""

    contents: Mapping[int, str]
    markables: Mapping[int, Sequence[tuple[int, int, int, Sequence[Sequence[int]]]]]
    judged: Mapping[tuple[str, int], tuple[Sequence[Sequence[int]], bool]]

    def of_pair(
        self, texts: Sequence[Document], key: str, response: str, of_key: Members, of_response: Members
    ) -> Iterator[tuple[int, str, dict[Hashable, KeyMarkable], dict[Hashable, tuple[int, int]]]]:
        """Yield the key and content of each document, and the markables of key and response by unit.

        A side has the markables that its coder judged and those in its clusters, which may only be pointed to.
        """
        for document in texts:
            content, shift = self.contents[document.text_pk], shift_of(document.pk)
            key_marks, response_marks = dict[Hashable, KeyMarkable](), dict[Hashable, tuple[int, int]]()
            for pk, start, end, head in self.markables.get(document.text_pk, ()):
                unit = pk + shift
                own_head, optional = self.judged.get((key, unit), ([], False))
                if (key, unit) in self.judged or unit in of_key:
                    least = _least_words(content, start, end, own_head or head)
                    key_marks[unit] = KeyMarkable(start, end, least, optional)
                if (response, unit) in self.judged or unit in of_response:
                    response_marks[unit] = start, end
            yield document.pk, content, key_marks, response_marks


def read_markings(answers: ProjectAnswers, texts: Sequence[Document], coders: Collection[str]) -> Markings:
    """Return the marks of these coders in the documents; the name `GOLD` means gold. Three queries."""
    keys = {text.text_pk for text in texts}
    contents = dict(Text.objects.filter(pk__in=keys).values_list("pk", "content"))
    place = {
        coding: (coder, shift_of(text.pk))
        for text, rows in zip(texts, answers.rows_by_text(texts), strict=True)
        for coder, coding in rows
    }
    of_coders = Q(coding__coder__username__in=coders) & ~Q(coding__kind=Coding.Kind.GOLD)
    if GOLD in coders:
        of_coders |= Q(coding__kind=Coding.Kind.GOLD)
    # a judgement under a scheme version that was not read does not count
    of_versions = {"scheme_version__in": answers.versions} if answers.versions else {}
    judgements = Judgement.objects.filter(of_coders, coding__text__in=keys, **of_versions).order_by()
    judged = {
        (place[coding][0], markable + place[coding][1]): (head, optional)
        for coding, markable, head, optional in judgements.values_list("coding_id", "markable_id", "head", "optional")
        if coding in place
    }
    of_text: dict[int, list[tuple[int, int, int, Sequence[Sequence[int]]]]] = defaultdict(list)
    markables = Markable.objects.filter(text__in=keys)
    for pk, text_pk, start, end, head in markables.values_list("pk", "text_id", "start", "end", "head"):
        of_text[text_pk].append((pk, start, end, head))
    return Markings(contents, of_text, judged)


def _least_words(content: str, start: int, end: int, head: Sequence[Sequence[int]]) -> str | None:
    """Return the words from the first to the last part of a head; None unless they are usable words of the markable."""
    if not head:
        return None
    first, last = min(part[0] for part in head), max(part[1] for part in head)
    words = content[first:last]
    # MUC-6 separates alternatives by a bar
    return words if start <= first < last <= end and words.strip() and "|" not in words else None
