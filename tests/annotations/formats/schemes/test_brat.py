import io
import zipfile
from contextlib import suppress

import pytest

from annotations.formats import FormatError
from annotations.formats.model.scheme import Condition, Subject
from annotations.formats.schemes import read_scheme
from annotations.schemes.consistency import check_scheme
from tests.shared.growth import assert_grows_with_input

NAMES = b"""# who is who
[entities]
!Agent
\tPerson
\tOrganization
----
Place

[relations]
<AGENT>=Person|Organization
Works_for Arg1:Person, Arg2:Organization
Near Arg1:<ENTITY>, Arg2:<ENTITY>

[events]
Move Agent:Agent, To:Place

[attributes]
Negation Arg:<EVENT>
Fame Arg:Agent, Value:high|low
Certain Arg:Works_for|Near, Value:yes|no
Generic Arg:<ENTITY>
"""
VISUAL = b"""[labels]
Person | Person or persona | Per
Works_for | works for
[drawing]
Person bgColor:#FFCCAA
SPAN_DEFAULT fgColor:black
"""


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"corpus/{name}.conf", data)
    return buffer.getvalue()


def by_key(specs):
    return {spec.key: spec for spec in specs}


def test_types_become_categories_with_labels_and_colours():
    file = read_scheme(zipped(annotation=NAMES, visual=VISUAL), "names.zip")
    assert (check_scheme(file.spec), file.answers) == ([], "categories")
    assert {spec.key: (spec.label, spec.colour) for spec in file.spec.categories} == {
        "Person": ("Person or persona", "#ffccaa"),
        "Organization": ("Organization", ""),
        "Place": ("Place", ""),
    }


def test_relations_and_attributes_depend_on_types():
    file = read_scheme(NAMES, "annotation.conf")
    relations, attributes = by_key(file.spec.relations), by_key(file.spec.attributes)
    assert relations["Works_for"].asked_if == Condition("category", ("Person",))
    assert relations["Near"].asked_if is None
    assert attributes["Fame"].asked_if == Condition("category", ("Person", "Organization"))
    assert [value.key for key in ("Fame", "Generic") for value in attributes[key].values] == ["high", "low", "true"]
    certain = {spec.key: spec.relation for spec in file.spec.attributes if spec.of == Subject.RELATION}
    assert certain == {"Certain": "Works_for", "Certain-Near": "Near"}
    losses = [(loss.line, loss.message.partition(":")[0]) for loss in file.losses]
    assert losses == [(11, "Works_for"), (18, "Negation"), (None, "1 types of events are left out")]


def test_identity_relation_becomes_category():
    data = b"[entities]\nPerson\nPlace\n[relations]\nCoref Arg1:Person, Arg2:Person, <REL-TYPE>:symmetric-transitive\n"
    file = read_scheme(data, "annotation.conf")
    assert (check_scheme(file.spec), file.answers) == ([], "pointers")
    assert [(spec.key, spec.points_to) for spec in file.spec.categories] == [("Coref", "mention"), ("none", "")]
    assert [value.key for value in by_key(file.spec.attributes)["type"].values] == ["Person", "Place"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"Person\n[entities]\n", "annotation.conf:1: a line stands before the first section"),
        (b"[relations]\nA Arg1:B\n", r"there is no section \[entities\]"),
        (b"[entities]\n", "there is no type of spans"),
        (b"[entities]\n\xff\n", "annotation.conf:2:1: this is not UTF-8"),
        (b"[entities]\n" + b"".join(b"T%d\n" % n for n in range(1001)), "annotation.conf:1002: there are more"),
    ],
)
def test_invalid_files_are_refused_with_line(data, message):
    with pytest.raises(FormatError, match=message):
        read_scheme(data, "annotation.conf")


def test_nested_macros_are_bounded():
    macros = "".join(f"<m{number}>=<m{number + 1}><m{number + 1}>\n" for number in range(30))
    with pytest.raises(FormatError, match=r"annotation\.conf:34: its macros make more than 20000 characters"):
        read_scheme(f"[entities]\nA\n{macros}[relations]\nR Arg1:<m0>".encode(), "annotation.conf")


@pytest.mark.parametrize(
    "lines",
    [lambda n: [f"[{' ' * n}"], lambda n: ["[relations]", f"R Arg1:{'|'.join(['A'] * n)}"]],
    ids=["an open bracket", "a type that is named again and again"],
)
def test_hostile_configuration_is_read_or_refused_in_linear_time(lines):
    def read(n):
        with suppress(FormatError):
            read_scheme("\n".join(["[entities]", "A", *lines(n)]).encode(), "annotation.conf")

    assert_grows_with_input(read, 40_000)
