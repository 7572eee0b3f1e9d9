"""Project exports of INCEpTION, with an inner zip for each coder."""

import io
import zipfile

import pytest
from django.core.management import CommandError, call_command

from annotations.formats import FORMATS, Answer, Document, FormatError, Links, Mark
from annotations.formats.syntax.archive import Package
from annotations.formats.uima.inception import open_package
from annotations.models import Coding
from annotations.transfers.importing.files.sources import open_sources, read_sources

IN_CHAIN = Answer(indices=("1",))
WALK = Document(
    "walk",
    "",
    "Anna took her dog.",
    [Mark((span,), answer=IN_CHAIN) for span in ((0, 4), (10, 13))],
    links=Links.INDICES,
)
OTHER = Document("talk", "", "It barked.", [Mark(((0, 2),), answer=IN_CHAIN)], links=Links.INDICES)
SUFFIXES = {"xmi": ".xmi", "webanno": ".tsv", "casjson": ".json"}
every_flavour = pytest.mark.parametrize("key", list(SUFFIXES))


def zipped(files: dict[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def opened(data: bytes, most_files: int = 100, most_bytes: int = 2**20) -> Package:
    return open_package(data, "project.zip", most_files=most_files, most_bytes=most_bytes)


def members(key: str, document: Document, coder: str) -> dict[str, bytes]:
    """Return the files in the inner zip of a coder, named after the coder."""
    write = FORMATS[key].write
    assert write is not None
    return {
        file.path if "TypeSystem" in file.path else f"{coder}{SUFFIXES[key]}": file.data for file in write([document])
    }


def project(key: str, root: str = "") -> bytes:
    """Return an export with two texts, two coders of the first and one of the second."""
    files: dict[str, bytes | str] = {"exportedproject42.json": "{}", "source/walk.txt": WALK.content, "log/x.log": ""}
    for text, document, coders in (("walk.txt", WALK, ("anna", "ben.k")), ("talk.txt", OTHER, ("anna",))):
        for coder in (*coders, "INITIAL_CAS"):
            files[f"annotation/{text}/{coder}.zip"] = zipped(members(key, document, coder))
            files[f"annotation_ser/{text}/{coder}.ser"] = b"\xac\xed"
        files[f"curation/{text}/CURATION_USER.zip"] = zipped(members(key, document, "CURATION_USER"))
    return zipped({f"{root}{name}": data for name, data in files.items()})


@every_flavour
@pytest.mark.parametrize("root", ["", "exports/may/"])
def test_zips_of_coders_become_files_named_after_text(key, root):
    found = opened(project(key, root))
    expected = {f"{root}annotation/{path}{SUFFIXES[key]}" for path in ("anna/walk", "ben.k/walk", "anna/talk")}
    if key == "xmi":
        expected |= {path.replace(".xmi", "-typesystem.xml") for path in expected}
    assert {name for name, _ in found.files} == expected
    others = ["annotation/walk.txt/INITIAL_CAS.zip", "curation/walk.txt/CURATION_USER.zip", "exportedproject42.json"]
    others += ["source/walk.txt", "annotation_ser/walk.txt/anna.ser"]
    assert {f"{root}{other}" for other in others} <= {*found.ignored}


@every_flavour
def test_text_and_coder_are_read_from_folders(key):
    brought = read_sources(key, open_sources([("export.zip", project(key))]), "parent")
    assert brought.failures == []
    found = {(coded.document.name, coded.coder): coded.document for coded in brought.documents}
    assert found.keys() == {("walk", "anna"), ("walk", "ben.k"), ("talk", "anna")}
    for (name, _), document in found.items():
        wanted = {"walk": WALK, "talk": OTHER}[name]
        assert (document.content, document.findings) == (wanted.content, [])
        assert [mark.parts for mark in document.marks] == [mark.parts for mark in wanted.marks]
    left_out = {"curation/walk.txt/CURATION_USER.zip", "annotation/talk.txt/INITIAL_CAS.zip", "exportedproject42.json"}
    assert left_out <= {*brought.left_out}


ASIDE = ["annotation/a.txt/INITIAL_CAS.tsv", "exportedproject.json", "source/a.tsv"]
TSV, DEEP = zipped({"anna.tsv": "1"}), zipped({"anna.zip": zipped({"anna.tsv": "1"})})


@pytest.mark.parametrize(
    ("entries", "files", "ignored"),
    [
        (dict.fromkeys(["annotation/a.txt/anna.tsv", *ASIDE], "1"), ["annotation/anna/a.tsv"], ASIDE),
        (
            {"annotation/anna/walk.tsv": "1", "annotation/ben/walk.tsv": "2", "anna.zip": TSV},
            ["anna.zip", "annotation/anna/walk.tsv", "annotation/ben/walk.tsv"],
            [],
        ),
        ({"annotation/walk.txt/anna.zip": TSV, "notes.tsv": "2"}, ["annotation/anna/walk.tsv"], ["notes.tsv"]),
        (
            {f"annotation/{text}/anna.zip": TSV for text in ("a.txt", "a.tsv", "b.xmi", "Mr. C v1.2", "d")},
            [f"annotation/anna/{name}.tsv" for name in ("Mr. C v1.2", "a.tsv", "a.txt", "b", "d")],
            [],
        ),
        (
            {"annotation/a.txt/anna.zip": zipped({"x.tsv": "1", "y.tsv": "2"})},
            ["annotation/anna/a.tsv"],
            ["annotation/a.txt/anna.zip/y.tsv"],
        ),
        ({"annotation/a.txt/anna.zip": DEEP}, ["annotation/anna/a.zip"], []),
    ],
    ids=["in no zip", "no project", "no description", "names that differ", "a second file", "a zip in it"],
)
def test_package_files_are_renamed_or_ignored(entries, files, ignored):
    found = opened(zipped(entries))
    assert ([name for name, _ in found.files], found.ignored) == (files, ignored)


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        (b"PK\x03\x04 broken", "this zip cannot be read"),
        (zipped({"../evil.tsv": "x"}), "unsafe name '../evil.tsv'"),
        (zipped({"anna.tsv": b"0" * 2**21}), "would grow to more than 200 times its size"),
    ],
)
def test_hostile_inner_zip_is_refused_with_name(inner, message):
    data = zipped({"exportedproject.json": "{}", "annotation/a.txt/ben.zip": inner})
    with pytest.raises(FormatError, match=f"^project.zip/annotation/a.txt/ben.zip: .*{message}"):
        opened(data, most_bytes=2**24)


