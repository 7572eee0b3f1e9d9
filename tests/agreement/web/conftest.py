"""A project of two texts, which three coders have answered and Charlie manages."""

import pytest

from tests.shared.agreeing import WALK, answer, coded_project


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=("alice", "bob", "carol")))
