"""The answers of the API as typed dictionaries; a test compares them with the schema of the API."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

# Keys of markables: alternatives, or lists of markables that are meant together.
type Targets = list[str | list[str]]
type Spans = list[list[int]]
# An answer with many fields, which docs/api.md and the schema describe.
type Report = dict[str, Any]


class Project(TypedDict):
    slug: str
    title: str
    answers: str
    guidelines: str
    results_open: bool
    preset: str
    one_contributor: bool
    words_exclusive: bool
    scores_shown: bool
    description: str
    source: str
    licence: str
    citation: str
    contact: str
    archived_at: str | None
    role: str


class Scheme(TypedDict):
    answers: str
    levels: list[dict[str, Any]]
    categories: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    attributes: list[dict[str, Any]]
    constraints: dict[str, Any]
    scheme_version: int


class Member(TypedDict):
    username: str
    role: str
    group: str
    is_model: bool


class Model(TypedDict):
    name: str
    version: str
    hash: str
    date: str | None
    group: str


class ModelKey(TypedDict):
    key: str | None
    expires_at: str


class Invitation(TypedDict):
    id: int
    role: str
    whom: str
    created_by: str
    created_at: str
    expires_at: str
    max_uses: int
    uses: int
    used_by: str | None
    used_at: str | None


class NewInvitation(Invitation):
    link: str | None


class Round(TypedDict):
    name: str
    kind: str
    starts_on: str | None
    ends_on: str | None
    guidelines_version: int | None
    scheme_version: int | None
    closed_at: str | None
    pass_measure: str
    pass_mark: float | None
    attempts: int | None
    feedback: str
    required_round: str | None


class RoundRow(Round):
    texts: int
    codings: dict[str, int] | None


class Text(TypedDict):
    slug: str
    title: str
    language: str
    direction: str
    round: str
    rounds: list[str]
    role: str
    docset: str | None


class TextDetail(Text):
    content: str
    segments: list[dict[str, Any]]


class Correction(TypedDict):
    edits: list[dict[str, Any]]
    moved: int
    changes: list[dict[str, Any]]
    obstacles: list[dict[str, Any]]
    codings: int
    submitted: int


class Plan(TypedDict):
    design: str
    k: int
    share: float | None
    blocks: int | None
    seed: int
    round: str
    pool: bool
    due_on: str | None
    calibration: list[str]
    assignments: list[dict[str, Any]]
    unit: str
    loads: list[dict[str, Any]]
    pairs: list[dict[str, Any]]
    connected: bool


class CodingRow(TypedDict):
    text: str
    coder: str
    kind: str
    round: str
    occasion: int
    status: str
    version: int
    to_decide: int
    decided: int
    reopen_request: str
    state: str
    due_on: str | None
    overdue: bool


class MarkableRow(TypedDict):
    text: str
    key: str
    level: str
    label: str
    parts: Spans
    head: Spans
    words: str
    predefined: bool


class JudgementRow(TypedDict):
    text: str
    coder: str
    kind: str
    round: str
    occasion: int
    markable: str
    category: str | None
    pointers: Targets
    indices: list[str]
    optional: bool
    unsure: bool
    note: str
    name: str
    head: Spans
    scheme_version: int
    relations: NotRequired[dict[str, Targets]]
    attributes: NotRequired[dict[str, str | float | list[str]]]


class OperationRow(TypedDict):
    text: str
    coder: str
    coding_kind: str
    round: str
    occasion: int
    user: str
    sequence: int
    uuid: str
    kind: str
    payload: Any
    scheme_version: int
    step: str | None
    undoes: str | None
    made_at: str | None
    applied_at: str


class LoggedOperation(TypedDict):
    sequence: int
    uuid: str
    kind: str
    payload: Any
    step: str | None
    undoes: str | None
    made_at: str | None
    applied_at: str


class MarkableState(TypedDict):
    key: str
    level: str
    label: str
    parts: Spans
    head: Spans
    own: bool


class Judgement(TypedDict):
    markable: str
    category: str | None
    pointers: Targets
    indices: list[str]
    note: str
    name: str
    head: Spans
    unsure: bool
    optional: bool
    relations: NotRequired[dict[str, Targets]]
    attributes: NotRequired[dict[str, str | float | list[str]]]


class CodingVersion(TypedDict):
    version: int
    status: str
    seconds: int


class CodingState(TypedDict):
    project: dict[str, str]
    user: str
    text: dict[str, Any]
    scheme: Scheme
    markables: list[MarkableState]
    coding: CodingVersion
    judgements: dict[str, Judgement]
    pyramid: NotRequired[dict[str, Any]]


class Question(TypedDict):
    id: str
    text: str
    markable: str
    coder: str
    body: str
    created_at: str
    needs_answer: bool
    has_news: bool
    resolved_by: str | None
    resolved_at: str | None
    replies: list[dict[str, Any]]


class GoldState(TypedDict):
    text: str
    round: str
    state: str | None
    adjudicator: str | None
    method: str | None
    contested: int
    decided: int
    to_decide: int
    submitted: int
    assigned: int
    changed: int


class Transfer(TypedDict):
    id: int
    project: str | None
    user: str
    kind: str
    format: str
    choices: Any
    state: str
    done: int
    total: int
    report: Any
    error: str
    created_at: str
    finished_at: str | None


class Task(TypedDict):
    id: int
    kind: str
    state: str
    done: int
    total: int
    created_at: str
    finished_at: str | None
    error: str


class Agreement(TypedDict):
    """The report of `agreement/`; `texts` has the rows of all texts."""

    value: float | None
    observed: float | None
    expected: float | None
    n_units: int
    n_coders: int
    n_values: int
    n_judgements: int
    note: str
    left_out: dict[str, int]
    parameters: dict[str, str]
    z: float | None
    p_value: float | None
    z_note: str
    low: float | None
    high: float | None
    interval: dict[str, Any]
    bootstrap: NotRequired[dict[str, Any]]
    fingerprint: str
    coders: list[Any]
    codings_left_out: dict[str, int]
    judgements_left_out: NotRequired[dict[str, int]]
    judgements_of_other_versions: NotRequired[int]
    links: NotRequired[list[dict[str, Any]]]
    texts: list[dict[str, Any]]
    next: str | None
    previous: str | None
