import io
import json
import zipfile

import cassis
import pytest

from annotations.formats import FormatError
from annotations.formats.model.scheme import AnswerKind, Subject
from annotations.formats.schemes import read_scheme
from annotations.schemes.consistency import check_scheme
from tests.shared.growth import assert_grows_with_input


def type_system():
    """Return a type system of DKPro, written by an independent library."""
    system = cassis.load_dkpro_core_typesystem()
    phrase = system.create_type("webanno.custom.Phrase", description="What refers.")
    system.create_feature(phrase, "Definite", "uima.cas.Boolean")
    system.create_feature(phrase, "Gloss", "uima.cas.String", description="In English.")
    system.create_feature(phrase, "Count", "uima.cas.Integer")
    bridge = system.create_type("webanno.custom.Bridge")
    system.create_feature(bridge, "Governor", phrase)
    system.create_feature(bridge, "Dependent", phrase)
    system.create_feature(bridge, "kind", "uima.cas.String")
    return system


def by_key(specs):
    return {spec.key: spec for spec in specs}


def test_layers_become_levels_and_questions():
    file = read_scheme(type_system().to_xml().encode(), "TypeSystem.xml")
    assert (check_scheme(file.spec), file.answers) == ([], "categories")
    assert [level.key for level in file.spec.levels] == ["Phrase"]
    [loss] = file.losses
    assert "Coreference" in loss.message
    attributes = by_key(file.spec.attributes)
    kinds = {key: str(attributes[key].kind) for key in ("Definite", "Gloss", "Count")}
    assert kinds == {"Definite": "one", "Gloss": "text", "Count": "number"}
    assert attributes["Gloss"].help == "In English."
    assert by_key(file.spec.relations)["Bridge"].to_levels == ("Phrase",)
    assert (attributes["kind"].of, attributes["kind"].relation) == (Subject.RELATION, "Bridge")


def test_dkpro_coreference_becomes_scheme_of_indices():
    file = read_scheme(cassis.load_dkpro_core_typesystem().to_xml().encode(), "TypeSystem.xml")
    assert (check_scheme(file.spec), file.answers) == ([], "indices")
    assert [level.key for level in file.spec.levels] == ["Coreference"]
    assert [(spec.key, spec.takes_index) for spec in file.spec.categories] == [("refers", True), ("none", False)]
    assert {spec.key for spec in file.spec.attributes} == {"referenceType", "referenceRelation"}


def layers():
    genders = [{"tag_name": "f", "tag_description": "feminine"}, {"tag_name": "m"}]
    roles = {"name": "r", "tags": [{"tag_name": "agent"}, {"tag_name": "patient"}]}
    features = [
        {"name": "gender", "uiName": "Gender", "type": "uima.cas.String", "tag_set": {"name": "genders"}},
        {"name": "roles", "type": "uima.cas.StringArray", "tag_set": roles, "required": True},
        {"name": "old", "type": "uima.cas.String", "enabled": False},
    ]
    mention = {"name": "webanno.custom.Mention", "uiName": "Mention", "type": "span", "enabled": True}
    attached = {"type": "relation", "attach_type": {"name": "webanno.custom.Mention"}, "features": []}
    return {
        "name": "corpus",
        "tag_sets": [{"name": "genders", "tags": genders}],
        "layers": [
            mention | {"features": features},
            {"name": "webanno.custom.Coref", "uiName": "Coreference", **attached},
            {"name": "webanno.custom.Doc", "type": "document-metadata", "features": []},
        ],
    }


def test_exported_project_has_tag_sets():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("exportedproject123.json", json.dumps(layers()))
        archive.writestr("source/walk.txt", "Anna took a walk.")
    file = read_scheme(buffer.getvalue(), "corpus.zip")
    assert (check_scheme(file.spec), file.answers) == ([], "pointers")
    assert [(spec.key, spec.points_to) for spec in file.spec.categories] == [("Coreference", "Mention"), ("none", "")]
    attributes = by_key(file.spec.attributes)
    assert {value.key: value.help for value in attributes["gender"].values} == {"f": "feminine", "m": ""}
    assert (attributes["roles"].kind, attributes["roles"].required) == (AnswerKind.SEVERAL, True)
    assert "old" not in attributes
    [loss] = file.losses
    assert "'document-metadata'" in loss.message


def test_single_layer_becomes_scheme():
    file = read_scheme(json.dumps(layers()["layers"][0] | {"tag_sets": []}).encode(), "layer.json")
    assert ([level.key for level in file.spec.levels], file.answers) == (["Mention"], "categories")


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b'{"layers": 3}', "exportedproject.json", "there is no list of layers"),
        (b'{"layers": [{"name": "a"', "exportedproject.json", "exportedproject.json:1:25: this is not JSON"),
        (b'{"layers": []}', "exportedproject.json", "no layer of spans"),
        (b'{"layers": [{"features": []}]}', "exportedproject.json", "a layer has a name"),
        (b'{"layers": [{"name": "a", "type": "span", "features": []}]}', "exportedproject.json", "ask nothing"),
        (b"<a/>", "TypeSystem.xml", "TypeSystem.xml:1: a type system holds"),
        (b"[" * 100_000, "exportedproject.json", "this JSON cannot be read"),
        (b"nothing of that", "notes.txt", "notes.txt: no scheme was found in it; one is a scheme exported here"),
    ],
)
def test_invalid_files_are_refused(data, name, message):
    with pytest.raises(FormatError, match=message):
        read_scheme(data, name)


def type_of(name: str, above: str, *features: str) -> str:
    described = "".join(f"<featureDescription>{feature}</featureDescription>" for feature in features)
    return (
        f"<typeDescription><name>{name}</name><supertypeName>{above}</supertypeName>"
        f"<features>{described}</features></typeDescription>"
    )


@pytest.mark.parametrize(
    "types",
    [
        lambda n: [type_of(f"t{i}", f"t{i + 1}") for i in range(n)] + [type_of(f"t{n}", "uima.tcas.Annotation")],
        lambda n: [
            type_of("Link", "uima.cas.TOP", *(f"<name>f{number}</name>" for number in range(n))),
            type_of("Slots", "uima.tcas.Annotation", *n * ["<name>f</name><elementType>Link</elementType>"]),
        ],
    ],
    ids=["types below types", "slots of one type with many features"],
)
def test_hostile_type_system_is_read_or_refused_in_linear_time(types):
    def read(n):
        system = f"<typeSystemDescription><types>{''.join(types(n))}</types></typeSystemDescription>"
        with pytest.raises(FormatError):
            read_scheme(system.encode(), "typesystem.xml")

    assert_grows_with_input(read, 8000)