def test_bounds_include_inner_zips():
    inner = zipped({"anna.tsv": b"1" * 1000, "TypeSystem.xml": b"2" * 1000})
    data = zipped({f"annotation/{text}.txt/anna.zip": inner for text in "ab"})
    assert len(opened(data, most_files=6).files) == 4
    with pytest.raises(FormatError, match="at most 1 are read"):
        opened(data, most_files=5)
    size = 2 * (len(inner) + 2000)
    assert len(opened(data, most_bytes=size).files) == 4
    with pytest.raises(FormatError) as caught:
        opened(data, most_bytes=size - 1)
    assert caught.value.file == "project.zip/annotation/b.txt/anna.zip"


def test_settings_bound_inner_zips(settings):
    settings.IMPORT_MAX_FILES = 10
    with pytest.raises(FormatError, match="at most"):
        open_sources([("export.zip", project("xmi"))])


@pytest.mark.django_db
@every_flavour
def test_command_imports_zip_with_coders(tmp_path, key):
    file = tmp_path / "export.zip"
    file.write_bytes(project(key))
    options = {"project": "tales", "create": True, "coder_from": "parent", "option": ["categories=links"]}
    call_command("import_codings", key, file, **options)
    codings = Coding.objects.of_people().filter(text__project__slug="tales")
    found = codings.values_list("text__slug", "coder__username")
    assert sorted(found) == [("talk", "anna"), ("walk", "anna"), ("walk", "ben.k")]


@pytest.mark.django_db
def test_command_refuses_invalid_zip(tmp_path):
    file = tmp_path / "export.zip"
    file.write_bytes(b"no zip")
    with pytest.raises(CommandError, match=r"export\.zip: this zip cannot be read"):
        call_command("import_codings", "webanno", file, project="tales", create=True, coder_from="parent")
