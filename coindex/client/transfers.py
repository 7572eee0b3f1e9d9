"""Files in and out: an order is checked first, then carried out; the client waits for both."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import httpx

from coindex.client.answers import Transfer
from coindex.client.connection import address_of, in_project, without_nothing
from coindex.client.errors import ApiError, ClientError, TransferFailed
from coindex.client.frames import Lists, Rows

type Progress = Callable[[Transfer], object]
BETWEEN_LOOKS = 0.2, 5.0  # seconds: the first, and the most
HOUR = 3600.0
AT_WORK = frozenset({"checking", "running"})


class Transfers(Lists):
    """Imports, exports and archives. `timeout` is how many seconds are waited for the worker, at each of the two steps.

    `progress` is called with each state that is seen: `state`, `done` and `total` say how far it is.
    """

    def import_texts(self, project: str, texts: Mapping[str, str], **choices: Any) -> Transfer:
        """Make texts of their names and contents. In the format `plain` they have `[markables]` in square brackets.

        `choices` are those of `import_files`.
        """
        files = [(f"{name}.txt", content.encode()) for name, content in texts.items()]
        return self.import_files(project, files, **{"format": "text", "whose": "nobody", **choices})

    def import_files(
        self,
        project: str,
        files: Iterable[str | os.PathLike[str] | tuple[str, bytes]],
        *,
        format: str | None = None,
        timeout: float = HOUR,
        progress: Progress | None = None,
        **choices: Any,
    ) -> Transfer:
        """Bring files in, by their paths or as pairs of a name and its bytes, and return the import with its report.

        `choices` are those of the page, such as `whose`, `coder`, `round`, `predefined` or `create`; an option of a
        format is `options={"KEY": VALUE}`.
        """
        order = self.order_import(project, files, format=format, **choices)
        checked = self.wait(order["id"], timeout=timeout, progress=progress)
        return self.carry_out(checked["id"], timeout=timeout, progress=progress)

    def order_import(
        self,
        project: str,
        files: Iterable[str | os.PathLike[str] | tuple[str, bytes]],
        *,
        format: str | None = None,
        **choices: Any,
    ) -> Transfer:
        """Order the check of an import, which changes nothing, and return it: `wait` for its report."""
        return self._order(in_project(project, "imports"), _fields(choices | {"format": format}), "files", files)

    def export(
        self,
        project: str,
        format: str,
        to: str | os.PathLike[str],
        *,
        timeout: float = HOUR,
        progress: Progress | None = None,
        **choices: Any,
    ) -> Path:
        """Write the codings of a project into a zip; `project` as format is the archive of everything.

        `choices` are those of the page, such as `coders`, `texts`, `rounds`, `unfinished` or `gold`.
        """
        order = self.order_export(project, format, **choices)
        checked = self.wait(order["id"], timeout=timeout, progress=progress)
        done = self.carry_out(checked["id"], timeout=timeout, progress=progress)
        return self.transfer_file(done["id"], to)

    def order_export(self, project: str, format: str, **choices: Any) -> Transfer:
        """Order the check of an export, and return it: its report has what would be lost."""
        path, fields = in_project(project, "exports"), _fields(choices | {"format": format})
        return cast(Transfer, self.request("POST", path, json=fields, repeatable=True).json())

    def restore(
        self,
        archive: str | os.PathLike[str],
        *,
        project: str | None = None,
        timeout: float = HOUR,
        progress: Progress | None = None,
    ) -> Transfer:
        """Make a project of an archive, under the address that it had or under another."""
        order = self._order("archives/", without_nothing({"slug": project}), "file", [archive])
        checked = self.wait(order["id"], timeout=timeout, progress=progress)
        return self.carry_out(checked["id"], timeout=timeout, progress=progress)

    def transfers(self, project: str, **filters: Any) -> Rows[Transfer]:
        """Return the imports and exports of a project, the latest first: `kind`, `format` and `state` filter them."""
        return self.rows_in(project, "transfers", row_type=Transfer, **filters)

    def transfer(self, transfer: int) -> Transfer:
        """Return an import or export: its report, and how far it is."""
        return cast(Transfer, self.get(address_of("transfers", transfer)))

    def transfer_file(self, transfer: int, to: str | os.PathLike[str]) -> Path:
        """Write the file of an import or export."""
        return self.download(address_of("transfers", transfer, "file"), to)

    def forget_transfer(self, transfer: int) -> None:
        """Delete an import or export with its file; what it has done stays."""
        self.request("DELETE", address_of("transfers", transfer))

    def cancel_transfer(self, transfer: int) -> Transfer:
        """Break off what waits for a worker or is worked on."""
        return cast(Transfer, self.request("POST", address_of("transfers", transfer, "cancel")).json())

    def carry_out(self, transfer: int, *, timeout: float = HOUR, progress: Progress | None = None) -> Transfer:
        """Do what was checked, which is done once, and return it when it is done. Raise TransferFailed."""
        try:
            self.request("POST", address_of("transfers", transfer, "carry-out"), repeatable=True)
        except ApiError as error:
            # Sent again after an answer was lost: it is at work already, or done.
            if error.code != "not_checked" or self.transfer(transfer)["state"] not in {*AT_WORK, "done"}:
                raise
        return self.wait(transfer, timeout=timeout, progress=progress)

    def wait(self, transfer: int, *, timeout: float = HOUR, progress: Progress | None = None) -> Transfer:
        """Wait until it is not worked on, and return it. Raise TransferFailed, or ClientError after `timeout`."""
        ends_at, (between, longest) = time.monotonic() + timeout, BETWEEN_LOOKS
        while True:
            found = self.transfer(transfer)
            if progress is not None:
                progress(found)
            if found["state"] == "failed":
                raise TransferFailed(found)
            if found["state"] not in AT_WORK:
                return found
            if time.monotonic() + between > ends_at:
                raise ClientError(
                    f"The {found['kind']} {transfer} is still at work after {timeout:g} s ({found['done']} of "
                    f"{found['total'] or '?'}). It goes on: `wait({transfer})` again, or `cancel_transfer({transfer})`."
                )
            time.sleep(between)
            between = min(between * 1.5, longest)

    def _order(
        self, path: str, fields: dict[str, Any], name: str, files: Iterable[str | os.PathLike[str] | tuple[str, bytes]]
    ) -> Transfer:
        """Send files with the fields of an order. It may be sent twice: nothing is changed before it is carried out."""
        with ExitStack() as stack:
            parts: list[Any] = []
            for file in files:
                if isinstance(file, tuple):
                    parts.append((name, file))
                else:
                    found = Path(file)
                    parts.append((name, (found.name, stack.enter_context(found.open("rb")))))
            answer: httpx.Response = self.request("POST", path, data=fields, files=parts, repeatable=True)
        return cast(Transfer, answer.json())


def _fields(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an order: an option of a format is `option-KEY`; a box that is not ticked is left out."""
    options: Mapping[str, Any] = choices.get("options") or {}
    fields = {name: value for name, value in choices.items() if name != "options" and value not in (None, False)}
    fields |= {f"option-{key}": value for key, value in options.items()}
    return {name: _sent(value) for name, value in fields.items()}


def _sent(value: Any) -> Any:
    if value is True:
        return "true"
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
