"""The coding page and the server apply operations alike, and the page undoes all of them."""

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from annotations.coding import operations
from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.judgements import decisions_of, judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.pyramids.scus import scu_descriptions
from annotations.coding.readings import parse_readings, sort_readings
from annotations.coding.required_answers import find_holes, missing_answers
from annotations.coding.rules import given_answers
from annotations.coding.state import coding_state
from annotations.models import Coding
from annotations.schemes.constraints import is_complete, missing_attributes
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from tests.conftest import ROOT
from tests.shared.cases import cases
from tests.shared.coding import change
from tests.shared.pyramids import SUMMARIES, codings_of, docset, models_of, pyramid_project
from tests.shared.schemes import RICH, any_answer, any_scheme, coding_of, rich_project, send_any
from tests.shared.skipping import skip_or_fail_in_ci

REPLAY = ROOT / "tests" / "js" / "coding" / "replay.mjs"
RULES = REPLAY.with_name("rules.mjs")
REPLAY_OF_PYRAMIDS = ROOT / "tests" / "js" / "pyramid" / "pyramid-replay.mjs"
# What the page itself judges; all else (a payload of another shape, words that are marked) it never sends.
JUDGED_BY_BOTH = {"across_summaries", "second_contributor", "several_scus", "words_taken", "not_in_pyramid"}
WORDS = [(start, start + length) for start in range(0, 70, 7) for length in (1, 3, 9)]


@pytest.fixture
def node() -> str:
    found = shutil.which("node")
    return found or skip_or_fail_in_ci("no Node on this machine")


def any_change(draw: random.Random, given: list[str]) -> operations.Change:
    """Draw a right or wrong operation on predefined markables or own marks."""
    own = [f"phrase:{start}-{end}" for start, end in WORDS] + ["phrase:0-3,8-14"]
    key = draw.choice(given + own + own)
    kind = draw.choices(["judge", "clear", "unmark", "move"], [6, 1, 1, 2])[0]
    if kind == "judge":
        category = draw.choice(["phrase", "phrase", "segment", "place", "none", None])
        targets = draw.sample(given + own, draw.randint(0, 2)) if category in ("phrase", "segment") else []
        start = int(key.split(":")[1].split("-")[0])
        head = draw.choice([[], [[start, start + 1]]])
        payload = {"markable": key, "category": category, "pointers": targets, "head": head}
        payload["name"] = draw.choice(["", "A"])
    elif kind == "move":
        payload = {"markable": key, "to": draw.choice(own)}
    else:
        payload = {"markable": key}
    return change(kind, **payload)


def comparable(judgements: dict[str, dict]) -> dict[str, dict]:
    """Return the judgements with unordered values sorted, and with empty relations and attributes added."""

    def sorted_readings(readings: list) -> list[list[str]]:
        return [list(reading) for reading in sort_readings(parse_readings(readings))]

    found = {}
    for key, judgement in judgements.items():
        relations = {name: sorted_readings(said) for name, said in judgement.get("relations", {}).items()}
        answers = judgement.get("attributes", {})
        attributes = {name: sorted(said) if isinstance(said, list) else said for name, said in answers.items()}
        canonical = {"pointers": sorted_readings(judgement["pointers"]), "relations": relations}
        rest = {name: value for name, value in judgement.items() if name != "markable"}
        found[key] = rest | canonical | {"attributes": attributes}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 5)))
