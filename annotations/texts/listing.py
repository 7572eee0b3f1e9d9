"""The list of the texts of a project: search, order and pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F, OuterRef, Q, QuerySet

from annotations.core.database.queries import count_subquery
from annotations.models import Coding, Markable, Project, Round, Text
from annotations.models.people.rights import Person
from annotations.models.project import is_blind_manager
from annotations.projects.rounds import rounds_by_text

PAGE_SIZE = 50
MAX_CODERS = 10  # coders of a text that are named
# The columns for sorting texts, with those that decide between equal ones.
SORTS: dict[str, tuple[str, ...]] = {
    "position": ("position", "slug"),
    "title": ("title", "slug"),
    "slug": ("slug",),
    "round": ("round_place", "position", "slug"),
    "words": ("words", "slug"),
    "markables": ("markable_count", "slug"),
    "submitted": ("submitted", "slug"),
}
DEFAULT_SORT = "position"


@dataclass(frozen=True, slots=True)
class TextRow:
    """A text of the list with its numbers of words and markables, and its codings with their progress."""

    text: Text
    words: int
    markables: int
    rounds: Sequence[Round] = ()
    codings: list[Coding] = field(default_factory=list)

    @property
    def n_more(self) -> int:
        return max(0, len(self.codings) - MAX_CODERS)

    @property
    def named(self) -> list[Coding]:
        return self.codings[:MAX_CODERS]


@dataclass(frozen=True, slots=True)
class TextQuery:
    """The parameters of the list: words of titles or addresses, a round, the order (with "-" for descending)."""

    search: str = ""
    round: str = ""
    sort: str = DEFAULT_SORT

    @property
    def sort_key(self) -> str:
        """The key of SORTS."""
        return self.sort.removeprefix("-")

    @property
    def is_whole(self) -> bool:
        """Whether all texts are listed in their own order."""
        return not self.search and not self.round and self.sort == DEFAULT_SORT

    def select(self, texts: QuerySet[Text]) -> QuerySet[Text]:
        """Return the matching texts, unordered."""
        for word in self.search.split():
            texts = texts.filter(Q(title__icontains=word) | Q(slug__icontains=word))
        return texts.filter(rounds__name=self.round) if self.round else texts

    def order(self, texts: QuerySet[Text], user: Person, *, blind: bool = False) -> QuerySet[Text]:
        """Return the texts in order, with annotations for it; a blind user's order depends on no work of others."""
        if self.sort_key == "words":
            texts = texts.with_words()  # type: ignore[attr-defined]
        elif self.sort_key == "round":
            texts = texts.with_round()  # type: ignore[attr-defined]
        elif self.sort_key == "markables":
            texts = texts.annotate(markable_count=_markable_count(blind=blind))
        elif self.sort_key == "submitted":
            codings = Coding.objects.of_coders().visible_to(user).once_for(user).filter(text=OuterRef("pk"))
            codings = codings.filter(status=Coding.Status.SUBMITTED).exclude(kind=Coding.Kind.GOLD)
            submitted = count_subquery(codings.filter(coder=user.pk) if blind else codings)
            texts = texts.annotate(submitted=submitted)
        first, *others = SORTS[self.sort_key]
        return texts.order_by(F(first).desc() if self.sort.startswith("-") else F(first).asc(), *others)


def list_texts(project: Project, user: Person, query: TextQuery, number: str | None) -> Page[Any]:
    """Return a page of the user's visible texts, as TextRows. Five queries for any number of texts."""
    matching = query.select(Text.objects.visible_to(user).filter(project=project))
    # Only texts of the page are read in full.
    blind = is_blind_manager(project)
    paginator = Paginator(query.order(matching, user, blind=blind).values_list("pk", flat=True), PAGE_SIZE)
    page: Page[Any] = paginator.get_page(number)
    page.object_list = _rows(project, list(page.object_list), user, blind=blind)
    return page


def _rows(project: Project, keys: list[int], user: Person, *, blind: bool) -> list[TextRow]:
    texts = Text.objects.filter(pk__in=keys).with_words().annotate(markable_count=_markable_count(blind=blind))
    by_key = {text.pk: text for text in texts.defer("content")}
    visible = Coding.objects.of_coders().visible_to(user).once_for(user).filter(text__in=keys, kind=Coding.Kind.TEXT)
    codings: dict[int, list[Coding]] = defaultdict(list)
    for coding in visible.with_progress().select_related("coder").order_by("coder__username"):
        codings[coding.text_id].append(coding)
    # A text deleted since the page was selected is missing.
    known: Iterable[Any] = (by_key[key] for key in keys if key in by_key)
    rounds = rounds_by_text(project, keys)
    return [TextRow(text, text.words, text.markable_count, rounds.get(text.pk, ()), codings[text.pk]) for text in known]


def _markable_count(*, blind: bool) -> Any:
    """Return the number of markables of a text, including those that coders marked unless blind."""
    markables = Markable.objects.filter(predefined=True) if blind else Markable.objects.in_use()
    return count_subquery(markables.filter(text=OuterRef("pk"), level__coded=True))
