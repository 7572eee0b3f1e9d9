import json
import random
from contextlib import suppress

import pytest

from annotations.formats import FormatError
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.formats.schemes import SCHEME_FORMATS, read_scheme
from annotations.formats.schemes.files import MAX_BYTES
from tests.annotations.formats.schemes import test_brat, test_mmax2, test_uima
from tests.shared.documents import spoiled
from tests.shared.schemes import RICH


def test_written_scheme_is_read_back_without_loss():
    write = SCHEME_FORMATS["json"].write
    assert write is not None
    [file], losses = write(RICH.spec, RICH.answers)
    assert losses == []
    again = read_scheme(file.data, file.path)
    assert (again.spec, again.answers, again.losses) == (RICH.spec, RICH.answers, ())


def test_error_names_path_of_problem():
    data = {"format": "coindex-scheme", "version": 1, "answers": "pointers", "levels": [{"key": "a b", "label": ""}]}
    with pytest.raises(FormatError, match=r"scheme.json: .*levels\[0\].key: "):
        read_scheme(json.dumps(data).encode(), "scheme.json")


@pytest.mark.parametrize("name", ["scheme.json", "scheme.xml", "annotation.conf"])
def test_too_large_file_is_refused(name):
    with pytest.raises(FormatError, match="at most 2 MB"):
        read_scheme(b" " * (MAX_BYTES + 1), name)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(
    ("data", "name"),
    [
        (test_brat.NAMES, "annotation.conf"),
        (test_mmax2.REFERENCE, "phrase_scheme.xml"),
        (json.dumps(test_uima.layers()).encode(), "exportedproject.json"),
        (json.dumps(scheme_to_json(RICH.spec, RICH.answers)).encode(), "scheme.json"),
    ],
    ids=["brat", "mmax2", "inception", "own"],
)
def test_spoiled_schemes_are_read_or_refused(data, name, seed):
    with suppress(FormatError):  # and no other
        read_scheme(spoiled(data, random.Random(seed)), name)
