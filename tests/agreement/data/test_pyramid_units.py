"""Pyramids in the engine of agreement: words or spans are the units."""

import pytest

from agreement.data.judgements import scus_by_word
from agreement.data.reading import read_answers
from agreement.data.reliability import reliability_data
from agreement.reports import overall
from agreement.reports.parameters import PRESETS, InvalidParameter, Parameters
from agreement.reports.request import resolve
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.models import Coding, Docset, Markable, Text, User
from annotations.projects.people.members import add_member
from tests.shared.coding import change
from tests.shared.following import another_process
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send
from tests.shared.work import work_by_text

# The spans of Passonneau 2006, Figure 1, in words of our own: what counts is which are together.
FIGURE_1 = (
    ("one", "first fifth"),
    ("two", "second seventh"),
    ("three", "third"),
    ("four", "fourth"),
    ("five", "sixth"),
)
A1 = {"a": ["first", "second", "third", "fourth"], "b": ["fifth", "seventh"], "c": ["sixth"]}
A2 = {"a": ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]}


@pytest.fixture
def figure_1(alice, bob):
    project = pyramid_project("figure", one_contributor=False)
    text = models_of(docset(project, alice, bob, summaries=FIGURE_1))
    codings = codings_of(text)
    build(codings["alice"], A1)
    build(codings["bob"], A2)
    return project


@pytest.mark.parametrize(
    ("preset", "expected"),
    [("passonneau-2006-spans-jaccard", "-0.4444"), ("passonneau-2006-spans", "0.1386")],
)
def test_alpha_of_figure_1_equals_table_1(figure_1, preset, expected):
    parameters = PRESETS[preset].parameters
    report = overall.compute_report(read_answers(figure_1, parameters.units), parameters)
    assert f"{report.result.value:.4f}" == expected
    assert report.result.n_units == 7


def values(project, units="words") -> dict[object, dict[str, set[str]]]:
    """Return for each coder the value of each word, as words; where it matters, a text has each word once."""
    extracted = read_answers(project, units)
    data = reliability_data(extracted, chains="full", top="category", unmarked="singleton")
    content = {text.pk: text.content for text in Text.objects.filter(project=project)}
    words: dict[object, str] = {
        markable.pk: content[markable.text_id][markable.start : markable.end]
        for markable in Markable.objects.filter(text__project=project, level__key="word")
    }
    return {
        coder: {
            words[unit]: {words[word] for word in data.value(code)}
            for unit, code in zip(data.units, data.codes[:, column].tolist(), strict=True)
        }
        for column, coder in enumerate(data.coders)
    }


WORDS = (("one", "alpha beta gamma"), ("two", "delta epsilon"))


def test_word_has_words_of_its_scu_or_itself(alice, bob):
    project = pyramid_project()
    codings = codings_of(models_of(docset(project, alice, bob, summaries=WORDS)))
    build(codings["alice"], {"s": ["alpha beta", "delta"]})
    build(codings["bob"], {"s": ["beta"], "t": ["delta epsilon"]})
    assert values(project) == {
        "alice": {
            "alpha": {"alpha", "beta", "delta"},
            "beta": {"alpha", "beta", "delta"},
            "gamma": {"gamma"},
            "delta": {"alpha", "beta", "delta"},
            "epsilon": {"epsilon"},
        },
        "bob": {
            "alpha": {"alpha"},
            "beta": {"beta"},
            "gamma": {"gamma"},
            "delta": {"delta", "epsilon"},
            "epsilon": {"delta", "epsilon"},
        },
    }


def test_word_of_two_scus_has_words_of_both(alice, bob):
    project = pyramid_project("free", words_exclusive=False)
    codings = codings_of(models_of(docset(project, alice, bob, summaries=WORDS)))
    build(codings["alice"], {"s": ["alpha beta"], "t": ["beta gamma"]})
    build(codings["bob"], {"s": ["alpha beta gamma"]})
    found = values(project)["alice"]
    assert found["alpha"] == {"alpha", "beta"}
    assert found["beta"] == {"alpha", "beta", "gamma"}
    assert found["gamma"] == {"beta", "gamma"}


def test_contributor_has_every_word_that_it_overlaps():
    words = [(0, 4), (5, 9), (10, 12)]
    assert scus_by_word(words, [([[3, 6]], "s"), ([[4, 5]], "t"), ([[9, 11], [0, 1]], "u")]) == {
        0: {"s", "u"},
        1: {"s"},
        2: {"u"},
    }


def test_only_pyramids_take_parameter_units(project, figure_1):
    for found, units in ((figure_1, "words"), (figure_1, "spans"), (project, "")):
        assert resolve(read_answers(found, units), Parameters(units=units))[1].units == units
    with pytest.raises(InvalidParameter, match="only pyramids"):
        resolve(read_answers(project, "spans"), Parameters(units="spans"))


def test_agreed_pyramid_does_not_count_as_coding(figure_1, mallory):
    before = read_answers(figure_1).fingerprint
    add_member(figure_1, mallory, "adjudicator")
    start_agreed_pyramid(
        Docset.objects.get(), mallory, Coding.objects.of_people().get(coder=User.objects.get(username="bob"))
    )
    assert read_answers(figure_1).fingerprint == before
    assert read_answers(figure_1).coders == ("alice", "bob")


def test_span_marked_only_by_adjudicator_is_no_unit(figure_1, mallory, monkeypatch):
    before = read_answers(figure_1, "spans")
    add_member(figure_1, mallory, "adjudicator")
    start = Coding.objects.of_people().select_related("text").get(coder__username="bob")
    agreed = start_agreed_pyramid(Docset.objects.get(), mallory, start)
    old = contributor(start.text, "third")
    send(agreed, change("unmark", markable=old), says(contributor(start.text, "hird"), "a"))
    assert read_answers(figure_1, "spans").fingerprint == before.fingerprint
    with another_process(monkeypatch):
        assert read_answers(figure_1, "spans").fingerprint == before.fingerprint


def test_work_on_agreed_pyramid_is_no_time_of_coder(figure_1, mallory):
    before = work_by_text(figure_1).activities
    add_member(figure_1, mallory, "adjudicator")
    start = Coding.objects.of_people().select_related("text").get(coder__username="bob")
    agreed = start_agreed_pyramid(Docset.objects.get(), mallory, start)
    send(agreed, change("describe", scu="a", label="Other"))
    assert work_by_text(figure_1).activities == before != {}
