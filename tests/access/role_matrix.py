"""Every route of the program, what it answers to whom, and what is sent to it.

A new route needs a row, most often of one line: `row(NAME, GET=members())`, or for what a manager sends
`row(NAME, POST=managers(302, {"text": "@text.slug"}))`. Methods that a row does not name are refused to all. "@..." is
a thing of the world (`role_world.py`): the tests ask for it here, and then in its place for the same thing of another
project, which has to be refused. What a row may say further stands at `Row`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any

from agreement.results.computations import ResultPage
from agreement.results.registry import ENDPOINTS
from agreement.results.registry import PAGES as RESULT_PAGES
from annotations.models.people.rights import Right
from tests.access.role_world import PASSWORD, ROLES, upload

BOTH = "manager and coder"
MEMBERS = ("viewer", "coder", "other coder", "adjudicator", "manager", BOTH, "superuser")
READ_TEXTS = ("viewer", "adjudicator", "manager", BOTH, "superuser")
SEE_RESULTS = ("viewer", "adjudicator", "manager", "superuser")
CODERS = ("coder", "other coder", BOTH)
DISCUSS = ("adjudicator", "manager", "superuser")
# Who manages the work of coders sees it; the other one manages what tells nothing of it.
MANAGE_WORK = ("manager", "superuser")
MANAGE = (*MANAGE_WORK, BOTH)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# To be sent to sign in by a page, or to be told so by the API.
SIGN_IN = 0


@dataclass(frozen=True)
class Access:
    """What each role is answered, and what it sends; some are refused by being led to another page."""

    answers: Mapping[str, int]
    body: Mapping[str, Any] | None = None
    led_away: frozenset[str] = frozenset()

    def but(self, answers: Mapping[str, int]) -> Access:
        """Return the same access with other answers for some roles."""
        return replace(self, answers={**self.answers, **answers})

    def leading_away(self, *roles: str) -> Access:
        """Return the same access that leads these roles to another page, where they read why."""
        return replace(self.but(dict.fromkeys(roles, 302)), led_away=frozenset(roles))


def who(
    roles: Collection[str], ok: int = 200, body: Mapping[str, Any] | None = None, members: int = 403, others: int = 404
) -> Access:
    """Return the access that answers these roles with `ok`, sends visitors to sign in, and refuses everybody else."""
    answers = {role: ok if role in roles else members if role in MEMBERS else others for role in ROLES}
    return Access({**answers, "anonymous": SIGN_IN}, body)


def own(*roles: str, ok: int = 200, body: Mapping[str, Any] | None = None) -> Access:
    """Return the access to a thing of these roles, which does not exist for everybody else."""
    return who(roles, ok, body, members=404)


members = partial(who, MEMBERS)
results = partial(who, SEE_RESULTS)
discussing = partial(who, DISCUSS)
managers = partial(who, MANAGE)
managing_work = partial(who, MANAGE_WORK)
reading_texts = partial(who, READ_TEXTS)
signed_in = partial(who, ROLES)
# To a question of the coder, which does not exist for other coders.
asking = partial(own, "coder", *DISCUSS)
coding = partial(own, *CODERS)
# Who may make projects.
permitted = partial(who, ["superuser"], others=403)


def deciding(ok: int = 200, body: Mapping[str, Any] | None = None) -> Access:
    """Return the access to gold that the adjudicator decides: to managers it is not there."""
    return discussing(ok, body).but({"manager": 404, "superuser": 404})


def public(ok: int = 200, body: Mapping[str, Any] | None = None) -> Access:
    return Access(dict.fromkeys(ROLES, ok), body)


def staff(ok: int = 200, body: Mapping[str, Any] | None = None) -> Access:
    """Return the access of those who may enter the admin; all others are sent to its own door."""
    return who(["site staff", "superuser"], ok, body, members=302, others=302).but({"anonymous": 302})


@dataclass(frozen=True)
class Row:
    """A route, or one of several things that it is asked for.

    at: what stands in its address, where that is not in PARAMETERS; refused: what methods get that are not named;
    takes: fields that it understands although the body does not have them;
    foreign: whether what is in its address belongs to a project or person; again: further things a route is asked for
    need not be asked by methods that it does not have; unseen: what it changes is in no table of ours (a session);
    annotates: whether a key to annotate may ask for it.
    """

    name: str
    methods: Mapping[str, Access]
    at: Mapping[str, str]
    refused: Access = field(default_factory=lambda: signed_in(405))
    takes: Collection[str] = ()
    foreign: bool = True
    again: bool = False
    unseen: bool = False
    annotates: bool = False

    def access(self, method: str) -> Access:
        """Return the access that holds for the method."""
        given = self.methods.get("GET" if method == "HEAD" and "HEAD" not in self.methods else method)
        if given is not None:
            return given
        # Of the API anybody may ask what there is to be asked; nothing of a project is in the answer.
        return signed_in(200) if method == "OPTIONS" and self.name.startswith("api-") else self.refused


PARAMETERS = {
    "slug": "@project.slug",
    "text": "@text.slug",
    "docset": "@docset.slug",
    "coder": "@other.username",
    "key": "@target.key",
    "first": "@third.username",
    "second": "@other.username",
    "secret": "@secret",
    "username": "@viewer.username",
    "page": "coders",
    "table": "matrix",
    "question": "@question.uuid",
    "number": "1",
    "name": "@round.name",
}
OF_PYRAMIDS = PARAMETERS | {"slug": "@pyramids.slug", "text": "@models.slug", "key": "@contributor"}
OF_AGREED = OF_PYRAMIDS | {
    "text": "@agreed_models.slug",
    "docset": "@agreed_docset.slug",
    "key": "@word.key",
    "coder": "@adjudicator.username",
}
OF_TRAINING = PARAMETERS | {"name": "@training.name", "text": "@draft.slug"}
OF_MAIN = PARAMETERS | {"name": "main"}
OF_FEEDBACK = OF_TRAINING | {"text": "@drill.slug", "token": "@feedback_token"}
OF_DONE = OF_AGREED | {"text": "@done_models.slug"}


def row(name: str, at: Mapping[str, str] = PARAMETERS, *, pk: str = "", **more: Any) -> Row:
    methods = {method: more.pop(method) for method in METHODS if method in more}
    if at.get("slug") == "@pyramids.slug":  # nobody manages and codes there: peers are coded without their names
        methods = {
            method: access.but({BOTH: access.answers["outsider"]}) if access.answers["outsider"] == 404 else access
            for method, access in methods.items()
        }
    return Row(name, methods, {**at, "pk": pk} if pk else at, **more)


def again(name: str, at: Mapping[str, str] = PARAMETERS, *, pk: str = "", **more: Any) -> Row:
    """Return the row of another thing at a route that already has a row."""
    return replace(row(name, at, pk=pk, **more), again=True)


UUID = "6f1b1b6e-7f5e-4d0b-9a53-0c1a3b6f5d11"


def operations(version: int, kind: str, **payload: Any) -> dict[str, Any]:
    return {"version": version, "operations": [{"uuid": UUID, "kind": kind, "payload": payload}]}


def rows_of_summaries(*summaries: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a form that has one row for each summary."""
    fields: dict[str, Any] = {"rows-TOTAL_FORMS": str(len(summaries)), "rows-INITIAL_FORMS": "0"}
    for number, summary in enumerate(summaries):
        fields |= {f"rows-{number}-{name}": value for name, value in summary.items()}
    return fields


