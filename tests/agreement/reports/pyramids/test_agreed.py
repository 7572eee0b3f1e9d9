"""Coders against agreed pyramids: figures against exact fractions, and access by role."""

import random
from fractions import Fraction

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from scipy import stats

from agreement.data.reading import forget_answers
from agreement.models import Computation
from agreement.reports.gold import count_alike
from agreement.reports.pyramids import KINDS, compare_with_agreed
from agreement.reports.request import parse_asked
from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.coding.decisions import Decision, Description
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.agreed_pyramid import fill_coding, start_agreed_pyramid
from annotations.docsets.creation import create_docset
from annotations.formats.model.keys import markable_key
from annotations.models import Coding, Membership, Project, Round, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.locks import lock_project
from annotations.projects.people.members import add_member
from tests.agreement.reports.pyramids.test_matching import best_pairs
from tests.shared.agreeing import coding_of, cost, table
from tests.shared.coding import change
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project, send
from tests.shared.scored import SUMMARIES, harbour, people

SLUG = "coast"
URL = f"/projects/{SLUG}/agreement/gold/"
API = f"/api/v1/projects/{SLUG}/agreement/gold/"
THREE = ("ann", "ben", "cora")
WORDS = 8  # of a summary, all of three letters


def coast(size: int, seed: int = 0, coders: tuple[str, ...] = THREE, slug: str = SLUG) -> Project:
    """Make a project of `size` docsets with random pyramids of these coders and agreed pyramids."""
    rng = random.Random(seed)
    project = pyramid_project(slug, one_contributor=False, words_exclusive=False)
    users = people(*coders)
    adam, charlie = people("adam", "charlie")
    for user in users:
        add_member(project, user, Membership.Role.CODER)
    add_member(project, adam, Membership.Role.ADJUDICATOR)
    add_member(project, charlie, Membership.Role.MANAGER)
    for number in range(size):
        summaries = [
            (f"summary {name}", " ".join(f"{name}{number % 10}{place}" for place in range(WORDS))) for name in "xyz"
        ]
        made = create_docset(project, f"day-{number}", f"Day {number}", summaries)
        text = made.texts.get(role=Text.Role.MODELS)
        round_ = text.rounds.get()
        agreed = random_pyramid(rng, text)
        for user in users:
            own = random_pyramid(rng, text)
            while len(best_pairs(sets_of(agreed), sets_of(own))) > 1:  # then names would decide
                own = random_pyramid(rng, text)
            fill(Coding(text=text, coder=user, kind=Coding.Kind.PYRAMID, round=round_), own)
        fill(Coding(text=text, coder=adam, kind=Coding.Kind.AGREED, round=round_), agreed)
    return project


def random_pyramid(rng: random.Random, text: Text) -> dict[str, list[tuple[int, int]]]:
    """Return two to four SCUs, each of one to three contributors in different summaries; no two have the same words."""
    starts = [text.content.index(f"{name}{text.slug[-1]}0") for name in "xyz"]
    used: set[tuple[int, int]] = set()
    scus: dict[str, list[tuple[int, int]]] = {}
    for number in range(rng.randint(2, 4)):
        for summary in rng.sample(range(3), rng.randint(1, 3)):
            first = rng.randrange(WORDS)
            last = rng.randrange(first, min(first + 4, WORDS))
            part = starts[summary] + 4 * first, starts[summary] + 4 * last + 3
            if part not in used:
                used.add(part)
                scus.setdefault(f"s{number}", []).append(part)
    return scus


def fill(coding: Coding, scus: dict[str, list[tuple[int, int]]]) -> None:
    decisions = [
        Decision(markable_key("contributor", [[*part]]), category="scu", indices=(key,))
        for key, parts in scus.items()
        for part in parts
    ]
    fill_coding(coding, coding.coder, decisions, [Description(key, key.upper()) for key in scus])


def sets_of(scus: dict[str, list[tuple[int, int]]]) -> dict[str, frozenset[int]]:
    """Return the SCUs as sets of the offsets of their words."""
    return {key: frozenset(start for a, b in parts for start in range(a, b, 4)) for key, parts in scus.items()}


def stored_sets(coding: Coding) -> dict[str, frozenset[int]]:
    """Return the SCUs of a stored coding as sets of the offsets of their words."""
    scus: dict[str, set[int]] = {}
    for parts, key in coding.judgements.values_list("markable__parts", "indices__entity"):
        for start, end in parts:
            scus.setdefault(key, set()).update(range(start, end, 4))
    return {key: frozenset(words) for key, words in scus.items()}


