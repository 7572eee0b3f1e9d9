"""Proposals and contested items of drafts of gold: tables of cases computed by hand."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

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
    """Return the rules for markables A to F: phrases or `turns`; coders marked those in `marked`."""
    levels = {level.key: Level(key=level.key, coded=level.coded) for level in spec.levels}
    other = next((key for key in levels if key != spec.main_level), spec.main_level)
    relations = tuple(replace(relation, joint=True) if relation.identity else relation for relation in spec.relations)
    markables = {}
    for place, key in enumerate(LETTERS):
        level = levels[other if key in turns else spec.main_level]
        markables[key] = Markable(key=key, start=place, end=place + 1, level=level, predefined=key not in marked)
    return Rules(answers, constraints_of(replace(spec, relations=relations)), markables)


def parse(judgement: str) -> Decision:
    """Parse a decision such as `B phrase >A|C+D bridging>A gender=f kinds=a,b #1,2`.

    A bar separates readings, a plus separates joint targets, and a hash precedes indices.
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
    """Parse a coding; semicolons separate its judgements."""
    return {decision.markable: decision for decision in map(parse, written.split(";"))} if written != "." else {}


def items(written: str) -> tuple[Item, ...]:
    """Parse items such as `A A.gender`."""
    parts = (word.partition(".") for word in written.split())
    return tuple(Item(key, question or "category") for key, _, question in parts)


def check(rules: Rules, case: str) -> None:
    """Compare the draft with the case in two orders of coders."""
    head, _, said = case.partition(": ")
    coders, _, drafted = said.partition(" -> ")
    draft, _, contested = drafted.partition(" ! ")
    codings = [coding(written) for written in coders.split(" / ")]
    method = next((method for method in Method if head.endswith(f"({method})")), Method.MOST)
    coder = 0 if method is Method.CODER else None
    found = propose(rules, codings, method, coder)
    assert found == Proposal(tuple(coding(draft).values()), items(contested))
    if coder is None:
        assert propose(rules, codings[::-1], method) == found


def cases_of(table: str) -> pytest.MarkDecorator:
    """Parametrise a test by cases such as `name: coder / coder -> draft ! contested`.

    A dot means empty. A name ends in the method in brackets unless the method is `most`.
    """
    lines = table.replace("\n    ", " ").splitlines()
    return pytest.mark.parametrize("case", lines, ids=[case.partition(": ")[0] for case in lines])


RICH_RULES = rules_of("pointers", RICH.spec, turns="F")

FURTHER = """\
most: A place gender=f / A place gender=f / A place gender=m -> A place gender=f ! A.gender
as many as not: A place gender=f / A place gender=m -> A place ! A.gender
all: A place gender=f / A place gender=f -> A place gender=f
silence is an answer: A place gender=f / A place / A place -> A place ! A.gender
silence of one: A place gender=f / A place gender=f / A place -> A place gender=f ! A.gender
others with another category have no vote: A place gender=f / A place gender=f / A none kinds=a
    -> A place gender=f ! A
nor have they where the category is a tie: A place gender=f / A none kinds=a -> . ! A
what an answer leads to: A place gender=f gender-2=m / A place gender=f gender-2=m / A place gender=n
    -> A place gender=f gender-2=m ! A.gender A.gender-2
what an open answer leads to stays open: A place gender=f gender-2=n / A place gender=m gender-2=n
    -> A place ! A.gender A.gender-2
values in any order: A place kinds=a,b / A place kinds=b,a -> A place kinds=a,b
sets as wholes: A place kinds=a,b / A place kinds=a / A place kinds=b -> A place ! A.kinds
numbers and texts: A place count=2 gloss=so / A place count=2 gloss=than / A place count=3 gloss=so
    -> A place count=2 gloss=so ! A.count A.gloss
targets of most: A place; B none bridging>A / A place; B none bridging>A / A place; B none
    -> A place; B none bridging>A ! B.bridging
targets of as many as not: A place; B none bridging>A / A place; B none -> A place; B none ! B.bridging
targets that are meant together in any order: A place; B place; C none bridging>A+B
    / A place; B place; C none bridging>B+A
    -> A place; B place; C none bridging>A+B
alternatives are not meant together: A place; B place; C none bridging>A+B / A place; B place; C none bridging>A|B
    -> A place; B place; C none ! C.bridging
a question of a relation that is open stays open: A place; B none bridging>A part=owner
    / A place; B none bridging>A part=owner / A place; B none / A place; B none
    -> A place; B none ! B.bridging B.part
all (agreed): A place gender=f; B none bridging>A / A place gender=f; B none / A place gender=m; B none
    -> A place; B none ! A.gender B.bridging
one coder (coder): A place gender=m; B none / A place gender=f; B none bridging>A / A place; B place
    -> A place gender=m; B none ! A.gender B B.bridging
nothing (empty): A place gender=f; B none bridging>A / A place; B none kinds=a -> . ! A A.gender B B.bridging B.kinds
"""