def test_page_and_server_replay_operations_alike(project, codings, alice, node, seed):
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    coding = codings["alice"]
    draw = random.Random(seed)
    given = list(coding.text.markables.values_list("key", flat=True))
    state = coding_state(Coding.objects.of_people().select_related("text", "coder").get(pk=coding.pk), project)
    kinds = []
    for _ in range(300):
        drawn = any_change(draw, given)
        try:
            operations.apply(coding, alice, len(kinds), [drawn])
        except OperationRejected:
            continue
        kinds.append(drawn.kind)
    assert {"judge", "clear", "unmark", "move"} <= set(kinds)
    found = replayed(node, state, coding)
    assert comparable(found["judgements"]) == comparable(judgements_of(coding))
    assert found["undone"] == {}


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 12)))
def test_page_and_server_replay_answers_to_random_schemes_alike(alice, node, seed):
    draw = random.Random(seed)
    scheme = RICH if seed == 0 else any_scheme(draw)
    project = rich_project("tea-rich", scheme, alice)
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    coding = coding_of(project)
    state = coding_state(coding, project)
    assert send_any(draw, coding, scheme, 250) > 20
    found = replayed(node, state, coding)
    judgements = judgements_of(coding)
    assert comparable(found["judgements"]) == comparable(judgements)
    assert found["undone"] == {}
    assert sorted(found["holes"]) == holes_of(coding)
    assert any(judgement.get("attributes") or judgement.get("relations") for judgement in judgements.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 40)))
def test_page_and_server_agree_on_refused_and_missing_answers(alice, node, seed):
    """The page gets the table of constraints from the server and applies it with its own code."""
    draw = random.Random(seed)
    scheme = RICH if seed == 0 else any_scheme(draw)
    coding = coding_of(rich_project("tea-rich", scheme, alice))
    state = coding_state(coding, coding.text.project)
    marks = list(coding.text.markables.values_list("key", flat=True))
    tries: list[dict[str, Any]] = []
    version = 0
    for _ in range(150):
        drawn = any_answer(draw, scheme, marks)
        if drawn.kind != "judge":
            continue
        if draw.random() < 0.2 and "attributes" in drawn.payload:
            drawn.payload["attributes"] |= {
                draw.choice(["a0", "a1", "gender"]): draw.choice(["v0", ["v1"], ["f"], 7, "x" * 1001])
            }
        try:
            version = operations.apply(coding, coding.coder, version, [drawn])
            tries.append({"payload": drawn.payload, "taken": True, "code": None})
        except OperationRejected as refused:
            tries.append({"payload": drawn.payload, "taken": False, "code": refused.code})
    found = run_script(node, RULES, state=state, tries=tries)
    assert found["codes"] == [sent["code"] for sent in tries]
    assert {sent["taken"] for sent in tries} == {True, False}
    assert sorted(found["holes"]) == holes_of(coding)
    constraints = state["scheme"]["constraints"]
    for decision in decisions_of(coding):
        level = decision.markable.partition(":")[0]
        given = given_answers(constraints, level, decision)
        left = found["left"][decision.markable]
        assert left["missing"] == list(missing_attributes(constraints, given))
        assert left["complete"] == is_complete(constraints, given, has_index=False)
    required = {(answer.attribute, answer.markable, answer.of_chain) for answer in missing_answers(coding)}
    assert {(answer["attribute"], answer["key"], answer["ofChain"]) for answer in found["required"]} == required


def holes_of(coding: Coding) -> list[list[Any]]:
    return sorted([list(hole.markables), hole.question] for hole in find_holes([coding.pk]).get(coding.pk, []))


def replayed(node: str, state: dict, coding: Coding) -> dict:
    """Return the result of replaying the log of a coding with the code of the page."""
    return run_script(node, REPLAY, state=state, log=log_of(coding))


def log_of(coding: Coding) -> list[dict[str, Any]]:
    return list(coding.operations.values("uuid", "kind", "payload", "step", "undoes"))


def run_script(node: str, script: Path, **sent: Any) -> dict:
    """Return the output of a script of the page for this input."""
    run = subprocess.run(
        [node, str(script)], input=json.dumps(sent, default=str), capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 12)))
