"""One program at a time serves the data of a folder."""

import pytest

from annotations.core.processes.serving import AlreadyServed, hold_data, served_at


def test_second_program_gets_address_until_first_program_ends(tmp_path):
    folder = tmp_path / "data"
    assert served_at(folder) is None
    with hold_data(folder, "http://127.0.0.1:8000/"):
        assert served_at(folder) == "http://127.0.0.1:8000/"
        with pytest.raises(AlreadyServed) as refused, hold_data(folder):
            pass
        assert refused.value.address == "http://127.0.0.1:8000/"
    assert served_at(folder) is None
    with hold_data(folder):
        assert served_at(folder) == ""


def test_folder_that_cannot_be_made_raises_os_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"), hold_data(tmp_path / "file"):
        pass
