"""Imports and exports: the server checks an order, then carries it out; the client waits for both."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import httpx

from coindex.client.answers import Transfer
from coindex.client.connection import address_of, in_project, without_none
from coindex.client.errors import ApiError, ClientError, TransferFailed
from coindex.client.frames import Lists, Rows

type Progress = Callable[[Transfer], object]
POLL_SECONDS = 0.2, 5.0  # the first and the longest interval
HOUR = 3600.0
ACTIVE_STATES = frozenset({"checking", "running"})


class Transfers(Lists):
    """Imports, exports and archives. `timeout` is the maximum number of seconds to wait, in each of the two steps.

    `progress` is called with each state of the transfer: see its `state`, `done` and `total`.
    """

    def import_texts(self, project: str, texts: Mapping[str, str], **choices: Any) -> Transfer:
        """Create texts from names and contents; in the format `plain`, square brackets mark `[markables]`.

        `choices` are described in `import_files`.
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
        """Import files, given as paths or as pairs of name and bytes, and return the import with its report.

        `choices` are the fields of the page, such as `whose`, `coder`, `round`, `predefined` or `create`; an option of
        a format is `options={"KEY": VALUE}`.
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
        """Order the check of an import, which changes nothing, and return the import; `wait` returns its report."""
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
        """Write the codings of a project into a zip; the format `project` is an archive of all its data.

        `choices` are the fields of the page, such as `coders`, `texts`, `rounds`, `unfinished` or `gold`.
        """
        order = self.order_export(project, format, **choices)
        checked = self.wait(order["id"], timeout=timeout, progress=progress)
        done = self.carry_out(checked["id"], timeout=timeout, progress=progress)
        return self.transfer_file(done["id"], to)

    def order_export(self, project: str, format: str, **choices: Any) -> Transfer:
        """Order the check of an export, and return the export; its report lists the losses."""
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
        """Create a project from an archive, under its own slug or another."""
        order = self._order("archives/", without_none({"slug": project}), "file", [archive])
        checked = self.wait(order["id"], timeout=timeout, progress=progress)
        return self.carry_out(checked["id"], timeout=timeout, progress=progress)

    def transfers(self, project: str, **filters: Any) -> Rows[Transfer]:
        """Return the imports and exports of a project, the latest first; `kind`, `format` and `state` filter them."""
        return self.rows_in(project, "transfers", row_type=Transfer, **filters)

    def transfer(self, transfer: int) -> Transfer:
        """Return an import or export with its report and progress."""
        return cast(Transfer, self.get(address_of("transfers", transfer)))

    def transfer_file(self, transfer: int, to: str | os.PathLike[str]) -> Path:
        """Download the file of an import or export."""
        return self.download(address_of("transfers", transfer, "file"), to)

    def forget_transfer(self, transfer: int) -> None:
        """Delete an import or export with its file; its effects stay."""
        self.request("DELETE", address_of("transfers", transfer))

    def cancel_transfer(self, transfer: int) -> Transfer:
        """Cancel a queued or running transfer."""
        return cast(Transfer, self.request("POST", address_of("transfers", transfer, "cancel")).json())

    def carry_out(self, transfer: int, *, timeout: float = HOUR, progress: Progress | None = None) -> Transfer:
        """Carry out a checked transfer once, and return it when it is done. Raise TransferFailed."""
        try:
            self.request("POST", address_of("transfers", transfer, "carry-out"), repeatable=True)
        except ApiError as error:
            # A repeated request, after a lost answer, finds the transfer in progress or done.
            if error.code != "not_checked" or self.transfer(transfer)["state"] not in {*ACTIVE_STATES, "done"}:
                raise
        return self.wait(transfer, timeout=timeout, progress=progress)

    def wait(self, transfer: int, *, timeout: float = HOUR, progress: Progress | None = None) -> Transfer:
        """Wait until a transfer is no longer active, and return it. Raise TransferFailed, or ClientError on timeout."""
        ends_at, (interval, longest) = time.monotonic() + timeout, POLL_SECONDS
        while True:
            row = self.transfer(transfer)
            if progress is not None:
                progress(row)
            if row["state"] == "failed":
                raise TransferFailed(row)
            if row["state"] not in ACTIVE_STATES:
                return row
            if time.monotonic() + interval > ends_at:
                raise ClientError(
                    f"The {row['kind']} {transfer} is still at work after {timeout:g} s ({row['done']} of "
                    f"{row['total'] or '?'}). It goes on: `wait({transfer})` again, or `cancel_transfer({transfer})`."
                )
            time.sleep(interval)
            interval = min(interval * 1.5, longest)

    def _order(
        self, path: str, fields: dict[str, Any], name: str, files: Iterable[str | os.PathLike[str] | tuple[str, bytes]]
    ) -> Transfer:
        """Send files with the fields of an order. Repeating it is safe: nothing changes before it is carried out."""
        with ExitStack() as stack:
            parts: list[Any] = []
            for file in files:
                if isinstance(file, tuple):
                    parts.append((name, file))
                else:
                    path_ = Path(file)
                    parts.append((name, (path_.name, stack.enter_context(path_.open("rb")))))
            answer: httpx.Response = self.request("POST", path, data=fields, files=parts, repeatable=True)
        return cast(Transfer, answer.json())


def _fields(choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an order: format options become `option-KEY`, unticked boxes are left out."""
    options: Mapping[str, Any] = choices.get("options") or {}
    fields = {name: value for name, value in choices.items() if name != "options" and value not in (None, False)}
    fields |= {f"option-{key}": value for key, value in options.items()}
    return {name: _sent(value) for name, value in fields.items()}


def _sent(value: Any) -> Any:
    if value is True:
        return "true"
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
