"""Schemes of this program, as JSON: nothing is lost."""

import json
from collections.abc import Mapping

from annotations.formats.model.document import FormatError
from annotations.formats.model.format import File
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import (
    SCHEME_FILE,
    SchemeShapeError,
    scheme_from_json,
    scheme_to_json,
)
from annotations.formats.schemes.scheme_file import SchemeFile, base_name, find_by_name, json_of

MOST_NAMED = 10


def read(files: Mapping[str, bytes], name: str) -> SchemeFile:
    """Return the scheme of a JSON file. Raise FormatError with the path of what is wrong in it."""
    file = find_by_name(files, base_name(name)) or next(iter(files))
    try:
        return SchemeFile(*scheme_from_json(json_of(files, file)))
    except SchemeShapeError as error:
        named = [str(problem) for problem in error.problems[:MOST_NAMED]]
        more = len(error.problems) - len(named)
        message = " ".join([*named, f"And {more} more." if more else ""]).strip()
        raise FormatError(message, file) from None


def write(spec: SchemeSpec, answers: str) -> tuple[list[File], list[str]]:
    """Return the one file of a scheme, and that nothing is lost."""
    data = {**SCHEME_FILE, **scheme_to_json(spec, answers)}
    return [File("scheme.json", f"{json.dumps(data, indent=2, ensure_ascii=False)}\n".encode())], []
