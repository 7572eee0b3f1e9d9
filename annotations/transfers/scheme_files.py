"""The scheme of a project as a file, for pages, the API and the command."""

import io
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse

from annotations.formats import FormatError
from annotations.formats.schemes import SCHEME_FORMATS
from annotations.formats.schemes import read_scheme as read_scheme_file
from annotations.formats.schemes.files import MAX_UNPACKED_BYTES
from annotations.formats.schemes.scheme_file import SchemeFile
from annotations.models import Project
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.exporting.codings import Package

WRITTEN = {key: format_ for key, format_ in SCHEME_FORMATS.items() if format_.write is not None}


@dataclass(frozen=True, slots=True)
class SchemeDownload:
    """The file of a scheme and its losses, which a zip also has in LOSSES_FILE."""

    name: str
    data: bytes
    content_type: str
    losses: list[str]

    def as_response(self) -> HttpResponse:
        headers = {"Content-Disposition": f'attachment; filename="{self.name}"'}
        return HttpResponse(self.data, content_type=self.content_type, headers=headers)


def export_scheme(project: Project, key: str) -> SchemeDownload:
    """Return the scheme of a project as a file of this format. Raise FormatError if the format cannot hold it."""
    write = WRITTEN[key].write if key in WRITTEN else None
    if write is None:
        raise FormatError(f"a scheme is written as {' or '.join(WRITTEN)}, not as {key[:50]!r}", project.slug)
    files, losses = write(read_scheme(project.pk).spec, project.answers)
    if len(files) == 1:
        return SchemeDownload(f"{project.slug}-{files[0].path}", files[0].data, "application/json", losses)
    buffer = io.BytesIO()
    with Package(buffer) as package:
        package.add("", files)
        package.add_losses(losses)
    return SchemeDownload(f"{project.slug}-scheme-{key}.zip", buffer.getvalue(), "application/zip", losses)


def read_uploaded_scheme(file: UploadedFile[bytes]) -> SchemeFile:
    """Return the scheme of an uploaded file. Raise ValidationError by field."""
    if (file.size or 0) > MAX_UNPACKED_BYTES:
        raise ValidationError({"file": f"The limit is {MAX_UNPACKED_BYTES // 1_000_000} MB."})
    try:
        return read_scheme_file(file.read(), file.name or "")
    except FormatError as error:
        raise ValidationError({"file": str(error)}) from None
