"""A world whose user input and imported files contain hostile markup."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import CharField, F, Value
from django.db.models.functions import Cast, Concat
from lxml import html

from agreement.models import Computation, Mapping, Remark
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import (
    SCU,
    Category,
    Docset,
    Index,
    Invitation,
    Judgement,
    Level,
    Markable,
    Project,
    Segment,
    Text,
    Token,
    Transfer,
    User,
)
from annotations.transfers import orders
from tests.access.role_asking import World
from tests.access.role_world import HERE
from tests.shared.coding import judge
from tests.shared.projects import DIALOGUE
from tests.shared.pyramids import SUMMARIES, contributor, says, send
from tests.shared.schemes import change_rows

# Where all of it came in.
NAMED: set[str] = set()


def payload(name: str) -> str:
    """Return text that ends an attribute, an element, a script and a comment, and runs code; `name` is its source."""
    NAMED.add(name)
    return f"x xss-{name}=0 \"' xss-{name}=1><img src onerror=xss()></script><!--"


def short_payload(name: str) -> str:
    """Return shorter hostile text without a slash, for places with little room."""
    NAMED.add(name)
    return f"\"'><img xss-{name} src onerror=xss()>"


# Where a text, a summary and a peer say it themselves.
NAMES = SimpleNamespace(
    **{
        **vars(HERE),
        "marked": DIALOGUE.replace("hot?", f"hot? [{payload('words')}](z)"),
        "summaries": [(name, f"{content} {payload('summary')}") for name, content in SUMMARIES],
    }
)
CONLL = """\
#begin document ({name}); part 000
d 0 0 Anna NNP - - - - - - (1)
d 0 1 her PRP - - - - - - (2)

#end document
"""


def poisoned() -> World:
    """Make the world of the roles with hostile text in everything that users can write, past all checks."""
    world = World(NAMES)
    here = world.here
    _judge_all(here)
    Project.objects.update(title=payload("title"), guidelines=GUIDELINES)
    change_rows(Level.objects.all(), label=payload("level"))
    change_rows(Category.objects.all(), label=payload("category"))
    Text.objects.update(title=payload("text"), language=short_payload("lang"), system=payload("system"))
    Segment.objects.update(label=short_payload("segment"), speaker=payload("speaker"))
    Markable.objects.filter(level__coded=True).update(label=short_payload("label"))
    Judgement.objects.update(note=payload("note"), name=payload("chain"))
    # The name of an SCU is the index that its contributors carry.
    Index.objects.update(entity=Concat(Value(payload("index")), F("entity")))
    SCU.objects.update(key=Concat(Value(payload("index")), F("key")), label=payload("scu"), comment=payload("comment"))
    Docset.objects.update(title=payload("docset"))
    Token.objects.update(name=payload("key"), prefix="<img src=x")
    Invitation.objects.update(note=payload("whom"))
    Remark.objects.update(body=payload("remark"))
    Mapping.objects.create(
        project=here.project, name=short_payload("mapping"), classes={"place": payload("class")}, author=here.manager
    )
    Computation.objects.update(error=payload("computation"), finished_at=None)
    User.objects.update(
        username=Concat(Value(short_payload("user")), Cast("pk", CharField())),
        first_name=short_payload("first"),
        last_name=short_payload("last"),
    )
    _poison_transfers(here)
    for value in (*vars(here).values(), *world.roles.values()):
        if isinstance(value, User):
            value.refresh_from_db()
    return world


GUIDELINES = f"""\
# {payload("guidelines")}

[link](javascript:xss()) ![image](x{payload("image")}) <img src=x onerror=xss-html> [out](https://example.org/?xss-out=1)

`{payload("code")}`
"""


def _judge_all(here: SimpleNamespace) -> None:
    """Let coders judge the hostile words differently, and make such words a contributor of a pyramid."""
    here.hostile = here.text.markables.get(label="z")
    key = here.hostile.key
    judge(here.coding, key, "place")
    for coding, category in ((here.handed_in, "none"), (here.compared, "place")):
        reopen_coding(coding, here.manager)
        coding.refresh_from_db()
        judge(coding, key, category)
        submit_coding(coding, coding.coder)
    send(here.pyramid, says(contributor(here.models, payload("summary")), "evil"))


def _poison_transfers(here: SimpleNamespace) -> None:
    """Order imports of hostile files, and put hostile text into the reports of transfers."""
    bring = {"coder_from": "nobody", "predefined": False, "create": True, "options": {}}
    first, second = CONLL.format(name=short_payload("document").replace("()", "``")), CONLL.format(name="two")
    for name, content, more in (
        ("twice", first * 2, {}),
        ("token", second.replace("(2)", f"({payload('token')}".replace(" ", "/")), {}),
        ("stranger", second, {"coder_from": f"={short_payload('coder')}"}),
    ):
        file = SimpleUploadedFile(f"{short_payload('file')}.conll", content.encode())
        setattr(here, name, orders.order_import(here.project, here.manager, [file], "conll2012", bring | more))
    found = here.imported.report | {
        "new_coders": [payload("newcoder")],
        "failures": [{"message": payload("failure")}],
        "odd": [{"count": 2, "places": [payload("place"), payload("elsewhere")]}],
        "left_out": [payload("leftout")],
        "summary": payload("summed"),
    }
    Transfer.objects.filter(pk=here.imported.pk).update(report=found)
    lost = {"what": payload("loss"), "count": 1, "examples": [payload("example")]}
    Transfer.objects.filter(pk=here.exported.pk).update(report=here.exported.report | {"losses": [lost]})


# From where a page loads something, or to where it sends.
LOADED = ("href", "src", "action", "formaction", "data", "poster", "background", "ping", "manifest")


def find_injected(page: str) -> list[str]:
    """Return all hostile parts of the page: parse it as browsers do, and do not search its text."""
    found = []
    for element in html.document_fromstring(page).iter():
        if not isinstance(element.tag, str):
            found.append(f"a comment {html.tostring(element)[:200]!r}")
            continue
        for name, value in element.attrib.items():
            if "xss" in name or name.startswith("on") or name in ("srcdoc", "style"):
                found.append(f"{element.tag} has the attribute {name}={value[:100]!r}")
            given = name == "href" and element.tag == "a" and value.startswith("https://example.org/")
            if name in LOADED and not given and is_external(value):
                found.append(f"{element.tag} has {name}={value[:100]!r}")
        if element.tag == "script":
            found += _wrong_script(element)
    return found


def is_external(address: str) -> bool:
    """Return whether the address leads elsewhere or runs code; browsers read a backslash as a slash and skip tabs."""
    plain = re.sub(r"[\t\r\n]", "", address).strip().replace("\\", "/")
    return bool(re.match(r"[a-z][-+.a-z0-9]*:|//", plain, re.IGNORECASE))


def _wrong_script(element: html.HtmlElement) -> list[str]:
    """Return errors unless the script is a file of ours, or data that cannot end its element."""
    if element.get("src", "").startswith(("/static/", "/api/v1/docs/")):
        return [] if not (element.text or "").strip() else ["a script with words"]
    if element.get("type") != "application/json":
        return [f"a script {element.text!r:.200}"]
    raw = element.text or ""
    json.loads(raw)
    return [f"data with {bad}" for bad in ("<", ">", "&") if bad in raw]