def counts_by_hand(project: Project, names: tuple[str, ...]):
    """Return the numbers of agreed, own and matched SCUs and words in each docset."""
    rows = []
    for made in project.docsets.order_by("slug"):
        text = models_of(made)
        agreed = stored_sets(text.codings.of_people().get(kind="agreed"))
        row = np.zeros(6, dtype=int)
        for coding in text.codings.of_people().filter(kind="pyramid", coder__username__in=names):
            own = stored_sets(coding)
            [pairs] = best_pairs(agreed, own)
            row += [len(agreed), len(own), len(pairs), 0, 0, 0]
            row[3:] += [
                sum(map(len, agreed.values())),
                sum(map(len, own.values())),
                sum(len(agreed[a] & own[b]) for a, b in pairs),
            ]
        rows.append(row)
    return np.array(rows)


def interval_by_hand(found, total):
    """Return the ends of the jackknife over docsets on the logit, from its definition in fractions."""
    found, total = [int(count) for count in found], [int(count) for count in total]
    n, value = len(total), Fraction(sum(found), sum(total))
    rest = [Fraction(sum(found) - a, sum(total) - b) for a, b in zip(found, total, strict=True)]
    mean = sum(rest) / n
    error = np.sqrt(float(Fraction(n - 1, n) * sum((figure - mean) ** 2 for figure in rest)))
    reach = stats.t.ppf(0.975, n - 1) * error / float(value * (1 - value))
    logit = np.log(float(value / (1 - value)))
    return [1 / (1 + np.exp(-logit + side * reach)) for side in (1, -1)]


def report_of(project: Project, **asked: str):
    answers, parameters = parse_asked(project, asked)
    return compare_with_agreed(project, answers, parameters)


@pytest.fixture(scope="module")
def coast_rows(module_rows) -> int:
    return coast(4).pk


@pytest.fixture
def project(coast_rows, charlie) -> Project:
    return Project.objects.get(pk=coast_rows)


def test_recall_precision_and_f1_equal_slow_count(project):
    project.memberships.filter(user__username__in=["ann", "cora"]).update(group="naive")
    report = report_of(project)
    assert [coder.name for coder in report.coders] == list(THREE)
    [group] = report.groups
    assert (group.name, group.coders, group.n_docsets) == ("naive", ("ann", "cora"), 4)
    for row in (*report.coders, group):
        counts = counts_by_hand(project, row.coders)
        for matching, columns in ((row.scus, counts[:, :3]), (row.words, counts[:, 3:])):
            agreed, own, matched = columns.T
            assert (matching.agreed, matching.own, matching.matched) == tuple(columns.sum(axis=0).tolist())
            for interval, found, total in (
                (matching.recall, matched, agreed),
                (matching.precision, matched, own),
                (matching.f1, 2 * matched, agreed + own),
            ):
                assert interval.value == float(Fraction(int(found.sum()), int(total.sum())))
                if 0 < interval.value < 1:
                    assert (interval.low, interval.high) == pytest.approx(interval_by_hand(found, total))
    assert any(0 < coder.scus.f1.value < 1 and coder.scus.f1.low is not None for coder in report.coders)


def test_each_docset_and_period_has_its_figures(project):
    report = report_of(project)
    assert [docset.docset for docset in report.docsets] == [f"day-{number}" for number in range(4)]
    places = [int(period.last[-1]) for period in report.periods]
    for name in THREE:
        counts = counts_by_hand(project, (name,))
        scus = [float(Fraction(int(2 * row[2]), int(row[0] + row[1]))) for row in counts]
        words = [float(Fraction(int(2 * row[5]), int(row[3] + row[4]))) for row in counts]
        assert [own.f1 for docset in report.docsets for own in docset.coders if own.name == name] == scus
        of_periods = [own for period in report.periods for own in period.coders if own.name == name]
        assert [own.scus_f1 for own in of_periods] == [scus[place] for place in places]
        assert [own.words_f1 for own in of_periods] == [words[place] for place in places]
    assert sorted(places) == [*range(4)]


def test_differences_are_counted_by_coder_and_in_all(project):
    report = report_of(project)
    for coder in report.coders:
        found = [located.difference.kind for located in report.differences[coder.name]]
        assert coder.differences == {kind: found.count(kind) for kind in KINDS}
        # every agreed SCU has a match, is missing, or is fused; every own one has a match, is split off, or is extra
        assert coder.scus.agreed == coder.scus.matched + found.count("missing") + found.count("fused")
        assert coder.scus.own == coder.scus.matched + found.count("split") + found.count("extra")
    every = count_alike(report.differences, lambda located: [*KINDS].index(located.difference.kind))
    assert [row.number for row in every] == sorted((row.number for row in every), reverse=True)
    assert sum(row.number for row in every) == sum(sum(coder.differences.values()) for coder in report.coders)
    lacking = sum(scu.n_missing + scu.n_fused for scu in report.scus)
    assert lacking == sum(coder.scus.agreed - coder.scus.matched for coder in report.coders) > 0
    assert all(scu.n_matched + scu.n_missing + scu.n_fused == scu.n_coders == 3 for scu in report.scus)


