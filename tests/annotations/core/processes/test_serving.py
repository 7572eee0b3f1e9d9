"""One program at a time serves the data of a folder."""

import pytest

from annotations.core.processes.serving import AlreadyServed, hold_data, served_at


def test_another_program_is_told_where_the_data_is_served_until_that_ends(tmp_path):
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


def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"), hold_data(tmp_path / "file"):
        pass
