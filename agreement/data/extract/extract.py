"""The answers of a project, or of those of its codings that count."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from agreement.data.answers.answers import NO_LABEL, TextAnswers
from agreement.data.answers.contents import TextContent, TextEntry
from agreement.data.answers.question import MOST_VALUES, Question, name_value
from agreement.data.codings.gold import GOLD
from agreement.data.extract.selection import (
    IS_GOLD,
    REASONS_LEFT_OUT,
    CodingLeftOut,
    OtherVersions,
    TextSelection,
    filter_coders,
    select_codings,
)
from agreement.data.storage.records import TextRecords
from agreement.data.storage.tables import TextTables, TextVersion
from agreement.measures.values import Ints

# How values are made of which chains are the sets.
CHAINED = ("pointers", "indices")
# In place of a round, where a text is practice.
NO_ROUND = -1


@dataclass(frozen=True, eq=False)
class Extract:
    """The answers of a project, or of a selection. `coders` are those who have answered, by name.

    Texts are documents, in the order of their addresses, those of one text in that of their rounds. `known_coders` are
    the coders of the whole project, and `left_out` the codings that a selection leaves out although their coders are
    selected. `kind` is how values are made, as one of the answers of `Project`: pyramids index. `singletons` are the
    categories whose units refer to themselves alone, where coders index. `units` is what is counted of pyramids, empty
    for markables as they are judged. `labels` are what categories are called on pages, by key. `managers` are coders
    who manage the project, too. `questions` are those that the scheme asks besides; where the answers are to one of
    them (`question`), `kind` is as there and its values are in place of the categories; `categories_asked` says whether
    there are such. `versions` are those of the scheme whose judgements were read, empty for all; `other_versions` are
    codings that a selection leaves out because all their judgements are of others. `gold_left_out` has how much gold
    does not count, by reason, where gold is among the answers. `selected` says of a selection of which coders it is,
    all where it names none, and which reasons are included. `tables` are those of all selections, and outlive the
    answers; `cache` holds what was computed of these answers: an extract of others is another object.
    """

    kind: str
    unmarked: str
    categories: tuple[str, ...]
    coders: tuple[str, ...]
    texts: tuple[TextEntry, ...]
    known_coders: tuple[str, ...]
    units: str = ""
    singletons: tuple[str, ...] = ()
    left_out: tuple[CodingLeftOut, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    managers: tuple[str, ...] = ()
    question: Question | None = None
    questions: tuple[Question, ...] = ()
    categories_asked: bool = True
    versions: frozenset[int] = frozenset()
    other_versions: tuple[OtherVersions, ...] = ()
    gold_left_out: Mapping[str, int] = field(default_factory=dict)
    selected: tuple[frozenset[str], frozenset[str]] | None = None
    tables: TextTables = field(default_factory=TextTables, repr=False)
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def is_standard(self) -> bool:
        """Whether these are all codings that count without being included: what is computed of them is stored."""
        return self.selected == _STANDARD[1:]

    @property
    def answers(self) -> str:
        """What conventions are for: the answers of `Project`, or the kind of the question, "values" of single ones."""
        if self.question and self.kind == "categories":
            return "values"
        return "scus" if self.units else self.kind

    @property
    def has_chains(self) -> bool:
        """Whether coders make chains, whatever of them is compared."""
        return self.kind in CHAINED

    @property
    def countable(self) -> tuple[str, ...]:
        """The categories or values that tables have a column for; none where there are too many, as of free words."""
        return self.categories if len(self.categories) <= MOST_VALUES or not self.question else ()

    @cached_property
    def contents(self) -> list[TextVersion]:
        """What was answered in each of the texts."""
        return list(map(_CONTENT, self.texts))

    def read_records(
        self,
        name: tuple[Hashable, ...],
        compute: Callable[[Sequence[TextEntry]], TextRecords],
        *,
        shared: bool = True,
    ) -> TextRecords:
        """Return the records of all texts from the table of that name; those that it lacks are computed.

        name: with all on what they depend besides the answers, as which codings are selected, if that matters. shared:
        the table is stored in the database.
        """
        texts = self.texts
        if not texts:
            return compute(texts)
        return self.tables.read(
            name,
            TextRecords,
            self.contents,
            lambda places: compute([texts[place] for place in places]),
            present=lambda: self.contents,
            shared=shared,
        )

    def label(self, category: str) -> str:
        """Return what a category is called on pages; what is no key of one is its own label."""
        return self.labels.get(category, category)

    def describe(self, label: Hashable) -> str:
        """Return what a label is called on pages; a set of labels by all of their names."""
        if isinstance(label, frozenset):
            return ", ".join(sorted(self.label(str(one)) for one in label)) or NO_LABEL
        return self.label(name_value(label))

    def select(self, included: Iterable[str] = (), coders: Iterable[str] = ()) -> Extract:
        """Return the answers that count: submitted codings of coders, and those that `included` adds by reason.

        coders: only theirs; empty: of all. A submitted coding counts without a judgement, too; an open one does not.
        All texts stay, but for documents that are practice or repeats.
        """
        chosen, counted = frozenset(coders), frozenset(["", *included])
        if self.selected == (chosen, counted):
            return self
        key = ("selection", chosen, counted)
        found: Extract | None = self.cache.get(key)
        return found or self.cache.setdefault(key, self._select(chosen, counted))

    def _select(self, chosen: frozenset[str], counted: frozenset[str]) -> Extract:
        return self._of_parts([select_codings(text, chosen, counted) for text in self.texts], chosen, counted)

    def _of_parts(
        self,
        parts: list[TextSelection],
        chosen: frozenset[str],
        counted: frozenset[str],
        texts: tuple[TextEntry, ...] | None = None,
        coders: Counter[str] | None = None,
    ) -> Extract:
        """Return the selection that has these parts of the documents: `texts`; `coders` as in `_count_coders`."""
        if texts is None:
            texts = tuple(chain.from_iterable(map(_ENTRY, parts)))
        counts = _count_coders(texts) if coders is None else coders
        other_versions = chain.from_iterable(map(_OTHER_VERSIONS, parts)) if self.versions else ()
        selected = replace(
            self,
            texts=texts,
            coders=tuple(sorted(counts)),
            left_out=filter_coders(self.left_out, chosen) + tuple(chain.from_iterable(map(_LEFT_OUT, parts))),
            other_versions=filter_coders(self.other_versions, chosen) + tuple(other_versions),
            selected=(chosen, counted),
            cache={},
        )
        selected.cache["parts"], selected.cache["coders"] = parts, counts
        return selected

    def without_gold(self) -> Extract:
        """Return the same answers for a reader who does not learn how much gold there is."""
        if not self.left_out:
            return self
        found: Extract | None = self.cache.get("without gold")
        return found or self.cache.setdefault("without gold", replace(self, left_out=(), cache={}))

    def with_texts(self, changed: Mapping[int, TextEntry]) -> Extract:
        """Return all answers of the project where some of its documents have changed, and the others are the same.

        The codings that count are selected of those, too: of each document that has changed alone.
        """
        places = self._places
        old = {places[pk]: self.texts[places[pk]] for pk in changed}
        texts, counts, reasons = list(self.texts), self._coder_counts.copy(), self._reason_counts.copy()
        for place, entry in old.items():
            counts.subtract(entry.content.coders)
            reasons.subtract(entry.content.summary.coder_sets.reasons)
            texts[place] = changed[entry.pk]
            counts.update(texts[place].content.coders)
            reasons.update(texts[place].content.summary.coder_sets.reasons)
        coders = tuple(sorted(+counts))
        known = tuple(sorted({*coders}.union(*(_others_of(texts) if self.versions else ()))))
        found = replace(self, texts=tuple(texts), coders=coders, known_coders=known, cache={})
        found.cache.update({"places": places, "coders": +counts, "reasons": +reasons})
        if "digests" in self.cache:
            found.cache["digests"] = self._replace_digests(found.texts, list(old))
        if "contents" in self.__dict__:
            found._take_contents(self, list(old))
        is_alike = all(_is_alike(entry, changed[entry.pk]) for entry in old.values())
        if is_alike:
            found._take_headings(self)
        if (standard := self.cache.get(_STANDARD)) is not None and "parts" in standard.cache:
            found.cache[_STANDARD] = found._select_again(standard, list(old), is_alike=is_alike)
        for key, asked in list(self.cache.items()):
            if isinstance(key, tuple) and key[0] == "questions":
                found.cache[key] = asked.with_texts(changed)
        return found

    def has(self, documents: Iterable[int]) -> bool:
        """Return whether all of these documents are there."""
        return all(map(self._places.__contains__, documents))

    def find_places(self, texts: Iterable[TextEntry]) -> list[int]:
        """Return the places of some of the texts."""
        places = self._places
        return [places[text.content.pk] for text in texts]

    def _take_headings(self, before: Extract) -> None:
        """Take what was found of all texts of another extract besides the answers: they are the same here."""
        for name in ("rounds", "round_places", "digest_of_headings"):
            if name in before.__dict__:
                self.__dict__[name] = before.__dict__[name]

    def _take_contents(self, before: Extract, places: Sequence[int]) -> None:
        """Take the contents of another extract, which has others at these places alone."""
        contents = list(before.contents)
        for place in places:
            contents[place] = self.texts[place].content
        self.__dict__["contents"] = contents

    def _select_again(self, before: Extract, places: Sequence[int], *, is_alike: bool) -> Extract:
        """Return the codings that count. At these places alone the texts are others than those that `before` is of.

        is_alike: all that is known of these texts besides the answers is the same.
        """
        _, chosen, counted = _STANDARD
        parts, counts = list(before.cache["parts"]), before._coder_counts.copy()
        texts = list(before.texts) if len(before.texts) == len(parts) else None
        for place in places:
            for entry in parts[place].entry:
                counts.subtract(entry.content.coders)
            parts[place] = select_codings(self.texts[place], chosen, counted)
            for entry in parts[place].entry:
                counts.update(entry.content.coders)
            if texts and parts[place].entry:
                [texts[place]] = parts[place].entry
            else:
                texts = None
        found = self._of_parts(parts, chosen, counted, tuple(texts) if texts else None, +counts)
        if len(found.texts) == len(before.texts) and all(len(parts[place].entry) for place in places):
            if is_alike:
                found._take_headings(before)
            if "contents" in before.__dict__ and len(found.texts) == len(parts):
                found._take_contents(before, places)
            if "digests" in before.cache and len(found.texts) == len(parts):
                found.cache["digests"] = before._replace_digests(found.texts, places)
        return found

    @property
    def _places(self) -> dict[int, int]:
        """The place of each document among the texts."""
        known: dict[int, int] | None = self.cache.get("places")
        if known is None:
            known = self.cache["places"] = {text.pk: place for place, text in enumerate(self.texts)}
        return known

    @property
    def _coder_counts(self) -> Counter[str]:
        """In how many documents each coder has answered."""
        known: Counter[str] | None = self.cache.get("coders")
        if known is None:
            known = self.cache["coders"] = _count_coders(self.texts)
        return known

    @property
    def _reason_counts(self) -> Counter[str]:
        """In how many documents codings that are answers do not count, by reason."""
        known: Counter[str] | None = self.cache.get("reasons")
        if known is None:
            known = self.cache["reasons"] = Counter(chain.from_iterable(map(_REASONS, map(_CONTENT, self.texts))))
        return known

    @property
    def reasons_left_out(self) -> tuple[str, ...]:
        """Why codings that are answers do not count, where they are not included."""
        return tuple(reason for reason in REASONS_LEFT_OUT if reason in self._reason_counts)

    def count_left_out(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> dict[str, int]:
        """Return how many codings are left out, by reason: of all texts and rounds, or of some."""
        counts = Counter(
            one.reason
            for one in self.left_out
            if (not texts or one.text in texts) and (not rounds or one.round in rounds)
        )
        return {reason: counts[reason] for reason in (IS_GOLD, *REASONS_LEFT_OUT)}

    def count_other_versions(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> int:
        """Return how many judgements are missing as of other versions: of all texts and rounds, or of some."""
        of_codings = [
            OtherVersions(text.slug, one.coder, one.n_other_versions, text.round)
            for text in self.texts
            if text.content.summary.coder_sets.of_other_versions
            for one in text.content.codings
        ]
        return sum(
            one.n
            for one in (*of_codings, *self.other_versions)
            if (not texts or one.text in texts) and (not rounds or one.round in rounds)
        )

    @cached_property
    def rounds(self) -> tuple[str, ...]:
        """The names of the rounds that texts are coded in, in their order."""
        places = {text.round: text.place for text in self.texts}
        return tuple(sorted(places, key=lambda name: (places[name], name)))

    @cached_property
    def round_places(self) -> Ints:
        """The place in `rounds` of the round of each text; NO_ROUND of practice."""
        number = {name: place for place, name in enumerate(self.rounds)}
        places = [NO_ROUND if one.reason == "practice" else number[one.round] for one in self.texts]
        return np.array(places, dtype=np.int64)

    @cached_property
    def digest_of_headings(self) -> str:
        """A digest of all that is known of the texts besides the answers."""
        headings = [(one.slug, one.title, one.round, one.place, one.occasion, one.reason) for one in self.texts]
        return hashlib.sha256(json.dumps(headings).encode()).hexdigest()

    @classmethod
    def of_texts(
        cls, kind: str, unmarked: str, categories: tuple[str, ...], texts: tuple[TextEntry, ...], **more: Any
    ) -> Extract:
        """Return all answers of these texts; `more` are further fields."""
        coders = tuple(sorted(_count_coders(texts)))
        # whoever judged nothing under the versions that were read is a coder of the project all the same
        others = set[str]().union(*_others_of(texts))
        return cls(kind, unmarked, categories, coders, texts, tuple(sorted({*coders, *others})), **more)

    def with_questions(self, questions: tuple[Question, ...]) -> Extract:
        """Return the extract with the questions that the scheme asks besides. Of the same there is one object."""
        found: Extract | None = self.cache.get(("questions", questions))
        return found or self.cache.setdefault(
            ("questions", questions),
            replace(self, questions=questions, categories_asked=bool(self.categories), cache={}),
        )

    def with_question(self, question: Question, values: Mapping[str, str], texts: Sequence[TextAnswers]) -> Extract:
        """Return the answers to a question in the same texts: values by key, with what each is called."""
        entries = tuple(replace(text, content=TextContent.of(one)) for text, one in zip(self.texts, texts, strict=True))
        answers = Extract.of_texts(
            question.kind,
            "missing",
            tuple(values),
            entries,
            labels=values,
            managers=self.managers,
            question=question,
            questions=self.questions,
            categories_asked=self.categories_asked,
            versions=self.versions,
            gold_left_out=self.gold_left_out,
            left_out=self.left_out,
        )
        # Whoever gave no answer to this question is a coder all the same; without categories all answers are these.
        return replace(answers, known_coders=tuple(sorted({*self.known_coders, *answers.known_coders})))

    @cached_property
    def fingerprint(self) -> str:
        """A short name for exactly these answers: equal for equal data, whatever the database and all names in it.

        It is made of what each text holds, which of these are of one coder, and of the names of rounds, where there are
        several, and whose answers are gold; not of what coders, texts, entities and markables are called.
        """
        about: list[Any] = [self.kind, self.unmarked]
        about += [self.units] if self.units else []
        about += [list(self.singletons)] if self.singletons and not self.units else []
        about += [self.question.key] if self.question else []
        digest = hashlib.sha256(json.dumps(about).encode())
        texts, coders = defaultdict[int, list[bytes]](list), defaultdict[str, list[bytes]](list)
        for document in self._document_digests:
            texts[document.text].append(document.digest)
            for coder, own in document.codings:
                coders[coder].append(own)
        for parts in (texts, coders):
            digest.update(b"".join(sorted(hashlib.sha256(b"".join(sorted(own))).digest() for own in parts.values())))
        return digest.hexdigest()[:16]

    @property
    def state(self) -> str:
        """What is equal for equal answers of the same coders in the same texts: for what is kept with names in it."""
        slugs = [text.slug for text in self.texts]
        named = [
            (document.digest.hex(), [coder for coder, _ in document.codings]) for document in self._document_digests
        ]
        return hashlib.sha256(json.dumps([self.fingerprint, slugs, named]).encode()).hexdigest()

    @property
    def _document_digests(self) -> list[_DocumentDigest]:
        """The digests of the answers in each of the texts."""
        # of a project with one round the name is nothing that answers depend on
        several = len(self.rounds) > 1
        known: tuple[bool, list[_DocumentDigest]] | None = self.cache.get("digests")
        if known is None or known[0] != several:
            known = several, [_digest_document(text, with_round=several) for text in self.texts]
            self.cache["digests"] = known
        return known[1]

    def _replace_digests(self, texts: Sequence[TextEntry], places: Sequence[int]) -> tuple[bool, list[_DocumentDigest]]:
        """Return what the fingerprint is of where some of the texts are others."""
        several, digests = self.cache["digests"]
        digests = list(digests)
        for place in places:
            digests[place] = _digest_document(texts[place], with_round=several)
        return several, digests

    def text(self, slug: str, round_name: str = "") -> TextEntry | None:
        """Return the text with that address: its document in the round of that name, or in its latest."""
        return next(
            (text for text in reversed(self.texts) if text.slug == slug and round_name in ("", text.round)), None
        )


class _DocumentDigest(NamedTuple):
    """The key of the text of a document, what is equal for equal answers in it, and the same of each coder's."""

    text: int
    digest: bytes
    codings: list[tuple[str, bytes]]