@cases_of(FURTHER)
def test_majority_within_category_decides_attributes_and_relations(case):
    check(RICH_RULES, case)


READINGS = """\
categories and pointers of most: A place; B phrase >A / A place; B phrase >A / A none; B none
    -> A place; B phrase >A ! A B
who says new parts from what others join: A place; B phrase >A / A place; B place / A place; B place
    -> A place; B place ! B
as many say as not: A place; B none / A none; B none -> B none ! A
what all say (agreed): A place; B none / A none; B none -> B none ! A
meant together by most: A place; B place; C phrase >A+B / A place; B place; C phrase >A+B
    / A place; B place; C phrase >A
    -> A place; B place; C phrase >A+B ! C
meant together by one: A place; B place; C phrase >A+B / A place; B place; C phrase >A / A place; B place; C phrase >A
    -> A place; B place; C phrase >A ! C
later mentions of what is meant together: A place; B place; C phrase >A+B; D phrase >C
    / A place; B place; C phrase >A+B; D phrase >C / A place; B place; C place; D phrase >C
    -> A place; B place; C phrase >A+B; D phrase >C ! C
ambiguous for most: A place; B place; C phrase >A|B / A place; B place; C phrase >A|B / A place; B place; C phrase >B
    -> A place; B place; C phrase >A|B ! C
ambiguous for one: A place; B place; C phrase >A|B / A place; B place; C phrase >B / A place; B place; C phrase >B
    -> A place; B place; C phrase >B ! C
antecedents in one chain: A place; B phrase >A; C phrase >A / A place; B phrase >A; C phrase >B
    / A place; B phrase >A; C phrase >B
    -> A place; B phrase >A; C phrase >B
a turn: A place; B segment >F / A place; B segment >F / A place; B none -> A place; B segment >F ! B
pointing categories are not both the most frequent: A place; B phrase >A / A place; B segment >F -> A place ! B
"""


@cases_of(READINGS)
def test_majority_decides_readings(case):
    rules = replace(RICH_RULES, constraints=allow_later(RICH_RULES))
    check(rules, case)


def allow_later(rules: Rules):
    """Return the constraints with later targets allowed, such as the turn at the end."""
    relations = {key: {**relation, "later": True} for key, relation in rules.constraints["relations"].items()}
    return {**rules.constraints, "relations": relations}


ENTITIES = """\
at the markable where most of them answer: A place; B phrase >A animacy=yes / A place; B phrase >A animacy=yes
    / A place animacy=yes; B phrase >A
    -> A place; B phrase >A animacy=yes
of most: A place animacy=yes; B phrase >A / A place animacy=yes; B phrase >A / A place; B phrase >A animacy=no
    -> A place animacy=yes; B phrase >A ! A.animacy
of as many as not: A place animacy=yes; B phrase >A / A place; B phrase >A animacy=no
    -> A place; B phrase >A ! A.animacy
who does not answer has no vote: A place animacy=yes; B phrase >A / A place; B phrase >A / A place; B phrase >A
    -> A place animacy=yes; B phrase >A
a chain has its answer at all of its members, also where the draft parts them:
    A place animacy=no; B phrase >A; C phrase >B / A place; B place animacy=yes; C phrase >B
    / A place; B place animacy=yes; C phrase >B
    -> A place; B place animacy=yes; C phrase >B ! A A.animacy B B.animacy
of chains of one coder that the draft joins that of the larger one:
    A place animacy=no; B place animacy=yes; C phrase >B / A place animacy=yes; B phrase >A; C phrase >B
    / A place animacy=yes; B phrase >A; C phrase >B
    -> A place animacy=yes; B phrase >A; C phrase >B ! A B
one coder (coder): A place; B phrase >A / A place animacy=yes; B phrase >A -> A place; B phrase >A ! A.animacy
"""


@cases_of(ENTITIES)
def test_attributes_are_answered_once_in_each_entity(case):
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
INDICES = """\
under the name that its coders give most often: A refers #1; B refers #1; C refers #2
    / A refers #x; B refers #x; C refers #y / A refers #1; B refers #1; C refers #2
    -> A refers #1; B refers #1; C refers #2
a name is that of one entity, most say 1 of the second, as many 2 as 3:
    A refers #1; B refers #1; C refers #2; D refers #2 / A refers #1; B refers #1; C refers #3; D refers #3
    / A refers #2; B refers #2; C refers #1; D refers #1
    / A refers #2; B refers #2; C refers #1; D refers #1
    -> A refers #1; B refers #1; C refers #2; D refers #2
on both levels: A refers #1; E refers #1; F act / A refers #1; E refers #1; F act / A refers #1; E act; F none
    -> A refers #1; E refers #1; F act ! E F
each with the category of most who put it there: A name #1; B refers #1 / A name #1; B refers #1
    / A refers #1; B refers #1
    -> A name #1; B refers #1 ! A
in several entities: A refers #1; B refers #2; C refers #1,2 / A refers #1; B refers #2; C refers #1,2
    / A refers #1; B refers #2; C refers #1
    -> A refers #1; B refers #2; C refers #1,2 ! C
one coder (coder): A refers #b; B refers #b / A refers #1; B none -> A refers #b; B refers #b ! B
"""