def test_page_and_server_agree_on_corrections_and_earlier_undo(project, codings, alice, charlie, node, seed):
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    coding, text, draw = codings["alice"], codings["alice"].text, random.Random(seed)
    n_corrections = 0
    for turn in range(160):
        coding.refresh_from_db()
        given = list(text.markables.filter(predefined=True).values_list("key", flat=True))
        try:
            if turn % 8 == 7:
                text.refresh_from_db()
                word = draw.choice(text.content.split())
                content = text.content.replace(word, draw.choice(["x", f"{word}s", f"so {word}", word[1:]]), 1)
                correct_text(text, content, charlie, plan_correction(text, content).tag)
                n_corrections += 1
            else:
                operations.apply(coding, alice, coding.version, [any_change(draw, given)])
        except (OperationRejected, ValidationError):
            continue
    assert n_corrections
    coding = Coding.objects.of_people().select_related("text", "coder").get(pk=coding.pk)
    assert list(log_mismatches(coding)) == []
    state = coding_state(coding, project)
    found = replayed(node, state | {"judgements": {}}, coding)
    given = set(text.markables.filter(predefined=True).values_list("key", flat=True))
    empty = comparable({"": Decision("").payload()})[""]

    def judgements_with_answers(judgements: dict[str, dict]) -> dict[str, dict]:
        return {key: said for key, said in comparable(judgements).items() if said != empty or key not in given}

    assert judgements_with_answers(found["judgements"]) == judgements_with_answers(judgements_of(coding))
    assert found["back"]
    for inverse in found["back"]:
        operations.apply(coding, alice, coding.version, [change(undo["kind"], **undo["payload"]) for undo in inverse])
        coding.refresh_from_db()


def any_change_of_a_pyramid(draw: random.Random, words: list[list[int]]) -> operations.Change:
    """Draw a right or wrong operation on contributors of one or two parts of up to five words."""

    def stretch() -> list[int]:
        first = draw.randrange(len(words))
        return [words[first][0], words[min(first + draw.randint(0, 4), len(words) - 1)][1]]

    def key() -> str:
        parts = sorted(stretch() for _ in range(draw.choice([1, 1, 1, 2])))
        return f"contributor:{','.join(f'{start}-{end}' for start, end in parts)}"

    kind = draw.choices(["judge", "clear", "unmark", "move", "describe"], [8, 1, 2, 3, 3])[0]
    if kind == "judge":
        scus = draw.sample("abcdef", draw.choice([1, 1, 1, 2]))
        outside = draw.random() < 0.05
        category, indices = ("outside", []) if outside else ("scu", scus)
        return change("judge", markable=key(), category=category, indices=indices, note=draw.choice(["", "?"]))
    if kind == "describe":
        return change("describe", scu=draw.choice("abcdef"), label=draw.choice(["", "A", "B"]), comment="")
    if kind == "move":
        return change("move", markable=key(), to=key())
    return change(kind, markable=key())


@pytest.mark.slow
@pytest.mark.parametrize("rules", [True, False])
@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 12)))
def test_pyramid_page_and_server_accept_the_same_operations(alice, node, seed, rules):
    project = pyramid_project(one_contributor=rules, words_exclusive=rules)
    models = models_of(docset(project, alice, summaries=[(name, words * 2) for name, words in SUMMARIES]))
    coding = codings_of(models)["alice"]
    draw = random.Random(seed)
    state = coding_state(coding, project)
    words = state["pyramid"]["words"]
    tries, version = [], 0
    known = []  # markables that were made, so that many operations meet what is there
    for _ in range(250):
        drawn = any_change_of_a_pyramid(draw, words)
        if known and "markable" in drawn.payload and draw.random() < 0.5:
            drawn = change(drawn.kind, **{**drawn.payload, "markable": draw.choice(known)})
        try:
            version = operations.apply(coding, alice, version, [drawn])
            tries.append({"kind": drawn.kind, "payload": drawn.payload, "taken": True})
            known += [drawn.payload[name] for name in ("markable", "to") if name in drawn.payload]
        except OperationRejected as refused:
            if refused.code in JUDGED_BY_BOTH:
                tries.append({"kind": drawn.kind, "payload": drawn.payload, "taken": False})
    found = run_script(node, REPLAY_OF_PYRAMIDS, state=state, log=log_of(coding), tries=tries)
    assert comparable(found["judgements"]) == comparable(judgements_of(coding))
    assert found["scus"] == scu_descriptions(coding)
    assert found["undone"] == {"judgements": {}, "scus": {}}
    assert found["refused"] == [not sent["taken"] for sent in tries]
    assert {sent["kind"] for sent in tries if sent["taken"]} >= {"judge", "unmark", "move", "describe"}
    assert any(not sent["taken"] for sent in tries)