ASKED = {"markable": "phrase:4-14", "body": "Why?"}


NUMBERS = count(1)


def mail_address() -> str:
    """Return an address that has been sent nothing, in which "@" begins no name of a thing."""
    return f"somebody-{next(NUMBERS)}@example.org"


PASTED = {"paste": "1", "paste-title": "New", "paste-content": "Rain."}
FILE = {"format": "conll2012", "files": upload, "whose": "nobody"}
JUDGED = operations(1, "judge", markable="@markable.key", category="phrase", pointers=["@target.key"])
JUDGED_GOLD = operations(6, "judge", markable="@drafted.key", category="@category.key")
TWO = ({"name": "x", "content": "Rain fell."}, {"name": "y", "content": "It rained."})
NEW_PASSWORD = "lavender-9-canoe"
SCHEME = {"scheme": '{"answers": "categories", "levels": [{"key": "phrase", "label": "phrase"}], "categories": []}'}

PAGES = [
    row("healthz", GET=public(), refused=public(405)),
    row("readyz", GET=public(), refused=public(405)),
    row("metrics", GET=public(404), refused=public(405)),
    row("staff_sign_in", GET=public(302), refused=public(405)),
    row("help", GET=public(), refused=public(405)),
    row("help-manual", at={"name": "coding"}, foreign=False, GET=public(), refused=public(405)),
    row("help-image", at={"name": "coding.png"}, foreign=False, GET=public(), refused=public(405)),
    row("signed_in", GET=signed_in(204).but({"anonymous": 401}), refused=public(405)),
    row(
        "sign_in",
        GET=public(),
        POST=public(302, {"username": "@coder.username", "password": PASSWORD}),
        PUT=public(),
        OPTIONS=public(),
        refused=public(405),
        foreign=False,
        unseen=True,
    ),
    row("sign_out", unseen=True, POST=public(302), OPTIONS=public(), refused=public(405)),
    row(
        "change-password",
        GET=signed_in(),
        POST=signed_in(302, {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}),
        PUT=signed_in(),
        OPTIONS=signed_in(),
        unseen=True,  # a form sent by PUT is not read
    ),
    row(
        "change-password-of-staff",
        GET=staff(),
        POST=staff(302, {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}),
        PUT=staff(),
        OPTIONS=staff(),
        refused=staff(405),
        unseen=True,  # whom the site's staff lets not in, is sent to their door
    ),
    row("home", GET=signed_in()),
    row("account", GET=signed_in(), POST=signed_in(200, {"name": "n", "scope": "read", "days": "7"})),
    row("account-mail", GET=signed_in(), POST=signed_in(302, {"address": mail_address, "password": PASSWORD})),
    again("account-mail", POST=signed_in(302, {"kinds": "1", "digest": "on"})),
    # The link is of another person than who asks.
    row("confirm-mail", at={"token": "x"}, GET=signed_in(404), POST=signed_in(404), foreign=False),
    # There are accounts, so that nobody makes the first one.
    row("first-account", at={"token": "x"}, GET=public(404), POST=public(404), refused=public(405), foreign=False),
    row("unsubscribe", at={"token": "x"}, GET=public(404), POST=public(404), refused=public(405), foreign=False),
    row(
        "forgotten-password",
        GET=public(),
        POST=public(302, {"address": mail_address}),
        refused=public(405),
        unseen=True,
    ),
    *(
        row(
            name,
            at={"uidb64": "x", "token": "x"},
            GET=public(),
            POST=public(),
            PUT=public(),
            PATCH=public(),
            DELETE=public(),
            OPTIONS=public(),
            foreign=False,
            unseen=True,  # the link is not good
        )
        for name in ("reset-password", "member-password")
    ),
    row("revoke-token", pk="@token.pk", POST=own("coder", ok=302)),
    row(
        "invitation",
        GET=public(),
        # Who is a member is told so; who is nobody yet is asked for a name and a password.
        POST=public(302).but(dict.fromkeys(MEMBERS[:-1], 400) | {"anonymous": 200}),
        refused=public(405),
        foreign=False,
    ),
    row(
        "new-project",
        GET=permitted(),
        POST=permitted(302, {"title": "T", "slug": "new-one", "scheme": "muc-ident", "guidelines": "g"}),
        refused=permitted(405),
    ),
    row("restore", GET=permitted(), POST=permitted(302, {"file": upload}), refused=permitted(405)),
    row("project", GET=members()),
    row("progress-file", GET=results(400)),  # no table is chosen
    again("project", OF_PYRAMIDS, GET=members()),
    row("scheme", takes=["results_open"], GET=members(), POST=managers(302, {"about": "1", "title": "T"})),
    again("scheme", OF_PYRAMIDS, GET=members(), POST=managers(302, {"words_exclusive": "on", "confirmed": "1"})),
    again("scheme", OF_PYRAMIDS, POST=managers(200, {"words_exclusive": "on"}), unseen=True),
    row("edit-scheme", GET=managers()),
    again("edit-scheme", OF_PYRAMIDS, GET=managers(302)),
    row("scheme-draft", POST=managers(200, SCHEME), unseen=True),
    row("scheme-versions", GET=members()),
    row("undo-merges", foreign=False, POST=managing_work(302, {"confirmed": "1"}), unseen=True),  # it merged nothing
    row("to-complete", GET=members()),
    row("scheme-sample", GET=members()),
    again("scheme-sample", OF_PYRAMIDS, GET=members(302)),
    row("exchange-scheme", GET=managers(), POST=managers(400, {"scheme": "muc-ident"}), unseen=True),  # it has texts
    row("export-scheme", GET=members()),
    row("import-scheme", GET=managers(), POST=managers(400, {}), unseen=True),  # no file is sent
    row("guidelines", GET=members()),
    row("guidelines-version", foreign=False, GET=members()),
    row("guidelines-difference", GET=members(400)),
    row("read-guidelines", POST=members(302, {"number": "1"})),
    row("questions", GET=members()),
    row("question", GET=asking(), POST=asking(ok=302, body={"body": "Why?"})),
    row("resolve-question", POST=asking(ok=302)),
    row("read-question", POST=asking(ok=302), unseen=True),  # somebody who answers has it not to read
    row("publish-answer", POST=discussing(302, {"public_question": "Why?", "public_answer": "So."})),
    row("text-questions", GET=coding(), POST=coding(body=ASKED)),
    row("text-questions-agreed", OF_AGREED, GET=own("adjudicator"), POST=own("adjudicator", body={"body": "Why?"})),
    row("members", GET=managers(), POST=managers(302, {"username": "@outsider.username", "role": "viewer"})),
    again("members", POST=managers(200, {"invite": "1", "role": "viewer", "days": "7", "whom": "Eve"})),
    row("reset-link", pk="@membership.pk", POST=managing_work(302), unseen=True),  # the account was not made for it
    row("models", takes=["version"], GET=managing_work(), POST=managing_work(302, {"name": "gpt", "group": "model"})),
    row("project-settings", GET=managers(), POST=managers(302, {"licence": "CC BY 4.0"})),
    row("archive-project", POST=managers(302, {"confirmed": "1"})),
    again("archive-project", POST=managers(200), unseen=True),  # a manager is asked first
    row("unarchive-project", POST=managers(302), unseen=True),
    row(
        "clone-project",
        GET=managers(403).but({"superuser": 200}),
        POST=managers(403, {"title": "Copy", "slug": "new-one"}).but({"superuser": 302}),
    ),
    row("delete-project", GET=managing_work(), POST=managing_work(400, {"seen": "x", "title": "y"}), unseen=True),
    row("remove-member", pk="@membership.pk", POST=managers(302, {"confirmed": "1"})),
    again("remove-member", pk="@membership.pk", POST=managers(200), unseen=True),
    row("withdraw-invitation", pk="@invitation.pk", POST=managers(302)),
    row("transfers", GET=results()),
    row("import", takes=("coder", "predefined"), GET=managing_work(), POST=managing_work(302, FILE)),
    row(
        "export",
        GET=results(),
        POST=results(302, {"format": "jsonlines", "coders": ["@other.username"], "texts": ["@text.slug"]}),
    ),
    again("export", POST=managing_work(302, {"format": "project"}).but({"viewer": 400, "adjudicator": 400})),
    row("assign", GET=managers(), POST=managers(302, {"design": "all", "round": "main"})),
    row("assign-cell", POST=managers(200, {"text": "@text.slug", "coder": "@adjudicator.username", "on": "1"})),
    row("replace-coder", POST=managing_work(302), unseen=True),  # nobody is chosen
    row("release-idle", POST=managing_work(302, {"days": "7"}), unseen=True),  # nothing is assigned in that round
    row("repeats", GET=managing_work(), POST=managing_work(302, {"withdraw": "1"}), unseen=True),  # nobody has any
    row("take-next", POST=members(302), unseen=True),  # no pool is there
    again("assign", OF_PYRAMIDS, GET=managers(302), POST=managers(302), unseen=True),
    row("rounds", GET=reading_texts(), POST=managers(302, {"name": "new-one", "kind": "main"})),
    row("round", GET=reading_texts()),
    row("change-round", POST=managers(302, {"name": "new-one", "kind": "pilot"})),
    row("draft-gold", OF_MAIN, POST=discussing(302, {"method": "most", "confirmed": "1"})),
    again("draft-gold", OF_MAIN, POST=discussing(200, {"method": "most"}), unseen=True),  # some have not submitted yet
    row("open-gold", OF_TRAINING, POST=discussing(302)),
    # Somebody has not submitted yet: it is asked first.
    again("open-gold", OF_MAIN, POST=discussing(200), unseen=True),
    row("hand-on-gold", OF_TRAINING, GET=discussing(), POST=discussing(302, {"adjudicator": "@manager.username"})),
    # What an adjudicator has coded and not submitted is not there.
    row("gold-from-coding", OF_TRAINING, POST=who(()).but(dict.fromkeys(DISCUSS, 404)), unseen=True),
    row("decisions", GET=discussing()),
    row("decisions-file", GET=discussing()),
    row("own-gold", GET=discussing()),
    row("training", OF_TRAINING, GET=own("other coder", *DISCUSS)),
    row(
        "training-decide",
        OF_TRAINING,
        POST=managing_work(302, {"coder": "@coder.pk", "outcome": "passed", "reason": "Known."}),
    ),
    row("training-next", OF_TRAINING, POST=members(302), unseen=True),  # nobody has a text to take
    row("training-comparison", OF_TRAINING | {"text": "@drill.slug", "coder": "@other.username"}, GET=discussing()),
    row("feedback", OF_FEEDBACK, GET=own("other coder")),
    # Who does not work on it is led to the page of its round, which says who does.
    row("code-gold", OF_TRAINING, GET=who(DISCUSS).leading_away("manager", "superuser")),
    row("submit-gold", OF_TRAINING, POST=who(DISCUSS, 302).leading_away("manager", "superuser")),
    row(
        "reopen-own-gold",
        OF_TRAINING | {"text": "@drill.slug"},
        GET=who(DISCUSS).leading_away("manager", "superuser"),
        POST=who(DISCUSS, 302).leading_away("manager", "superuser"),
    ),
    row("order-round", POST=managers(302, {"move": "up"})),
    row("close-round", POST=managers(302, {"confirmed": "1"})),
    again("close-round", POST=managers(200), unseen=True),  # a manager is asked first
    row("delete-round", POST=managing_work(302, {"confirmed": "1"})),
    again("delete-round", POST=managing_work(200), unseen=True),
    row("project-texts", GET=reading_texts()),
    again("project-texts", OF_PYRAMIDS, GET=results(302)),
    row("text", GET=reading_texts()),
    again("text", OF_PYRAMIDS, GET=results(302)),
    row("edit-text", GET=managers(), POST=managers(302, {"title": "New", "round": "pilot"})),
    row("correct-text", GET=managing_work(), POST=managing_work(200, {"content": "Other words."}), unseen=True),
    row("delete-text", GET=managing_work(), POST=managing_work(400, {"seen": "x", "title": "y"}), unseen=True),
    again("delete-text", OF_PYRAMIDS, GET=managing_work(302)),
    row("unassign", at=PARAMETERS, POST=managing_work(302), unseen=True),  # it has begun
    row(
        "add-texts",
        GET=managers(302),
        POST=managers(302, {"paste": "1", "paste-title": "New", "paste-content": "Rain."}),
    ),
    again("add-texts", POST=managers(302, {"upload": "1", "upload-files": upload})),
    again("add-texts", OF_PYRAMIDS, GET=managers(302)),
    row("order-texts", POST=managers(302, {"text": "@text.slug", "move": "up"})),
    row("docsets", OF_PYRAMIDS, GET=members(), POST=managers(302, {"title": "Rain", **rows_of_summaries(*TWO)})),
    row("docset", OF_PYRAMIDS, GET=who(MEMBERS)),
    row(
        "delete-summary", OF_PYRAMIDS, GET=managers(), POST=managers(302, {"name": "one"}), unseen=True
    ),  # it has begun
    row("delete-docset", OF_PYRAMIDS, GET=managers(), POST=managers(400, {"seen": "x", "title": "y"}), unseen=True),
    row(
        "docset-peers",
        OF_PYRAMIDS,
        GET=managers(),
        POST=managers(302, rows_of_summaries({"name": "p", "content": "Rain fell."})),
    ),
    row(
        "docset-assign",
        OF_PYRAMIDS,
        GET=managers(),
        POST=managers(302, {"coders": ["@coder.pk"], "pyramid": "on", "peers": ["@peer.pk"], "against": "own"}),
    ),
    row(
        "docset-agreed",
        OF_PYRAMIDS,
        GET=discussing(),
        POST=discussing(302, {"start": "@start.pk", "adjudicator": "@adjudicator.pk"}),
    ),
    row("code", GET=coding()),
    again("code", OF_PYRAMIDS, GET=own("coder", "other coder")),
    row("submit", POST=coding(ok=302)),
    # The coder's own is open, and there is nothing to reopen.
    row("reopen-own", GET=coding().but({"coder": 302, BOTH: 302}), POST=coding(ok=302), unseen=True),
    row("reopen", POST=managing_work(302, {"confirmed": "1"}), unseen=True),  # it merged nothing
    again("reopen", POST=managing_work(200), unseen=True),  # a manager is asked first
    row("code-agreed", OF_AGREED, GET=own("adjudicator")),
    again(
        "docset-agreed",
        OF_AGREED,
        GET=discussing(),
        POST=managers(302, {"adjudicator": "@next.pk"}).but({"adjudicator": 400}),
    ),
    row("submit-agreed", OF_AGREED, POST=own("adjudicator", ok=302)),
    row(
        "reopen-own-agreed",
        OF_DONE,
        GET=own("adjudicator"),
        POST=own("adjudicator", ok=302, body={"ask": "1", "reason": "r"}),
    ),
    row("reopen-agreed", OF_DONE, POST=managing_work(302, {"confirmed": "1"}), unseen=True),  # it merged nothing
    # A coder's own pyramid is not of this address.
    again("reopen-agreed", OF_DONE | {"coder": "@other.username"}, POST=managing_work(404)),
    row("transfer", pk="@imported.pk", GET=managing_work().but({"coder": 404, "other coder": 404, BOTH: 404})),
    again("transfer", pk="@exported.pk", GET=own(*SEE_RESULTS)),
    row(
        "carry-out",
        pk="@imported.pk",
        POST=own("manager", ok=302).but({"viewer": 403, "adjudicator": 403, "superuser": 403}),
    ),
    row(
        "transfer-names",
        pk="@imported.pk",
        POST=own("manager", ok=302).but({"viewer": 403, "adjudicator": 403, "superuser": 403}),
    ),
    # It is over: nothing of it can be cancelled.
    row("cancel", pk="@exported.pk", POST=own("viewer", *MANAGE_WORK, ok=302).but({"adjudicator": 403}), unseen=True),
    row("discard", pk="@exported.pk", POST=own("viewer", *MANAGE_WORK, ok=302).but({"adjudicator": 403})),
    row("transfer-file", pk="@taken.pk", GET=own(*SEE_RESULTS)),
    again("transfer-file", pk="@imported.pk", GET=own(*MANAGE_WORK).but({"viewer": 403, "adjudicator": 403})),
]


