"""Names of attributes and relations in files."""

from dataclasses import replace

import pytest

from annotations.formats import Answer, Document, Links, Mark, Place
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.answers import KeysByName, name_in_files
from annotations.formats.model.document import Readings
from annotations.formats.model.features import Feature
from annotations.formats.model.scheme import (
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    identity_relations,
)
from tests.annotations.formats.laws.test_laws import WRITTEN, read_all, written

# What formats, XML, UIMA and Python have a use for, what begins with no letter, and what differs in its spelling alone.
KEYS = (
    "level", "label", "begin", "end", "sofa", "id", "type", "attribute_type", "attribute-x", "self", "value", "class",
    "from", "get", "note", "name", "uncoded", "Optional", "AnnotatorNotes", "ChainName", "Min", "Reading", "Mention",
    "Antecedent", "Coreference", "span", "mmax_level", "markable", "coref_class", "eid", "etype", "head", "other",
    "minspan", "Entity", "SplitAnte", "Governor", "reading", "xml", "xmlns", "xmi", "1st", "9", "-", "a-b", "a_b",
    "A-b", "next", "words",
)  # fmt: skip
NAMING = [each for each in WRITTEN if {Feature.ATTRIBUTES, Feature.RELATIONS} <= each.supported_features]
PLACES = [Place("np", ((start, start + 2),)) for start in (0, 3, 6)]


def document(links: Links, *, attributes: bool) -> Document:
    """Return a document whose last markable answers questions with these keys."""
    to = "np" if links == Links.POINTERS else ""
    categories = (CategorySpec("c", "c", points_to=to, takes_index=links == Links.INDICES),)
    scheme = SchemeSpec(
        (LevelSpec("np", "np"),),
        categories,
        identity_relations(categories)
        + tuple(RelationSpec(key, key, to_levels=("np",)) for key in KEYS if not attributes),
        tuple(AttributeSpec(key, key, kind=AnswerKind.TEXT) for key in KEYS if attributes),
    )
    plain = Answer(category="c", indices=("1",) if links == Links.INDICES else ())
    readings: Readings = ((PLACES[0],), (PLACES[1],))
    rich = replace(
        plain,
        pointers=(PLACES[0],) if links == Links.POINTERS else (),
        attributes=tuple((key, f"{number}x") for number, key in enumerate(KEYS) if attributes),
        relations=tuple((key, readings[number % 2 :]) for number, key in enumerate(KEYS) if not attributes),
    )
    marks = [Mark(place.parts, "np", answer=answer) for place, answer in zip(PLACES, (plain, plain, rich), strict=True)]
    return Document("walk", "", "aa bb cc", marks, links=links, scheme=scheme)


@pytest.mark.parametrize("links", [Links.POINTERS, Links.INDICES])
@pytest.mark.parametrize("attributes", [True, False], ids=["attributes", "relations"])
@pytest.mark.parametrize("format_", NAMING, ids=lambda format_: format_.key)
def test_answers_find_questions_of_any_name(format_, attributes, links):
    kept, _ = reduce_document(document(links, attributes=attributes), format_.supported_features)
    [back] = read_all(format_, written(format_, kept))
    here = KeysByName(KEYS)

    def said(answer: Answer) -> dict[str | None, object]:
        relations = [(name, sorted(readings)) for name, readings in answer.relations]
        answers = answer.attributes if attributes else relations
        assert len(answers) == len(KEYS)
        return {here.find(name): value for name, value in answers}

    after, before = back.marks[-1].answer, kept.marks[-1].answer
    assert said(after) == said(before)
    assert after.pointers == before.pointers


def test_similar_keys_get_different_names():
    scheme = SchemeSpec((), (), (), tuple(AttributeSpec(key, key) for key in ("a-b", "a_b", "type", "attribute_type")))
    here = KeysByName(["a-b", "a_b", "type", "attribute_type"])
    for key in ("a-b", "a_b", "type", "attribute_type"):
        [name] = name_in_files([key], ("type",), scheme, hyphen="_").values()
        assert here.find(name) == here.find(name.upper()) == key
    assert here.find("A-B") is None
    assert here.find("attribute_3_a_b") is None