@cases_of(INDICES)
def test_entities_by_index_are_drafted_on_all_levels(case):
    check(rules_of("indices", INDEX.spec, turns="EF"), case)


OWN = """\
most: A none; B none / A none; B none / A none -> A none; B none ! B
half of them: A none; B none / A none; B none / A none / A none -> A none ! B
one: A none; B none / A none / A none -> A none ! B
marked and not judged: A none; B - / A none; B - / A none -> A none
a target that only coders marked comes with the draft: A none; C none bridging>B / A none; C none bridging>B
    -> A none; B -; C none bridging>B
who marked nothing says so of each: A none; B none / . -> . ! A B
who marked nothing is outvoted: A none; B none / A none; B none / . -> A none; B none ! A B
a contested one stays in the gold: A none; B none / A none; B place -> A none; B - ! B
"""


@cases_of(OWN)
def test_draft_contains_markables_of_most_coders(case):
    check(rules_of("pointers", RICH.spec, marked="B"), case)


RETIRED = replace(
    RICH,
    categories=tuple(replace(category, retired=category.key == "place") for category in RICH.categories),
    relations=(*RICH.relations, RelationSpec("was", "was", to_levels=("phrase",), retired=True)),
    attributes=(
        *RICH.attributes,
        AttributeSpec("size", "size", values=(ValueSpec("s", "s"), ValueSpec("l", "l", retired=True))),
        AttributeSpec("colour", "colour", values=(ValueSpec("r", "r"),), retired=True),
    ),
)
ANSWERS_OF_BEFORE = """\
a category: A place / A place / A none -> . ! A
another category: A place / A none / A none -> A none ! A
a value: A none size=l / A none size=l / A none size=s -> A none ! A.size
another value: A none size=s / A none size=s / A none size=l -> A none size=s ! A.size
an attribute, which nobody can answer: A none colour=r / A none -> A none
a relation, which nobody can set: A none; B none was>A / A none; B none -> A none; B none
neither is contested in nothing (empty): A none colour=r; B none was>A -> . ! A B
"""


@cases_of(ANSWERS_OF_BEFORE)
def test_retired_answers_are_not_drafted(case):
    check(rules_of("pointers", RETIRED.spec), case)


def draw_coding(draw: random.Random) -> dict[str, Decision]:
    """Draw a coding with answers that the scheme allows."""
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
            relations = [("bridging", draw.choice([together, tuple((target,) for target in targets)]))]
            if draw.random() < 0.6:
                attributes.append(("part", draw.choice(["whole", "owner"])))
        if draw.random() < 0.9:
            found[key] = Decision(
                key, category=category, relations=tuple(relations), attributes=tuple(sorted(attributes))
            )
    return found


def expected(codings: Sequence[Mapping[str, Decision]]) -> tuple[dict[str, tuple[str, dict[str, object]]], set[Item]]:
    """Return category and answers of each markable, and the contested items, for codings without chains."""
    drafted, contested = {}, set[Item]()
    for key in LETTERS:
        said = [coding[key] for coding in codings if key in coding]
        if not said:
            continue
        categories = Counter(decision.category for decision in said).most_common()
        if len(categories) > 1 or len(said) < len(codings):
            contested.add(Item(key, "category"))
        if 2 * len(said) <= len(codings) or (len(categories) > 1 and categories[0][1] == categories[1][1]):
            continue
        [category, _] = categories[0]
        with_it = [decision for decision in said if decision.category == category]
        answers: dict[str, object] = {}
        for question in ("bridging", "kinds", "gender", "gender-2", "part"):
            given = Counter(answer_to(decision, question) for decision in with_it).most_common()
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
def test_draft_of_random_answers_follows_rules(seed):
    draw = random.Random(seed)
    codings = [draw_coding(draw) for _ in range(draw.choice([1, 2, 3, 4, 5]))]
    codings = [coding for coding in codings if coding]
    found = propose(RICH_RULES, codings, Method.MOST)
    drafted, contested = expected(codings)
    assert {
        decision.markable: (
            decision.category,
            {key: sort_readings(readings) for key, readings in decision.relations}
            | {key: tuple(sorted(value)) if isinstance(value, tuple) else value for key, value in decision.attributes},
        )
        for decision in found.decisions
    } == drafted
    assert set(found.contested) == contested
