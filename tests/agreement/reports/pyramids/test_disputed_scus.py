"""The SCUs on whose words coders disagree most."""

from agreement.data.pyramids import read_pyramids
from agreement.data.reading import read_answers
from agreement.reports.items import compute_items
from agreement.reports.parameters import Parameters
from agreement.results.headline import list_disputed_scus
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

SUMMARIES = [("one", "s1 s2 s3 s4"), ("two", "t1 t2 t3 t4")]


def disputed(project, most=5):
    items = compute_items(read_answers(project), Parameters(units="words", distance="jaccard"))
    found = list_disputed_scus(read_pyramids(project), items, most)
    shares = [scu.share for scu in found]
    assert shares == sorted(shares, reverse=True)
    assert all(0 < share <= 1 for share in shares)
    return [(scu.coder, scu.label, scu.weight, scu.n_alike, scu.n_coders) for scu in found]


def test_disputed_scus_are_sorted_and_share_no_words(alice, bob, django_assert_num_queries):
    project = pyramid_project("figure")
    codings = codings_of(models_of(docset(project, alice, bob, summaries=SUMMARIES)))
    build(codings["alice"], {"same": ["s1", "t1"], "pair": ["s2 s3", "t2 t3"], "last": ["s4"]})
    build(codings["bob"], {"same": ["s1", "t1"], "three": ["s2 s3", "t2"], "late": ["s4", "t3 t4"]})
    found = disputed(project)
    # Neither what is alike, nor the words of one SCU again as another coder has them.
    assert found == [("bob", "Late", 2, 1, 2), ("alice", "Pair", 2, 1, 2)]
    assert disputed(project, 1) == found[:1]
    pyramids, items = read_pyramids(project), compute_items(read_answers(project), Parameters(units="words"))
    with django_assert_num_queries(1):
        list_disputed_scus(pyramids, items, 5)


def test_agreeing_or_single_coder_has_no_disputed_scus(alice, bob):
    project = pyramid_project("figure")
    codings = codings_of(models_of(docset(project, alice, bob, summaries=SUMMARIES)))
    build(codings["alice"], {"same": ["s1", "t1"]})
    assert disputed(project) == []
    build(codings["bob"], {"as well": ["s1", "t1"]})
    assert disputed(project) == []