def is_for_results(page: ResultPage[Any]) -> bool:
    """Return whether everybody who sees results sees the page; others have rows of their own."""
    return page.uses_answers and page.right == Right.SEE_RESULTS and not page.about_models


AGREEMENT = [
    *(row(page.route, GET=results()) for page in RESULT_PAGES if is_for_results(page)),
    row("agreement-headline", GET=results()),
    # Who codes is told of models as of a page that is not there; pyramids have none.
    row("agreement-models", GET=who(SEE_RESULTS, members=404)),
    again("agreement-models", OF_PYRAMIDS, GET=who((), members=404)),
    row("gold", GET=discussing()),
    again("gold", OF_PYRAMIDS, GET=discussing()),
    again("gold", OF_AGREED, GET=discussing()),
    again("datasheet", OF_PYRAMIDS, GET=results()),
    *(again(name, OF_AGREED, GET=results()) for name in ("agreement", "items", "item")),
    row("set-round", GET=managers(), POST=managers(302, {"texts": ["@text.pk"], "round": "pilot"})),
    row("save-mapping", POST=managers(302, {"name": "m", "merge": "@category.key:none"})),
    row("computation", pk="@computation.pk", GET=results()),
    *(row(name, OF_PYRAMIDS, GET=results()) for name in ("scores", "study", "scus", "peers")),
    row("remark", POST=discussing(302, {"body": "Why?"})),
    row("withdraw-remark", pk="@remark.pk", POST=who(["manager"], 302).but({"adjudicator": 404, "superuser": 404})),
    again("remark", OF_AGREED, POST=discussing(302, {"body": "Why?"})),
    row("flag", POST=discussing(302, {"on": "1"})),
    row("resolve-flag", PARAMETERS | {"key": "@markable.key"}, POST=discussing(302)),
    row("flags", GET=discussing()),
]

