"""What a draft of gold proposes and calls contested, case by case: tables of what coders say, worked out by hand."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest

from annotations.adjudication.proposal import Item, Method, Proposal, propose
from annotations.coding.decisions import Decision
from annotations.coding.readings import Readings, sort_readings
from annotations.coding.rules import Rules
from annotations.formats.model.scheme import (
    AnswerValue,
    AttributeSpec,
    CategorySpec,
    LevelSpec,
    ReadyMadeScheme,
    RelationSpec,
    SchemeSpec,
    ValueSpec,
)
from annotations.models import Level, Markable
from annotations.schemes.constraints import constraints_of
from tests.shared.cases import cases
from tests.shared.schemes import RICH

LETTERS = "ABCDEF"


def rules_of(answers: str, spec: SchemeSpec, *, turns: str = "", marked: str = "") -> Rules:
    """Return the rules for markables A to F, one after the other: phrases, but for turns; some marked by coders."""
    levels = {level.key: Level(key=level.key, coded=level.coded) for level in spec.levels}
    other = next((key for key in levels if key != spec.main_level), spec.main_level)
    relations = tuple(replace(one, joint=True) if one.identity else one for one in spec.relations)
    return Rules(
        answers,
        constraints_of(replace(spec, relations=relations)),
        {
            key: Markable(
                key=key,
                start=place,
                end=place + 1,
                level=levels[other if key in turns else spec.main_level],
                predefined=key not in marked,
            )
            for place, key in enumerate(LETTERS)
        },
    )


def parse(judgement: str) -> Decision:
    """Return the decision that is written so: `B phrase >A|C+D bridging>A gender=f kinds=a,b #1,2`.

    A bar is between readings, a plus between what is meant together, and a hash before indices.
    """
    key, category, *rest = judgement.split()
    decision = Decision(key, category=None if category == "-" else category)
    for word in rest:
        name, sign, value = word.partition(">" if ">" in word else "=")
        readings = tuple(tuple(reading.split("+")) for reading in value.split("|"))
        if word.startswith("#"):
            decision = replace(decision, indices=tuple(word[1:].split(",")))
        elif sign == ">" and not name:
            decision = replace(decision, pointers=readings)
        elif sign == ">":
            decision = replace(decision, relations=(*decision.relations, (name, readings)))
        else:
            answer = {"kinds": tuple(value.split(",")), "count": value.isdigit() and int(value)}.get(name, value)
            decision = replace(decision, attributes=(*decision.attributes, (name, answer)))
    return replace(decision, attributes=tuple(sorted(decision.attributes)))


def coding(written: str) -> dict[str, Decision]:
    """Return the coding that is written so, its judgements with a semicolon between."""
    return {one.markable: one for one in map(parse, filter(str.strip, written.split(";")))}


def items(written: str) -> tuple[Item, ...]:
    """Return the items that are written so: `A A.gender`."""
    parts = (word.partition(".") for word in written.split())
    return tuple(Item(key, question or "category") for key, _, question in parts)


class Case(NamedTuple):
    """What coders say, what is drafted of it, and what of that is contested."""

    name: str
    coders: Sequence[str]
    draft: str
    contested: str
    method: Method = Method.MOST


def check(rules: Rules, case: Case) -> None:
    """Compare the draft with the case, also with the coders in another order."""
    codings = [coding(one) for one in case.coders]
    coder = 0 if case.method is Method.CODER else None
    found = propose(rules, codings, case.method, coder)
    assert found == Proposal(tuple(coding(case.draft).values()), items(case.contested))
    if coder is None:
        assert propose(rules, codings[::-1], case.method) == found


def run_of(table: Sequence[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", table, ids=[case.name for case in table])


RICH_RULES = rules_of("pointers", RICH.spec, turns="F")

FURTHER = [
    # attributes: of those who give the drafted category
    Case("most", ["A place gender=f", "A place gender=f", "A place gender=m"], "A place gender=f", "A.gender"),
    Case("as many as not", ["A place gender=f", "A place gender=m"], "A place", "A.gender"),
    Case("all", ["A place gender=f", "A place gender=f"], "A place gender=f", ""),
    Case("silence is an answer", ["A place gender=f", "A place", "A place"], "A place", "A.gender"),
    Case("silence of one", ["A place gender=f", "A place gender=f", "A place"], "A place gender=f", "A.gender"),
    Case(
        "others with another category have no vote",
        ["A place gender=f", "A place gender=f", "A none kinds=a"],
        "A place gender=f",
        "A",
    ),
    Case("nor have they where the category is a tie", ["A place gender=f", "A none kinds=a"], "", "A"),
    Case(
        "what an answer leads to",
        ["A place gender=f gender-2=m", "A place gender=f gender-2=m", "A place gender=n"],
        "A place gender=f gender-2=m",
        "A.gender A.gender-2",
    ),
    Case(
        "what an open answer leads to stays open",
        ["A place gender=f gender-2=n", "A place gender=m gender-2=n"],
        "A place",
        "A.gender A.gender-2",
    ),
    Case("values in any order", ["A place kinds=a,b", "A place kinds=b,a"], "A place kinds=a,b", ""),
    Case("sets as wholes", ["A place kinds=a,b", "A place kinds=a", "A place kinds=b"], "A place", "A.kinds"),
    Case(
        "numbers and texts",
        ["A place count=2 gloss=so", "A place count=2 gloss=than", "A place count=3 gloss=so"],
        "A place count=2 gloss=so",
        "A.count A.gloss",
    ),
    # relations that make no chains
    Case(
        "targets of most",
        ["A place; B none bridging>A", "A place; B none bridging>A", "A place; B none"],
        "A place; B none bridging>A",
        "B.bridging",
    ),
    Case(
        "targets of as many as not", ["A place; B none bridging>A", "A place; B none"], "A place; B none", "B.bridging"
    ),
    Case(
        "targets that are meant together in any order",
        ["A place; B place; C none bridging>A+B", "A place; B place; C none bridging>B+A"],
        "A place; B place; C none bridging>A+B",
        "",
    ),
    Case(
        "alternatives are not meant together",
        ["A place; B place; C none bridging>A+B", "A place; B place; C none bridging>A|B"],
        "A place; B place; C none",
        "C.bridging",
    ),
    Case(
        "a question of a relation that is open stays open",
        ["A place; B none bridging>A part=owner", "A place; B none bridging>A part=owner", *["A place; B none"] * 2],
        "A place; B none",
        "B.bridging B.part",
    ),
    # what is contested of other drafts
    Case(
        "all",
        ["A place gender=f; B none bridging>A", "A place gender=f; B none", "A place gender=m; B none"],
        "A place; B none",
        "A.gender B.bridging",
        Method.AGREED,
    ),
    Case(
        "one coder",
        ["A place gender=m; B none", "A place gender=f; B none bridging>A", "A place; B place"],
        "A place gender=m; B none",
        "A.gender B B.bridging",
        Method.CODER,
    ),
    Case(
        "nothing",
        ["A place gender=f; B none bridging>A", "A place; B none kinds=a"],
        "",
        "A A.gender B B.bridging B.kinds",
        Method.EMPTY,
    ),
]


@run_of(FURTHER)
def test_attributes_and_relations_are_those_of_most_who_give_the_category(case):
    check(RICH_RULES, case)


READINGS = [
    Case(
        "categories and pointers of most",
        [*["A place; B phrase >A"] * 2, "A none; B none"],
        "A place; B phrase >A",
        "A B",
    ),
    Case(
        "who says new parts from what others join",
        ["A place; B phrase >A", *["A place; B place"] * 2],
        "A place; B place",
        "B",
    ),
    Case("as many say as not", ["A place; B none", "A none; B none"], "B none", "A"),
    Case("what all say", ["A place; B none", "A none; B none"], "B none", "A", Method.AGREED),
    Case(
        "meant together by most",
        ["A place; B place; C phrase >A+B"] * 2 + ["A place; B place; C phrase >A"],
        "A place; B place; C phrase >A+B",
        "C",
    ),
    Case(
        "meant together by one",
        ["A place; B place; C phrase >A+B"] + ["A place; B place; C phrase >A"] * 2,
        "A place; B place; C phrase >A",
        "C",
    ),
    Case(
        "later mentions of what is meant together",
        ["A place; B place; C phrase >A+B; D phrase >C"] * 2 + ["A place; B place; C place; D phrase >C"],
        "A place; B place; C phrase >A+B; D phrase >C",
        "C",
    ),
    Case(
        "ambiguous for most",
        ["A place; B place; C phrase >A|B"] * 2 + ["A place; B place; C phrase >B"],
        "A place; B place; C phrase >A|B",
        "C",
    ),
    Case(
        "ambiguous for one",
        ["A place; B place; C phrase >A|B"] + ["A place; B place; C phrase >B"] * 2,
        "A place; B place; C phrase >B",
        "C",
    ),
    Case(
        "antecedents in one chain",
        ["A place; B phrase >A; C phrase >A", "A place; B phrase >A; C phrase >B", "A place; B phrase >A; C phrase >B"],
        "A place; B phrase >A; C phrase >B",
        "",
    ),
    Case("a turn", ["A place; B segment >F"] * 2 + ["A place; B none"], "A place; B segment >F", "B"),
    Case(
        "pointing categories are not both the most frequent",
        ["A place; B phrase >A", "A place; B segment >F"],
        "A place",
        "B",
    ),
]


@run_of(READINGS)
def test_readings_are_those_of_most(case):
    rules = replace(RICH_RULES, constraints=allow_later(RICH_RULES))
    check(rules, case)


def allow_later(rules: Rules):
    """Return the table with targets that come later in the text, as the turn at the end does."""
    relations = {key: {**one, "later": True} for key, one in rules.constraints["relations"].items()}
    return {**rules.constraints, "relations": relations}


ENTITIES = [
    Case(
        "at the markable where most of them answer",
        ["A place; B phrase >A animacy=yes", "A place; B phrase >A animacy=yes", "A place animacy=yes; B phrase >A"],
        "A place; B phrase >A animacy=yes",
        "",
    ),
    Case(
        "of most",
        ["A place animacy=yes; B phrase >A", "A place animacy=yes; B phrase >A", "A place; B phrase >A animacy=no"],
        "A place animacy=yes; B phrase >A",
        "A.animacy",
    ),
    Case(
        "of as many as not",
        ["A place animacy=yes; B phrase >A", "A place; B phrase >A animacy=no"],
        "A place; B phrase >A",
        "A.animacy",
    ),
    Case(
        "who does not answer has no vote",
        ["A place animacy=yes; B phrase >A", "A place; B phrase >A", "A place; B phrase >A"],
        "A place animacy=yes; B phrase >A",
        "",
    ),
    Case(
        "a coder's chain has its answer at all of its members, also where the draft parts them",
        [
            "A place animacy=no; B phrase >A; C phrase >B",  # which the scheme does not have: it stays open
            "A place; B place animacy=yes; C phrase >B",
            "A place; B place animacy=yes; C phrase >B",
        ],
        "A place; B place animacy=yes; C phrase >B",
        "A A.animacy B B.animacy",
    ),
    Case(
        "of chains of one coder that the draft joins that of the larger one",
        [
            "A place animacy=no; B place animacy=yes; C phrase >B",
            "A place animacy=yes; B phrase >A; C phrase >B",
            "A place animacy=yes; B phrase >A; C phrase >B",
        ],
        "A place animacy=yes; B phrase >A; C phrase >B",
        "A B",
    ),
    Case(
        "one coder",
        ["A place; B phrase >A", "A place animacy=yes; B phrase >A"],
        "A place; B phrase >A",
        "A.animacy",
        Method.CODER,
    ),
]


@run_of(ENTITIES)
def test_attributes_of_entities_are_answered_once_in_each(case):
    check(RICH_RULES, case)


INDEX = ReadyMadeScheme(
    "index", "Index", "", "indices",
    (LevelSpec("phrase", "phrase"), LevelSpec("turn", "turn")),
    (
        CategorySpec("refers", "refers", takes_index=True),
        CategorySpec("name", "name", takes_index=True, level="phrase"),
        CategorySpec("act", "act", level="turn"),
        CategorySpec("none", "none"),
    ),
    "masi",
)  # fmt: skip
INDICES = [
    Case(
        "under the name that its coders give most often",
        [
            "A refers #1; B refers #1; C refers #2",
            "A refers #x; B refers #x; C refers #y",
            "A refers #1; B refers #1; C refers #2",
        ],
        "A refers #1; B refers #1; C refers #2",
        "",
    ),
    Case(
        "a name is that of one entity",
        # of the second one most say 1, which is the first one's, and as many 2 as 3
        [
            "A refers #1; B refers #1; C refers #2; D refers #2",
            "A refers #1; B refers #1; C refers #3; D refers #3",
            *["A refers #2; B refers #2; C refers #1; D refers #1"] * 2,
        ],
        "A refers #1; B refers #1; C refers #2; D refers #2",
        "",
    ),
    Case(
        "on both levels",
        ["A refers #1; E refers #1; F act", "A refers #1; E refers #1; F act", "A refers #1; E act; F none"],
        "A refers #1; E refers #1; F act",
        "E F",
    ),
    Case(
        "each with the category of most who put it there",
        ["A name #1; B refers #1", "A name #1; B refers #1", "A refers #1; B refers #1"],
        "A name #1; B refers #1",
        "A",
    ),
    Case(
        "in several entities",
        [
            "A refers #1; B refers #2; C refers #1,2",
            "A refers #1; B refers #2; C refers #1,2",
            "A refers #1; B refers #2; C refers #1",
        ],
        "A refers #1; B refers #2; C refers #1,2",
        "C",
    ),
    Case(
        "one coder",
        ["A refers #b; B refers #b", "A refers #1; B none"],
        "A refers #b; B refers #b",
        "B",
        Method.CODER,
    ),
]  # fmt: skip


@run_of(INDICES)
def test_entities_by_index_are_drafted_on_all_levels(case):
    check(rules_of("indices", INDEX.spec, turns="EF"), case)


OWN = [
    Case("most", ["A none; B none", "A none; B none", "A none"], "A none; B none", "B"),
    Case("half of them", ["A none; B none", "A none; B none", "A none", "A none"], "A none", "B"),
    Case("one", ["A none; B none", "A none", "A none"], "A none", "B"),
    Case("marked and not judged", ["A none; B -", "A none; B -", "A none"], "A none", ""),
    Case(
        "a target that only coders marked comes with the draft",
        ["A none; C none bridging>B", "A none; C none bridging>B"],
        "A none; B -; C none bridging>B",
        "",
    ),
    Case("who marked nothing says so of each", ["A none; B none", ""], "", "A B"),
    Case("who marked nothing is outvoted", ["A none; B none", "A none; B none", ""], "A none; B none", "A B"),
    Case("a contested one stays in the gold", ["A none; B none", "A none; B place"], "A none; B -", "B"),
]


@run_of(OWN)
def test_what_most_coders_marked_is_in_the_draft(case):
    check(rules_of("pointers", RICH.spec, marked="B"), case)


RETIRED = replace(
    RICH,
    categories=tuple(replace(one, retired=one.key == "place") for one in RICH.categories),
    relations=(*RICH.relations, RelationSpec("was", "was", to_levels=("phrase",), retired=True)),
    attributes=(
        *RICH.attributes,
        AttributeSpec("size", "size", values=(ValueSpec("s", "s"), ValueSpec("l", "l", retired=True))),
        AttributeSpec("colour", "colour", values=(ValueSpec("r", "r"),), retired=True),
    ),
)
ANSWERS_OF_BEFORE = [
    Case("a category", ["A place", "A place", "A none"], "", "A"),
    Case("another category", ["A place", "A none", "A none"], "A none", "A"),
    Case("a value", ["A none size=l", "A none size=l", "A none size=s"], "A none", "A.size"),
    Case("another value", ["A none size=s", "A none size=s", "A none size=l"], "A none size=s", "A.size"),
    Case("an attribute, which nobody can answer", ["A none colour=r", "A none"], "A none", ""),
    Case("a relation, which nobody can set", ["A none; B none was>A", "A none; B none"], "A none; B none", ""),
    Case("neither is contested in nothing", ["A none colour=r; B none was>A"], "", "A B", Method.EMPTY),
]  # fmt: skip


@run_of(ANSWERS_OF_BEFORE)
def test_what_is_retired_is_not_drafted(case):
    check(rules_of("pointers", RETIRED.spec), case)


# ---- and by force: random codings, and the rules said again


def any_coding(draw: random.Random) -> dict[str, Decision]:
    """Draw a coding whose further answers the scheme allows."""
    found = {}
    for place, key in enumerate(LETTERS[:5]):
        category = draw.choice(["place", "place", "none"])
        attributes: list[tuple[str, AnswerValue]] = []
        if draw.random() < 0.7:
            attributes.append(("kinds", tuple(draw.sample("abc", draw.choice([1, 2])))))
        if category == "place" and draw.random() < 0.7:
            attributes.append(("gender", draw.choice("ffm")))
            if draw.random() < 0.5:
                attributes.append(("gender-2", draw.choice("mn")))
        relations = []
        if place and draw.random() < 0.6:
            targets = draw.sample(LETTERS[:place], min(place, draw.choice([1, 1, 2])))
            together: Readings = (tuple(targets),)
            relations = [("bridging", draw.choice([together, tuple((one,) for one in targets)]))]
            if draw.random() < 0.6:
                attributes.append(("part", draw.choice(["whole", "owner"])))
        if draw.random() < 0.9:
            found[key] = Decision(
                key, category=category, relations=tuple(relations), attributes=tuple(sorted(attributes))
            )
    return found


def expected(codings: Sequence[Mapping[str, Decision]]) -> tuple[dict[str, tuple[str, dict[str, object]]], set[Item]]:
    """Return category and further answers of each markable, and what is contested, where nothing makes chains."""
    drafted, contested = {}, set[Item]()
    for key in LETTERS:
        said = [one[key] for one in codings if key in one]
        if not said:
            continue
        categories = Counter(one.category for one in said).most_common()
        if len(categories) > 1 or len(said) < len(codings):
            contested.add(Item(key, "category"))
        if 2 * len(said) <= len(codings) or (len(categories) > 1 and categories[0][1] == categories[1][1]):
            continue
        [category, _] = categories[0]
        with_it = [one for one in said if one.category == category]
        answers: dict[str, object] = {}
        for question in ("bridging", "kinds", "gender", "gender-2", "part"):
            given = Counter(answer_to(one, question) for one in with_it).most_common()
            is_tie = len(given) > 1 and given[0][1] == given[1][1]
            if len(given) > 1:
                contested.add(Item(key, question))
            if not is_tie and given[0][0]:
                leading = {"gender-2": answers.get("gender") in ("f", "m"), "part": "bridging" in answers}
                if leading.get(question, True):
                    answers[question] = given[0][0]
                else:
                    contested.add(Item(key, question))
        drafted[key] = str(category), answers
    return drafted, contested


def answer_to(decision: Decision, question: str) -> object:
    if question == "bridging":
        return sort_readings(dict(decision.relations).get(question, ()))
    answer = dict(decision.attributes).get(question, ())
    return tuple(sorted(answer)) if isinstance(answer, tuple) else answer


@pytest.mark.parametrize("seed", cases(range(60), full=range(60, 1000)))
def test_random_answers_are_drafted_as_the_rules_say(seed):
    draw = random.Random(seed)
    codings = [any_coding(draw) for _ in range(draw.choice([1, 2, 3, 4, 5]))]
    codings = [one for one in codings if one]
    found = propose(RICH_RULES, codings, Method.MOST)
    drafted, contested = expected(codings)
    assert {
        one.markable: (
            one.category,
            {key: sort_readings(readings) for key, readings in one.relations}
            | {key: tuple(sorted(value)) if isinstance(value, tuple) else value for key, value in one.attributes},
        )
        for one in found.decisions
    } == drafted
    assert set(found.contested) == contested