def test_agreement_covers_docsets_with_agreed_pyramid(signed_in, charlie, project):
    client, address = signed_in(charlie), f"/api/v1/projects/{SLUG}/agreement/"
    beside, whole = client.get(API).json()["agreement"], client.get(address).json()
    assert (beside["value"], beside["low"], beside["high"]) == (whole["value"], whole["low"], whole["high"])
    Coding.objects.of_people().get(text__slug="day-1", kind="agreed").delete()
    rest = client.get(address, {"texts": "day-0,day-2,day-3"}).json()
    assert client.get(API).json()["agreement"]["value"] == rest["value"]
    assert client.get(address).json() == whole  # agreed pyramids have no part in it


def test_page_lists_differences_of_chosen_coder(signed_in, charlie):
    harbour("harbour", peers=0)
    client = signed_in(charlie)
    rows = table(client.get("/projects/harbour/agreement/gold/", {"coder": "ben"}).content.decode(), "places")
    expected = [
        ["SCU fused with another", "Ninety", "Sand", ""],
        ["SCU fused with another", "Radar", "Questions", ""],
        ["SCU split off", "Hotels", "Owner", ""],
        ["contributor with fewer words", "Rescued", "Saved", "Lifeboats took everyone aboard to the harbour"],
        ["contributor in another SCU", "Fog", "Sand", "in thick fog"],
        ["contributor with more words", "Aground", "Sand", "Fog was blamed … a ferry hit a sandbank"],
    ]
    assert [row for row in expected if ["The sinking", *row] not in rows] == []
    everybody = client.get("/projects/harbour/agreement/gold/").content.decode()
    assert "Where agreed pyramids differ" not in everybody
    lacking = {row[0]: row[2:] for row in table(everybody, "lacking")}
    assert lacking == {"Ninety": ["2", "2", "1", "0", "1"], "Radar": ["1", "2", "1", "0", "1"]}
    for wrong in ("ghost", "\x00", "<b>"):
        assert client.get("/projects/harbour/agreement/gold/", {"coder": wrong}).status_code == 400


def test_gold_report_obeys_selection(signed_in, charlie, project):
    client = signed_in(charlie)
    whole = client.get(API).json()
    two = client.get(API, {"coders": "ann,ben"}).json()
    assert two["coders"] == whole["coders"][:2]
    some = client.get(API, {"texts": "day-2"}).json()
    assert (some["n_docsets"], [row["docset"] for row in some["docsets"]]) == (1, ["day-2"])
    assert some["docsets"] == whole["docsets"][2:3]
    # the unit that agreement is computed by is none of matching
    spans = client.get(API, {"units": "spans"}).json()
    assert spans["coders"] == whole["coders"]
    assert spans["agreement"]["value"] != whole["agreement"]["value"]
    for wrong in ({"coders": "ghost"}, {"texts": "ghost"}, {"docset": "day-1"}, {"versions": "1"}):
        assert client.get(API, wrong).status_code == 400


def test_page_counts_omitted_docsets_by_reason(signed_in, charlie, project):
    client = signed_in(charlie)

    def left_out():
        page = client.get(URL).content.decode()
        note = page.partition('id="table-scus"')[2].partition('agreement-table-note">')[2].partition("</p>")[0]
        return client.get(API).json()["docsets_left_out"], note.partition("Not compared: ")[2]

    assert left_out() == ({"missing": 0, "practice": 0, "open": 0, "uncoded": 0}, "")
    create_docset(project, "later", "Later", SUMMARIES)
    reopen_coding(Coding.objects.of_people().get(text__slug="day-1", kind="agreed"), charlie)
    Coding.objects.of_people().filter(text__slug="day-2", kind="pyramid").delete()
    reopen_coding(Coding.objects.of_people().get(text__slug="day-3", coder__username="ann"), charlie, "look again")
    reasons, note = left_out()
    assert reasons == {"missing": 1, "practice": 0, "open": 1, "uncoded": 1}
    assert note == (
        "1 docset without an agreed pyramid, 1 docset whose agreed pyramid is not submitted and 1 docset of which no"
        " coder has a pyramid that counts; 1 coding begun and not submitted."
    )
    numbers = {coder["name"]: coder["n_docsets"] for coder in client.get(API).json()["coders"]}
    assert numbers == {"ann": 1, "ben": 2, "cora": 2}
    assert client.get(API, {"include": "open"}).json()["coders"][0]["n_docsets"] == 2
    Round.objects.filter(project=project).update(kind=Round.Kind.TRAINING)
    assert client.get(API, {"include": "practice,open"}).json()["docsets_left_out"]["practice"] == 4
    assert "Nothing to compare" in client.get(URL).content.decode()


