"""Files of codings, large enough that imports take a while, and helpers to import and export them."""

from __future__ import annotations

import base64
import io
import random
import zipfile
from collections.abc import Sequence
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import TextField, Value
from django.db.models.functions import Cast, Concat

from annotations.models import Coding, Markable, Project, Text
from annotations.transfers.importing.documents import MAX_DOCUMENTS, import_sources
from annotations.transfers.importing.files.sources import open_sources
from tests.faults.people import Person
from tests.faults.program import CODERS, wait_for

SCHEME = "passonneau-2004"
BEGIN = "[Anna](a) took [her](b) dog"
# Larger than what is imported while the page is asked for, or smaller; exports of the first are large too.
LARGE = (8, 1300)
SMALL = (5, 1800)
# More texts than one transaction of an import writes.
MANY = 3 * MAX_DOCUMENTS
FILLER = "and so on " * 1500
# What a zip makes little smaller.
NOISE = base64.b64encode(random.Random(1).randbytes(900_000)).decode()


def corpus(coders: int, markables: int) -> list[SimpleUploadedFile]:
    """Return a file for each coder's coding of one text, with text and coder in its name."""
    filler = FILLER if (coders, markables) == LARGE else ""
    return [
        SimpleUploadedFile(
            f"long.{coder}.txt",
            f"{filler}{' '.join(f'[w{place % 10}](={(place + number) % 50})' for place in range(markables))}".encode(),
        )
        for number, coder in enumerate(CODERS[:coders])
    ]


def many_texts(number: int) -> SimpleUploadedFile:
    """Return a zip of texts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for place in range(number):
            archive.writestr(f"t{place}.txt", f"Anna took her dog {place}.")
    return SimpleUploadedFile("many.zip", out.getvalue())


def import_long_text(slug: str) -> None:
    """Import the large corpus, with so long a text that its export takes room and time. Call it inside."""
    files = [(file.name, file.read()) for file in corpus(*LARGE)]
    import_sources(Project.objects.get(slug=slug), "plain", open_sources(files), "name")
    long = Text.objects.filter(project__slug=slug, slug="long")
    long.update(content=Concat(Cast("content", TextField()), Value(NOISE)))


def order(person: Person, path: str, sent: dict[str, Any], files: Sequence[SimpleUploadedFile] = ()) -> int:
    """Order an import or export, wait until it is checked, and return its number."""
    answer = person.post(path, sent, files)
    assert answer.status == 201, answer
    pk = answer.body["id"]
    assert isinstance(pk, int)
    assert await_end(person, pk)["state"] == "checked"
    return pk


def order_import(person: Person, slug: str, files: Sequence[SimpleUploadedFile]) -> int:
    return order(person, f"/projects/{slug}/imports/", {"format": "plain", "whose": "name"}, files)


def order_export(person: Person, slug: str, format_key: str = "brat") -> int:
    return order(person, f"/projects/{slug}/exports/", {"format": format_key})


def fetch(person: Person, pk: int) -> dict[str, Any]:
    """Return the state of a transfer from the API."""
    answer = person.get(f"/transfers/{pk}/")
    assert answer.status == 200, answer
    found: dict[str, Any] = answer.body
    return found


def await_end(person: Person, pk: int) -> dict[str, Any]:
    """Wait until no worker processes the transfer and return its state."""

    def look() -> dict[str, Any] | None:
        found = fetch(person, pk)
        return None if found["state"] in ("checking", "running") else found

    return wait_for(look, f"transfer {pk} is settled") or {}


def carry_out(person: Person, pk: int) -> dict[str, Any]:
    """Carry the transfer out, wait for its end and return its state."""
    assert person.post(f"/transfers/{pk}/carry-out/").status == 200
    return await_end(person, pk)


def content(person: Person, pk: int) -> dict[str, bytes]:
    """Return the files in the zip of an export."""
    answer = person.get(f"/transfers/{pk}/file/")
    assert answer.status == 200, answer
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def count_rows(slug: str) -> dict[str, int]:
    """Return the numbers of imported rows. Call it inside."""
    project = Project.objects.get(slug=slug)
    codings = Coding.objects.of_people().filter(text__project=project).exclude(text__slug="tea")
    return {
        "texts": project.texts.exclude(slug="tea").count(),
        "markables": Markable.objects.filter(text__project=project).exclude(text__slug="tea").count(),
        "codings": codings.count(),
        "judgements": sum(coding.judgements.count() for coding in codings),
        "imports": sum(coding.operations.filter(kind="import").count() for coding in codings),
    }


NOTHING = {"texts": 0, "markables": 0, "codings": 0, "judgements": 0, "imports": 0}


def expected_rows(coders: int, markables: int) -> dict[str, int]:
    """Return the expected numbers of rows after one import of a corpus."""
    judgements = coders * markables
    return {"texts": 1, "markables": markables, "codings": coders, "judgements": judgements, "imports": coders}