def _digest_document(text: TextEntry, *, with_round: bool) -> _DocumentDigest:
    summary = text.content.summary
    codings = summary.codings
    place = json.dumps([text.round, text.occasion] if with_round else []).encode()
    whole = hashlib.sha256(place + summary.digest_of_keys + b"".join(sorted(one.digest for one in codings))).digest()
    # gold is no coder like the others: which answers are its own matters
    of_coders = [
        (one.coder, hashlib.sha256(whole + one.digest + (b"gold" if one.coder == GOLD else b"")).digest())
        for one in codings
    ]
    return _DocumentDigest(text.text_pk, whole, of_coders)


def _count_coders(texts: Iterable[TextEntry]) -> Counter[str]:
    """Return in how many of the texts each coder has answered; who has not is not there."""
    return Counter(chain.from_iterable(map(_CODERS, map(_CONTENT, texts))))


def _others_of(texts: Iterable[TextEntry]) -> list[frozenset[str]]:
    """Return who judged under other versions of the scheme than were read, in each of the texts."""
    return list(map(_OTHERS, map(_CONTENT, texts)))


def _is_alike(one: TextEntry, other: TextEntry) -> bool:
    """Return whether all that is known of a document besides the answers is the same in two states."""
    return replace(one, content=other.content) == other


# The key of the codings that count without being included, of all coders.
_STANDARD = ("selection", frozenset[str](), frozenset([""]))
# Of very many texts and parts these are faster than what asks each of them in Python.
_CONTENT = attrgetter("content")
_CODERS, _OTHERS, _REASONS = (
    attrgetter(f"summary.coder_sets.{name}") for name in ("coders", "of_other_versions", "reasons")
)
_ENTRY, _LEFT_OUT, _OTHER_VERSIONS = map(attrgetter, ("entry", "left_out", "other_versions"))
