"""The pages of all coders and of a pair of coders."""

import pytest

from agreement.measures import RELATIONS
from agreement.reports.parameters import default_preset
from tests.shared.agreeing import WALK, answer, coded_project, coding_of, figures, hand_in, links, table
from tests.shared.coding import judge

URL = "/projects/walk/agreement/coders/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


def test_page_of_single_coder_names_coder(signed_in, charlie, walk):
    client = signed_in(charlie)
    assert "Only carol has submitted a coding" in client.get(URL, {"coders": "carol"}).content.decode()
    answer(coded_project("alone", "poesio-artstein-2005", WALK, coders=("alice",)))
    page = client.get("/projects/alone/agreement/coders/").content.decode()
    assert "Two coders are needed" in page
    assert [row[0] for row in table(page, "times")] == ["alice"]


AGREEMENT = "/projects/walk/agreement/"
URL_OF_PAIR = f"{AGREEMENT}coders/alice/bob/"


def test_pair_page_is_symmetric_and_links_to_items(signed_in, charlie, walk):
    client = signed_in(charlie)
    there, back = (client.get(f"{AGREEMENT}coders/{pair}/").content.decode() for pair in ("alice/bob", "bob/alice"))
    assert figures(there, "measures") == figures(back, "measures")
    assert figures(back, "confusion") == [list(row) for row in zip(*figures(there, "confusion"), strict=True)]
    assert figures(back, "confusion") != figures(there, "confusion")
    for name, [_, count, _] in zip(RELATIONS, table(there, "relations"), strict=True):
        [address] = links(there, f"relation={name}")
        assert len(table(client.get(address).content.decode(), "items")) == int(count), name


@pytest.mark.parametrize(
    "pair", ["alice/alice", "alice/charlie", "ghost/bob", "alice/%00", "%3Cscript%3E1/bob", "alice/Bob"]
)
def test_invalid_pair_gets_404(signed_in, charlie, walk, pair):
    assert signed_in(charlie).get(f"{AGREEMENT}coders/{pair}/").status_code == 404


def test_pair_without_common_text_has_page(signed_in, charlie):
    project = coded_project("apart", "poesio-artstein-2005", WALK, WALK)
    for name, slug in (("alice", "text-1"), ("bob", "text-2")):
        coding = coding_of(slug, name, text__project=project)
        judge(coding, coding.text.markables.filter(level__coded=True).first().key, "none")
    hand_in(project)
    for asked in ({}, {"texts": "text-1"}, {"coefficient": "fleiss_kappa"}):
        assert signed_in(charlie).get(URL_OF_PAIR.replace("walk", "apart"), asked).status_code == 200