API = [
    row("api-projects", GET=signed_in(), POST=permitted(201, {"slug": "new-one", "title": "T", "scheme": "muc-ident"})),
    row("api-project", GET=members(), PATCH=managers(200, {"title": "New"}), DELETE=managing_work(400)),
    row("api-project-archived", PUT=managers(), DELETE=managers(), unseen=True),  # it is open
    row("api-clones", POST=managers(403, {"title": "Copy", "slug": "new-one"}).but({"superuser": 201})),
    row(
        "api-scheme",
        GET=members(),
        PUT=managers(400, {"answers": "pointers", "levels": [], "categories": []}),  # what asks nobody anything
        PATCH=managers(200, {"coders_mark": ["@level.key"]}),
    ),
    row(
        "api-scheme-preview",
        POST=managers(200, {"answers": "pointers", "levels": [], "categories": []}),
        unseen=True,  # it writes nothing
    ),
    row("api-scheme-export", GET=members()),
    row("api-scheme-read", POST=managers(400, {"file": upload}), unseen=True),  # it is no scheme
    row("api-scheme-versions", GET=members()),
    row("api-scheme-version", foreign=False, GET=members()),
    row("api-scheme-version-undo", foreign=False, POST=managing_work(400)),  # it merged nothing
    row("api-guidelines-versions", GET=members()),
    row("api-questions", annotates=True, GET=members(), POST=coding(ok=201, body={"text": "@text.slug", **ASKED})),
    row("api-question", GET=asking()),
    row("api-replies", POST=asking(ok=201, body={"body": "Why?"})),
    row("api-members", GET=managers(), POST=managers(201, {"username": "@outsider.username", "role": "viewer"})),
    row("api-member", GET=managers(), PATCH=managers(200, {"role": "adjudicator"}), DELETE=managers(204)),
    row("api-models", GET=managing_work(), POST=managing_work(201, {"name": "gpt"})),
    row("api-model", at=PARAMETERS | {"username": "@model.membership.user.username"}, GET=managing_work()),
    row(
        "api-model-key",
        at=PARAMETERS | {"username": "@model.membership.user.username"},
        POST=managing_work(201, {}),
        DELETE=managing_work(204),
        unseen=True,  # a key in the place of another one
    ),
    row("api-invitations", GET=managers(), POST=managers(201, {"role": "viewer"})),
    row("api-invitation", pk="@invitation.pk", DELETE=managers(204)),
    row(
        "api-codings", GET=members(), POST=managers(200, {"texts": ["@text.slug"], "coders": ["@adjudicator.username"]})
    ),
    row("api-hours", GET=results()),
    row("api-plans", GET=managers(), POST=managers(200, {"design": "all", "round": "main", "apply": True})),
    row("api-repeats", POST=managing_work(200, {"share": 0.5, "round": "main", "apply": True})),
    row("api-pool", GET=members(), POST=members(400), unseen=True),  # no pool is there
    *(row(f"api-{name}", GET=results()) for name in ("markables", "judgements", "all-operations", "tasks")),
    row("api-rounds", GET=reading_texts(), POST=managers(201, {"name": "new-one"})),
    row("api-round", GET=reading_texts(), PATCH=managers(200, {"kind": "pilot"}), DELETE=managing_work(204)),
    row("api-gold", OF_TRAINING, POST=discussing(201, {"text": "@drill.slug"})),
    row(
        "api-hand-on-gold",
        OF_TRAINING,
        POST=discussing(200, {"text": "@drill.slug", "adjudicator": "@manager.username"}),
    ),
    row("api-training", OF_TRAINING, GET=own("other coder", *DISCUSS)),
    row(
        "api-training-decisions",
        OF_TRAINING,
        POST=managing_work(201, {"coder": "@coder.username", "outcome": "passed", "reason": "Known."}),
    ),
    row("api-training-next", OF_TRAINING, annotates=True, POST=members(400), unseen=True),  # nobody has a text to take
    row("api-feedback", OF_TRAINING | {"text": "@drill.slug"}, annotates=True, GET=own("other coder")),
    row("api-decisions", GET=discussing()),
    row("api-own-gold", GET=discussing()),
    row("api-gold-states", GET=discussing(), POST=discussing(200, {"method": "most", "early": True})),
    again("api-gold-states", POST=discussing(409, {"method": "most"}), unseen=True),  # some have not submitted yet
    row("api-round-texts", POST=managers(200, {"add": ["@text.slug"]})),
    row("api-texts", GET=members()),
    row("api-text-corrections", POST=managing_work(200, {"content": "Other words.", "preview": True}), unseen=True),
    row(
        "api-text",
        GET=members(),
        PATCH=managers(200, {"round": "pilot"}),
        DELETE=managing_work(400),  # somebody has begun it
    ),
    row("api-coding", annotates=True, GET=coding(), PATCH=coding(body={"status": "submitted"})),
    row(
        "api-coding-of",
        GET=own("other coder", *SEE_RESULTS),
        PATCH=managing_work(200, {"status": "open"}),
        DELETE=managing_work(400),  # begun
    ),
    row(
        "api-agreed-coding-of",
        OF_DONE,
        GET=own(*SEE_RESULTS),
        PATCH=managing_work(200, {"status": "open"}),
        DELETE=managing_work(400),
    ),
    row(
        "api-operations",
        annotates=True,
        GET=coding(),
        POST=own("coder", ok=200, body=JUDGED).but({"other coder": 409, BOTH: 400}),
    ),
    row(
        "api-coding-agreed",
        OF_AGREED,
        annotates=True,
        GET=own("adjudicator"),
        PATCH=own("adjudicator", body={"status": "submitted"}),
    ),
    row(
        "api-operations-agreed",
        OF_AGREED,
        annotates=True,
        GET=own("adjudicator"),
        POST=own("adjudicator", body=operations(1, "describe", scu="sank", label="It sank")),
    ),
    row("api-coding-gold", OF_TRAINING, annotates=True, GET=deciding(), PATCH=deciding(200, {"status": "submitted"})),
    row("api-operations-gold", OF_TRAINING, annotates=True, GET=deciding(), POST=deciding(200, JUDGED_GOLD)),
    row("api-agreed-queue", OF_AGREED, GET=deciding()),
    row("api-gold-queue", OF_TRAINING, GET=deciding()),
    row(
        "api-docsets",
        OF_PYRAMIDS,
        GET=members(),
        POST=managers(201, {"slug": "rain", "title": "Rain", "summaries": list(TWO)}),
    ),
    row("api-docset", OF_PYRAMIDS, GET=members()),
    row("api-docset-pyramids", OF_PYRAMIDS, GET=members()),
    row(
        "api-docset-peers",
        OF_PYRAMIDS,
        GET=members(),
        POST=managers(201, {"peers": [{"name": "p", "content": "Rain fell."}]}),
    ),
    row(
        "api-docset-assignments",
        OF_PYRAMIDS,
        POST=managers(200, {"coders": ["@other.username"], "peers": ["@peer.slug"]}),
    ),
    row(
        "api-docset-agreed",
        OF_PYRAMIDS,
        POST=discussing(201, {"coder": "@other.username", "adjudicator": "@adjudicator.username"}),
        PUT=managers(400, {"adjudicator": "@adjudicator.username"}),
    ),
    again("api-docset-agreed", OF_AGREED, PUT=managers(200, {"adjudicator": "@next.username"})),
    row("api-transfers", GET=results()),
    row("api-imports", takes=("coder", "predefined"), POST=managing_work(201, FILE)),
    row(
        "api-exports",
        POST=results(201, {"format": "jsonlines", "coders": ["@other.username"], "texts": ["@text.slug"]}),
    ),
    row("api-archives", POST=permitted(201, {"file": upload})),
    row(
        "api-transfer",
        pk="@exported.pk",
        GET=own(*SEE_RESULTS),
        DELETE=own("viewer", *MANAGE_WORK, ok=204).but({"adjudicator": 403}),
    ),
    row(
        "api-carry-out",
        pk="@exported.pk",
        POST=own("viewer").but({"adjudicator": 403, "manager": 403, "superuser": 403}),
    ),
    row("api-cancel", pk="@exported.pk", POST=own("viewer", *MANAGE_WORK, ok=409).but({"adjudicator": 403})),
    row("api-transfer-file", pk="@taken.pk", GET=own(*SEE_RESULTS)),
    # Without two that are to be compared there is no answer.
    *(
        row(page.api_route, GET=results(400 if page.name in ("coreference", "difference") else 200))
        for page in ENDPOINTS
        if is_for_results(page)
    ),
    # Without a model that has coded there is nothing to compare.
    row("api-agreement-models", GET=who(SEE_RESULTS, 400, members=404)),
    row("api-agreement-gold", GET=discussing()),
    again("api-agreement-gold", OF_PYRAMIDS, GET=discussing()),
    again("api-agreement-gold", OF_AGREED, GET=discussing()),
    *(row(f"api-{name}", OF_PYRAMIDS, GET=results()) for name in ("scores", "study", "scus", "peers")),
    row("api-remarks", GET=discussing(), POST=discussing(201, {"body": "Why?"})),
    again("api-remarks", OF_AGREED, POST=discussing(201, {"body": "Why?"})),
    row("api-remark", pk="@remark.pk", DELETE=who(["manager"], 204).but({"adjudicator": 404, "superuser": 404})),
    row("api-flag", unseen=True, GET=discussing(), PUT=discussing(), DELETE=discussing(204)),
    again("api-flag", PUT=discussing()),
    again("api-flag", PARAMETERS | {"key": "@markable.key"}, DELETE=discussing(204)),
    row("api-mappings", GET=results(), POST=managers(201, {"name": "m", "classes": {"@category.key": "none"}})),
    *(row(f"api-{name}", GET=results()) for name in ("table-pages", "tables", "table")),
    row("api-schema", GET=public(), OPTIONS=public(), refused=public(405)),
    row("api-docs", GET=public(), OPTIONS=public(405), refused=public(405)),
    row("api-redoc", GET=public(), OPTIONS=public(), refused=public(405)),
]

AREAS = {"pages": PAGES, "agreement": AGREEMENT, "api": API}
