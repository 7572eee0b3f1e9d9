"""The mapping of names in files to the project's scheme, and messages for names that the scheme lacks."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Self

from annotations.core.text import pluralize
from annotations.formats import Document, Finding, Place
from annotations.formats.model.answers import KeysByName, format_value
from annotations.formats.model.document import Answer, Links, Readings
from annotations.formats.model.format import CATEGORY, EMPTY, LEVEL, QUESTION
from annotations.formats.model.links import SPLIT, find_contradictions, join_readings, move_marks, remove_marks
from annotations.formats.model.scheme import AnswerValue
from annotations.models import ImportNames, Project
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.importing.report import ImportFailed

# The name that stands for every other name.
OTHERS = "*"
NAME_OPTIONS = (LEVEL.key, CATEGORY.key, QUESTION.key)
MAX_SHOWN_LENGTH = 60
MAX_SHOWN = 10


def parse_names(option: str, value: str, main: str, known: Collection[str]) -> dict[str, str]:
    """Parse `coref:mention,chunk:` or JSON to a mapping; "" leaves out, a lone name is `main`. Raise ImportFailed."""
    if value.lstrip().startswith("{"):
        return _parse_json_names(option, value, known)
    names: dict[str, str] = {}
    for item in value.split(",") if value.strip() else ():
        theirs, colon, ours = (word.strip() for word in item.rpartition(":"))
        if not colon:
            theirs, ours = ours, main
        if not theirs or theirs in names or (ours and ours not in known):
            here = ", ".join(known)
            raise ImportFailed(f"{option}={value}: say NAME:HERE,NAME:HERE with each name once; here there are {here}.")
        names[theirs] = ours
    return names


def load_names(source: str | bytes) -> Any:
    """Return the parsed JSON. Raise ValueError if it is invalid, nests too deep, or has a name twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = dict(pairs)
        if len(names) < len(pairs):
            [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
            raise ValueError(f"{twice[:MAX_SHOWN_LENGTH]!r} is there twice")
        return names

    try:
        return json.loads(source, object_pairs_hook=once)
    except RecursionError:
        raise ValueError("it nests too deep") from None


def _parse_json_names(option: str, value: str, known: Collection[str]) -> dict[str, str]:
    try:
        names = load_names(value)
    except ValueError as error:
        raise ImportFailed(f"{option}: this is not JSON that maps names: {error}.") from None
    wrong = [theirs for theirs, ours in names.items() if not isinstance(ours, str) or (ours and ours not in known)]
    if wrong:
        shown = ", ".join(repr(f"{theirs} -> {names[theirs]}"[:MAX_SHOWN_LENGTH]) for theirs in wrong[:MAX_SHOWN])
        raise ImportFailed(f"{option}: {shown}: that is not here; here there are {', '.join(known)}.")
    return dict(names)


def format_names(names: Mapping[str, str]) -> str:
    """Return names in the form that `parse_names` reads."""
    return json.dumps(dict(names), ensure_ascii=False) if names else ""


def with_kind(name: str, *, is_relation: bool) -> str:
    """Return a name with its kind, as the option `question` needs it if a relation and an attribute share it."""
    return f"{'relation' if is_relation else 'attribute'}:{name}"


@dataclass(frozen=True, slots=True)
class Naming:
    """The mapping of names in files to keys of the scheme, from the options of an import."""

    levels: Mapping[str, str] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    # Attributes, and relations, which a scheme from the files may map differently; names may have their kinds.
    questions: Mapping[str, str] = field(default_factory=dict)
    relations: Mapping[str, str] = field(default_factory=dict)
    known: KeysByName = field(default_factory=lambda: KeysByName(()))  # the keys of both in the scheme
    ways: Mapping[str, str] = field(default_factory=dict)  # advice for names that the scheme lacks, by option
    takes_empty: bool = False  # a file in which nothing is coded is a coding

    @classmethod
    def from_options(
        cls,
        options: Mapping[str, str],
        ways: Mapping[str, str],
        levels: Collection[str],
        categories: Collection[str],
        questions: Collection[str],
        main_level: str,
    ) -> Self:
        """Return the naming from the options of an import. Raise ImportFailed if they are invalid."""
        question_names = parse_names(QUESTION.key, options.get(QUESTION.key, ""), "", questions)
        return cls(
            parse_names(LEVEL.key, options.get(LEVEL.key, ""), main_level, levels),
            parse_names(CATEGORY.key, options.get(CATEGORY.key, ""), "", categories),
            question_names,
            question_names,
            KeysByName(questions),
            ways,
            options.get(EMPTY.key) == "take",
        )

    @property
    def question_names(self) -> dict[str, str]:
        """The names of attributes and relations in the form of the option `question`."""
        if self.relations == self.questions:
            return dict(self.questions)
        both = self.relations.keys() & self.questions.keys()
        return {
            with_kind(name, is_relation=is_relation) if name in both else name: key
            for is_relation, names in ((True, self.relations), (False, self.questions))
            for name, key in names.items()
        }

    def rename(self, document: Document, known_levels: Collection[str]) -> Document:
        """Return the document with names of the scheme, without skipped levels and unknown levels that are unused."""
        ours = {level: self._level(level, known_levels) for level in {mark.level for mark in document.marks}}
        others = [mark for mark in document.marks if ours[mark.level] != mark.level]
        answers = [mark.answer for mark in document.marks if mark.answer] if others else []
        pointed = {target for answer in answers for target in answer.targets()}
        levels: dict[Place, str] = {}
        left_out: dict[str, list[Place]] = {}
        for mark in others:
            level = ours[mark.level]
            if level is None and answers and mark.answer is None and mark.place not in pointed:
                level = ""
            if mark.level and level == "":
                left_out.setdefault(mark.level, []).append(mark.place)
            elif level is not None:
                levels[mark.place] = level
        findings = [
            Finding(
                "level-left-out",
                f"{pluralize(len(marks), 'markable')} of the level {level[:MAX_SHOWN_LENGTH]!r}, "
                "which the scheme does not have",
                document.file,
                fix="left out",
                left_out=True,
            )
            for level, marks in left_out.items()
        ]
        remaining = remove_marks(document, {place for marks in left_out.values() for place in marks})
        named, unknown = self._rename_questions(self._rename_categories(remaining))
        marks = [mark for mark in named.marks if mark.place in levels] if levels else []
        places = {mark.place: replace(mark, level=levels[mark.place]) for mark in marks}
        findings += unknown
        findings += find_contradictions(named, places)
        renamed = move_marks(named, places)
        return replace(renamed, findings=[*document.findings, *findings]) if findings else renamed

    def keeps_answers(self, document: Document, known_levels: Collection[str]) -> bool:
        """Return whether the document has an answer on a level that is not skipped."""
        return any(
            mark.answer and not (mark.level and self._level(mark.level, known_levels) == "") for mark in document.marks
        )

    def _level(self, level: str, known: Collection[str]) -> str | None:
        """Return the level's key in the scheme; empty if it is skipped, None if it is unknown."""
        if level in self.levels:
            return self.levels[level]
        if not level or level in known:
            return level
        # A mapping of some levels leaves the others out.
        return self.levels.get(OTHERS, "" if self.levels else None)

    def _rename_categories(self, document: Document) -> Document:
        if not self.categories:
            return document
        marks = []
        for mark in document.marks:
            if mark.answer and mark.answer.category:
                ours = self.categories.get(mark.answer.category, self.categories.get(OTHERS, mark.answer.category))
                mark = mark.with_answer(replace(mark.answer, category=ours))
            marks.append(mark)
        return replace(document, marks=marks)

    def _rename_questions(self, document: Document) -> tuple[Document, list[Finding]]:
        """Return the document with keys for names of questions, and findings on answers left out."""
        if not any(mark.answer and (mark.answer.relations or mark.answer.attributes) for mark in document.marks):
            return document, []
        left_out, twice = Counter[str](), Counter[str]()
        marks = []
        for mark in document.marks:
            answer = mark.answer
            if answer and (answer.relations or answer.attributes):
                mark = mark.with_answer(self._with_keys(answer, document.links, left_out, twice))
            marks.append(mark)
        findings = [
            Finding(
                "several-answers",
                f"{pluralize(number, 'markable')} with different answers to what is {key!r} here",
                document.file,
                fix="the first stays",
            )
            for key, number in twice.items()
        ]
        findings += [
            Finding(
                "question-left-out",
                f"{pluralize(number, 'answer')} to {name[:MAX_SHOWN_LENGTH]!r}, which the scheme does not ask",
                document.file,
                fix=f"left out; question={name[:MAX_SHOWN_LENGTH]}:HERE says what it is",
                left_out=True,
            )
            for name, number in left_out.items()
            if not self.questions.keys() & {name, *(with_kind(name, is_relation=kind) for kind in (True, False))}
        ]
        return replace(document, marks=marks), findings

    def _with_keys(self, answer: Answer, links: Links, left_out: Counter[str], twice: Counter[str]) -> Answer:
        """Return the answer with keys for names. Relations of one key are joined; of attributes the first is kept."""
        relations: dict[str, Readings] = {}
        for name, readings in answer.relations:
            if key := self._key(self.relations, name, links, is_relation=True):
                relations[key] = join_readings(relations[key], readings) if key in relations else readings
            else:
                left_out[name] += 1
        attributes: dict[str, AnswerValue] = {}
        for name, value in answer.attributes:
            if key := self._key(self.questions, name, links, is_relation=False):
                if attributes.setdefault(key, value) != value:
                    twice[key] += 1
            else:
                left_out[name] += 1
        return replace(
            answer,
            relations=tuple(sorted(relations.items())),
            attributes=tuple(sorted(attributes.items(), key=itemgetter(0))),
        )

    def _key(self, questions: Mapping[str, str], name: str, links: Links, *, is_relation: bool) -> str | None:
        """Return the key of a question in the scheme; None or empty if the question is left out."""
        said = (with_kind(name, is_relation=is_relation), name, OTHERS)
        key = next((questions[name] for name in said if name in questions), None)
        key = self.known.find(name) if key is None else key
        if key is None and name == SPLIT and links == Links.INDICES:
            return name  # without such a relation the markable gets the entities of the targets
        return key

    def unknown_level(self, level: str, known: Collection[str]) -> str:
        shown = level[:MAX_SHOWN_LENGTH]
        message = f"the scheme has no level {shown!r}, only {', '.join(known)}; level={shown} reads it as the coded one"
        return self._with_ways(f"{message}, or level={shown}: leaves it out", LEVEL.key)

    def unknown_category(self, category: str, known: Collection[str]) -> str:
        shown = category[:MAX_SHOWN_LENGTH]
        message = (
            f"the scheme has no category {shown!r}, only {', '.join(known)}; category={shown}:HERE says which it is"
        )
        return self._with_ways(f"{message}, or category=*: passes all over", CATEGORY.key)

    def _with_ways(self, message: str, option: str) -> str:
        return f"{message}; or say {self.ways[option]}" if option in self.ways else message


def remember_names(project: Project, format_key: str, names: Mapping[str, Mapping[str, str]]) -> None:
    """Store the mapping of a finished import; an empty mapping keeps the last one."""
    if any(names.values()):
        kept = {option: dict(mapping) for option, mapping in names.items()}
        ImportNames.objects.update_or_create(project=project, format=format_key, defaults={"names": kept})


def recall_names(project: Project, format_key: str) -> dict[str, str]:
    """Return the last mapping as options of an import, without keys that the scheme no longer has."""
    row = ImportNames.objects.filter(project=project, format=format_key).first()
    if row is None:
        return {}
    spec = read_scheme(project.pk).spec
    known = {
        LEVEL.key: {level.key for level in spec.levels},
        CATEGORY.key: {category.key for category in spec.categories},
        QUESTION.key: {relation.key for relation in spec.relations} | {attribute.key for attribute in spec.attributes},
    }
    kept = {
        option: {theirs: ours for theirs, ours in row.names.get(option, {}).items() if not ours or ours in keys}
        for option, keys in known.items()
    }
    return {option: format_names(names) for option, names in kept.items() if names}


MAX_NAMES = 200
MAX_VALUES = 10
MAX_VALUE_LENGTH = 50


def find_names(documents: Iterable[Document]) -> dict[str, Any]:
    """Return the names in the documents with their counts for reports, at most MAX_NAMES of a kind."""
    markables, coded, pointed = Counter[str](), Counter[str](), Counter[str]()
    categories, relations = Counter[str](), Counter[str]()
    values: dict[str, Counter[str]] = {}
    for document in documents:
        targets = set[Place]()
        for mark in document.marks:
            markables[mark.level] += 1
            answer = mark.answer
            if answer is None:
                continue
            coded[mark.level] += 1
            if answer.category:
                categories[answer.category] += 1
            targets.update(answer.targets())
            for name, value in answer.attributes:
                values.setdefault(name, Counter())[format_value(value)[:MAX_VALUE_LENGTH]] += 1
            for name, _ in answer.relations:
                relations[name] += 1
        pointed.update(place.level for place in targets)
    found: dict[str, list[dict[str, Any]]] = {
        "levels": [
            {"name": name, "markables": count, "coded": coded[name], "pointed": pointed[name]}
            for name, count in markables.most_common()
            if name
        ],
        "categories": _with_answers(categories),
        "questions": [question | {"is_relation": True, "values": []} for question in _with_answers(relations)],
    }
    found["questions"] += [
        {"name": name, "answers": counts.total(), "is_relation": False, "values": _with_answers(counts, MAX_VALUES)}
        for name, counts in values.items()
    ]
    n_unlisted = sum(max(0, len(names) - MAX_NAMES) for names in found.values())
    return {**{kind: names[:MAX_NAMES] for kind, names in found.items()}, "n_unlisted": n_unlisted}


def _with_answers(counts: Counter[str], most: int | None = None) -> list[dict[str, Any]]:
    return [{"name": name, "answers": number} for name, number in counts.most_common(most)]