def test_scu_without_words_is_counted_apart(signed_in, charlie, alice, bob):
    ferry(alice, bob)
    coding = coding_of("sinking", "alice")
    reopen_coding(coding, charlie, "look again")
    send(coding, change("describe", scu="nothing", label="Nothing"))
    submit_coding(coding, alice)
    found = signed_in(charlie).get("/api/v1/projects/ferry/agreement/gold/").json()
    assert (found["n_empty"], found["coders"][0]["scus"]["own"]) == (1, 1)
    assert "1 SCU without words" in signed_in(charlie).get("/projects/ferry/agreement/gold/").content.decode()


def ferry(alice, bob, start="bob"):
    """Make a docset with pyramids of Alice and Bob, and the agreed one by Adam, a copy of one of them."""
    project = pyramid_project()
    adam, charlie = people("adam", "charlie")
    add_member(project, adam, Membership.Role.ADJUDICATOR)
    add_member(project, charlie, Membership.Role.MANAGER)
    made = docset(project, alice, bob)
    codings = codings_of(models_of(made))
    dawn = ["at dawn", "At dawn"]
    build(codings["alice"], {"dawn": dawn})
    build(codings["bob"], {"dawn": dawn, "boats": ["Boats saved forty people"]})
    if start:
        agreed = start_agreed_pyramid(made, adam, codings[start])
        agreed.refresh_from_db()
        submit_coding(agreed, adam)
    return made


def test_author_of_agreed_pyramid_is_not_compared(signed_in, charlie, alice, bob):
    """Adam's own pyramid is not compared, even if he becomes a coder or gold has another owner."""
    made = ferry(alice, bob)
    text, adam = models_of(made), User.objects.get(username="adam")
    add_member(made.project, people("eve")[0], Membership.Role.ADJUDICATOR)
    made.project.memberships.filter(user=adam).update(role=Membership.Role.CODER)
    assign_texts(made.project, [text], [adam])
    own = Coding.objects.of_people().select_related("text__project", "coder").get(kind="pyramid", coder=adam)
    build(own, {"dawn": ["at dawn"]})
    api = "/api/v1/projects/ferry/agreement/gold/"
    found = signed_in(charlie).get(api).json()
    assert [coder["name"] for coder in found["coders"]] == ["alice", "bob"]
    assert found["n_by_authors"] == 1
    Coding.objects.of_people().filter(text=text, kind="agreed").update(coder=User.objects.get(username="eve"))
    assert signed_in(charlie).get(api).json()["n_by_authors"] == 1
    assert "1 pyramid of who made the agreed one" in (
        signed_in(charlie).get("/projects/ferry/agreement/gold/").content.decode()
    )


def test_manager_sees_coder_whose_pyramid_was_draft(signed_in, charlie, alice, bob):
    made = ferry(alice, bob, start="")
    draft_gold(made.project, DraftRequest(Method.CODER, coder="bob"))
    agreed = Coding.objects.of_people().select_related("text__project", "coder").get(text__docset=made, kind="agreed")
    submit_coding(agreed, agreed.coder)
    api, url = "/api/v1/projects/ferry/agreement/gold/", "/projects/ferry/agreement/gold/"
    found = signed_in(charlie).get(api).json()
    assert {coder["name"]: coder["n_drafted"] for coder in found["coders"]} == {"alice": 0, "bob": 1}
    assert (found["n_drafted"], found["methods"]) == (1, {"coder": 1})
    notes = {row[0]: row[-1] for row in table(signed_in(charlie).get(url).content.decode(), "scus")}
    words = "the agreed pyramid of 1 docset was drafted from this coder’s alone"
    assert [words in notes[name] for name in ("alice", "bob")] == [False, True]
    adam = User.objects.get(username="adam")
    found = signed_in(adam).get(api).json()
    assert {coder["n_drafted"] for coder in found["coders"]} == {None}
    page = signed_in(adam).get(url).content.decode()
    assert words not in page
    assert "A coder whose pyramid alone was the draft is nearer to what came of it." in page


