"""What page, API and command say of a project, each under the address at which it is said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from annotations.models import Project, User
from tests.agreement.golden.addresses import (
    API,
    FORMS,
    OF_PYRAMIDS,
    OTHER_PAGES,
    PAGES,
    WRONG,
    WRONG_FILES,
    Asked,
    commands,
    queries_of_api,
    queries_of_page,
)
from tests.agreement.golden.collapsing import MOST_PARTS, collapse, digest, shorten
from tests.agreement.golden.pages import as_printed, read_page, table_keys
from tests.agreement.golden.storing import settle

type Recorded = dict[str, Any]
type Answer = Any  # what the client of tests returns has a class of its own

# What differs between two runs of the same program, by name.
VARYING = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uuid>"),
    (re.compile(r"(/(?:remarks|computations|tasks)/)\d+"), r"\1<number>"),
    (re.compile(r"Coindex \d+\.\d+\.\d+\S*"), "Coindex <version>"),
    (re.compile(r"(\dT\d\d:\d\d:\d\d)\.\d+"), r"\1"),
    (re.compile(r"https?://(?:testserver|localhost)\b"), "<server>"),
)
# Fields of the API that are numbers of rows.
ROW_NUMBERS = ("id",)
# How many items have their own page recorded, and which: the first, and some others on the first page of the API.
PLACES_OF_ITEMS = (0, 1, 20)
# Of longer lists the first are written, of all others a digest.
MOST_ROWS = 32
MOST_LINES = 16


class Recorder:
    """Asks for everything that one reader is shown of a project."""

    def __init__(self, slug: str, asked: Asked) -> None:
        self.slug, self.asked = slug, asked
        self.files: dict[str, Recorded] = {"pages": {}, "tables": {}, "api": {}, "command": {}}
        self.plain: dict[tuple[str, str], Any] = {}

    def record(self, manager: str) -> dict[str, Recorded]:
        """Return what is said by page, in tables, by the API and by the commands."""
        client = signed_in(manager)
        for name, path in PAGES.items():
            if name in OF_PYRAMIDS and self.asked.answers != "scus":
                continue
            self._page_with_tables(client, name, path)
        for path in OTHER_PAGES:
            self._page(client, path)
        for one, other in self._pairs():
            path = f"agreement/coders/{one}/{other}/"
            self._page_with_tables(client, "pair", path, f"first={one}&second={other}")
            for text in self.asked.texts[:1]:
                self._page(client, path, f"text={text}")
        self._api_lists(client)
        self._items(client)
        if self.asked.full:
            self._wrong(client)
        for arguments in commands(self.asked, self.slug):
            self._command(arguments)
        if self.asked.reader:
            self._as_coder(self.asked.reader)
        return self.files

    def record_pages(self, manager: str) -> Recorded:
        """Return what each page says that is asked for nothing."""
        client = signed_in(manager)
        for name, path in PAGES.items():
            if name not in OF_PYRAMIDS or self.asked.answers == "scus":
                self._page(client, path)
        self._api(client, "tasks/", file="pages")
        return self.files["pages"]

    def _pairs(self) -> list[tuple[str, str]]:
        return [self.asked.coders[:2]] if len(self.asked.coders) > 1 else []  # type: ignore[list-item]

    def _page_with_tables(self, client: Client, name: str, path: str, parts: str = "") -> None:
        """Record a page with each query, and of that without any each of its tables as a file."""
        answer = self._page(client, path)
        for query in () if parts else queries_of_page(name, self.asked):
            self._page(client, path, query)
        keys = table_keys(answer.content) if answer.status_code == 200 else []
        for key in keys:
            self._table(client, path, key, "json")
        for form in FORMS:
            for key in keys[:1]:
                self._table(client, path, key, form)
        self._api(client, f"agreement/tables/{name}/", parts, "tables")
        for key in keys[:1]:
            self._api(client, f"agreement/tables/{name}/{key}/", parts, "tables")
            self._api(client, f"agreement/tables/{name}/{key}/", "&".join(filter(None, [parts, "form=csv"])), "tables")

    def _page(self, client: Client, path: str, query: str = "", reader: str = "") -> Answer:
        answer = client.get(f"/projects/{self.slug}/{_with(path, query)}")
        self._keep("pages", reader, path, query, answer)
        return answer

    def _table(self, client: Client, path: str, key: str, form: str) -> None:
        query = f"as={form}&table={key}"
        answer = client.get(f"/projects/{self.slug}/{_with(path, query)}")
        said = _say(answer)
        self.files["tables"][_with(path, query)] = shorten(said, MOST_ROWS if form == "json" else MOST_LINES)

    def _api(self, client: Client, path: str, query: str = "", file: str = "api", reader: str = "") -> None:
        answer = client.get(f"/api/v1/projects/{self.slug}/{_with(path, query)}")
        self._keep(file, reader, f"api/{path}", query, answer)

    def _keep(self, file: str, reader: str, path: str, query: str, answer: Answer) -> None:
        """Keep what is said at an address: with a query what is not said without, and the first of long lists."""
        said = _say(answer)
        plain = self.plain.setdefault((file, path), said)
        if answer.status_code != 200:
            said = said | {"says": _beside(said["says"], plain)}
        elif query or reader:
            said = _beside(as_printed(said), as_printed(plain), MOST_ROWS) if file == "pages" else _beside(said, plain)
        elif file == "pages" and path != "agreement/" and "settings" in said:
            settings = self.plain["pages", "agreement/"]["settings"]
            said = shorten(said | {"settings": collapse(said["settings"], settings)}, MOST_ROWS)
        else:
            said = shorten(said, MOST_ROWS)
        self.files[file][reader + _with(path, query)] = said

    def _command(self, arguments: tuple[str, ...]) -> None:
        """Keep what a command prints: with choices what it prints besides what it prints without."""
        said = _run(arguments)
        report = arguments[3] if "--report" in arguments else ""
        plain = self.plain.setdefault((report, "json" if "json" in arguments else ""), said)
        for file, path in self.plain if "json" in arguments else ():
            if file == "api" and digest(self.plain[file, path]) == digest(said):
                said = {"as": path}
        self.files["command"][" ".join(arguments)] = shorten(said, MOST_ROWS) if said is plain else _beside(said, plain)

    def _api_lists(self, client: Client) -> None:
        for path in API:
            self._api(client, path)
            for query in queries_of_api(path, self.asked):
                self._api(client, path, query)

    def _items(self, client: Client) -> None:
        for path, query in self._addresses_of_items(client):
            self._page_with_tables(client, "item", path) if not query else self._page(client, path, query)
            self._page(client, path, "view=columns")
            self._api(client, path, query)
            for own in ("remarks/", "flag/"):
                self._api(client, path + own)

    def _addresses_of_items(self, client: Client) -> Iterator[tuple[str, str]]:
        answer = client.get(f"/api/v1/projects/{self.slug}/agreement/items/")
        found = answer.json().get("results", []) if answer.status_code == 200 else []
        for place in PLACES_OF_ITEMS:
            if place < len(found):
                yield f"agreement/items/{found[place]['text']}/{found[place]['key']}/", ""

    def _wrong(self, client: Client) -> None:
        for path, query in WRONG:
            if path.split("/")[1] in OF_PYRAMIDS and self.asked.answers != "scus":
                continue
            self._page(client, path, query)
            if path in API:
                self._api(client, path, query)
        for query in WRONG_FILES:
            self._page(client, "agreement/", query)
        for path in ("agreement/tables/ghost/", "agreement/tables/agreement/ghost/"):
            self._api(client, path)
        self._api(client, "agreement/data/", "form=ghost")

    def _as_coder(self, name: str) -> None:
        """Record what a coder is shown while the results are closed, and when they are open."""
        client = signed_in(name)
        self._seen_by_coder(client, f"{name}, closed: ", ("agreement/", "agreement/gold/", "datasheet/"))
        Project.objects.filter(slug=self.slug).update(results_open=True)
        paths = [*PAGES.values(), *OTHER_PAGES]
        self._seen_by_coder(client, f"{name}, open: ", paths)

    def _seen_by_coder(self, client: Client, reader: str, paths: Any) -> None:
        for path in paths:
            if path.split("/")[1] in OF_PYRAMIDS and self.asked.answers != "scus":
                continue
            self._page(client, path, reader=reader)
            if path in API:
                self._api(client, path, reader=reader)


def signed_in(name: str) -> Client:
    """Return a client in which the person is signed in; where the program fails, it is answered as in a browser."""
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(username=name))
    return client


def _with(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def _beside(said: Any, plain: Any, most: int = MOST_PARTS) -> Any:
    """Return what is said besides the plain answer: of settings what is not there, of other charts a digest.

    The figures of a chart are in its table, too.
    """
    if not isinstance(said, dict) or not isinstance(plain, dict):
        return shorten(collapse(said, plain), most)
    if "settings" in said:
        known = set(plain.get("settings", ()))
        said = said | {"settings": [line for line in said["settings"] if line not in known]}
    if "charts" in said:
        others = plain.get("charts", {})
        digests = {name: digest(chart) for name, chart in said["charts"].items()}
        same = {name for name, one in digests.items() if one == digest(others.get(name))}
        said = said | {"charts": {name: "as without" if name in same else one for name, one in digests.items()}}
    return shorten(collapse(said, plain), most)


def _say(answer: Answer) -> Any:
    """Return what an answer says, with its status where that is not 200."""
    said = settle(_without_varying(_content(answer)))
    if answer.status_code == 200:
        return said
    found = {"status": answer.status_code, "says": said}
    return found | ({"location": answer["Location"]} if answer.has_header("Location") else {})


def _content(answer: Answer) -> Any:
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    if kind == "text/html" and answer.content.strip():
        return read_page(answer.content)
    if kind.endswith("json"):
        return json.loads(answer.content)
    return answer.content.decode()


def _run(arguments: tuple[str, ...]) -> Any:
    out = StringIO()
    try:
        call_command(*arguments, stdout=out)
    except CommandError as error:
        return {"refused": settle(_without_varying(str(error)))}
    except Exception as error:  # recorded as the status 500 of a page is
        return {"breaks": type(error).__name__}
    said = out.getvalue()
    return settle(_without_varying(json.loads(said) if "json" in arguments else said))


def _without_varying(value: Any) -> Any:
    if isinstance(value, str):
        for pattern, name in VARYING:
            value = pattern.sub(name, value)
        return value
    if isinstance(value, dict):
        return {
            _without_varying(name): "<number>"
            if name in ROW_NUMBERS and isinstance(one, int)
            else _without_varying(one)
            for name, one in value.items()
        }
    return [_without_varying(one) for one in value] if isinstance(value, list) else value