def test_adjudicator_sees_letters_instead_of_names(signed_in, charlie, project):
    adam = User.objects.get(username="adam")
    found = signed_in(adam).get(API).json()
    assert {coder["name"] for coder in found["coders"]} == {"Coder A", "Coder B", "Coder C"}
    page = signed_in(adam).get(URL, {"coder": "Coder A"}).content.decode()
    assert "Coders are letters here" in page
    body = page.partition("<main")[2].partition('id="table-scus"')[2]
    assert [name for name in THREE if f">{name}<" in body] == []
    values = {coder["scus"]["f1"]["value"] for coder in found["coders"]}
    assert values == {coder["scus"]["f1"]["value"] for coder in signed_in(charlie).get(API).json()["coders"]}
    assert list(signed_in(adam).get(API, {"coders": "ann"}).json()["errors"]) == ["coders"]


def test_coder_sees_own_docsets_in_open_results(signed_in, charlie, project):
    ann = User.objects.get(username="ann")
    client = signed_in(ann)
    assert client.get(URL).status_code == client.get(API).status_code == 403
    reopen_coding(Coding.objects.of_people().get(text__slug="day-3", coder=ann), charlie, "look again")
    Project.objects.filter(pk=project.pk).update(results_open=True)
    found = client.get(API).json()
    names = [coder["name"] for coder in found["coders"]]
    assert names[0] == "ann"
    assert all(name.startswith("Coder ") for name in names[1:])
    assert [row["docset"] for row in found["docsets"]] == ["day-0", "day-1", "day-2"]
    assert (found["groups"], found["docsets_left_out"]) == ([], {})
    page = client.get(URL).content.decode()
    assert "Where agreed pyramids differ from ann" in page
    assert {row[0] for row in table(page, "places")} <= {"Day 0", "Day 1", "Day 2"}
    assert client.get(URL, {"coder": "ben"}).status_code == 400
    lock_project(project.pk)  # as whoever deletes codings
    Coding.objects.of_people().filter(coder=ann).delete()
    assert "No agreed pyramid yet" in client.get(URL).content.decode()


def test_page_says_that_agreed_pyramid_is_missing(signed_in, charlie, alice, bob):
    ferry(alice, bob, start="")
    assert "No agreed pyramid yet" in signed_in(charlie).get("/projects/ferry/agreement/gold/").content.decode()
    assert signed_in(charlie).get("/api/v1/projects/ferry/agreement/gold/").json()["coders"] == []
    for option in ("--coders=ghost", "--docset=sinking"):
        with pytest.raises(CommandError, match=option.partition("=")[0]):
            call_command("agreement", "ferry", "--report=gold", option)


@pytest.mark.slow
def test_number_of_queries_is_fixed(signed_in, charlie):
    found = []
    for slug, size, coders in (("small", 2, THREE[:2]), ("large", 5, (*THREE, "dora", "eve"))):
        coast(size, seed=1, coders=coders, slug=slug)
        client = signed_in(charlie)
        client.get(f"/projects/{slug}/agreement/items/")  # the first view is recorded
        costs = []
        for address in (f"/projects/{slug}/agreement/gold/?coder=ann", f"/api/v1/projects/{slug}/agreement/gold/"):
            forget_answers()
            cache.clear()
            costs.append(cost(client, address))
        found.append(costs)
    assert found[0] == found[1]
    assert found[0][0] <= 28


def test_changed_agreed_pyramid_recomputes_figures(signed_in, charlie, project, run_worker):
    client = signed_in(charlie)
    asked = {"as": "json", "table": "scus"}
    assert client.get(URL, asked).status_code == 503
    run_worker()
    before = client.get(URL, asked).json()["rows"]
    assert [row["coder"] for row in before] == list(THREE)
    agreed = Coding.objects.of_people().select_related("text__project", "coder").get(text__slug="day-0", kind="agreed")
    reopen_coding(agreed, charlie)
    Computation.objects.update(finished_at="2026-01-01T00:00:00Z")
    client.get(URL)
    run_worker()
    after = client.get(URL, asked).json()["rows"]
    assert {row["docsets"] for row in after} == {3}


def test_fingerprint_changes_with_pyramids(project):
    report = report_of(project)
    assert report.fingerprint == report_of(project).fingerprint
    scu = Coding.objects.of_people().get(text__slug="day-0", kind="agreed").scus.first()
    scu.label = "Another name"
    scu.save()
    assert report.fingerprint != report_of(project).fingerprint
