"""What pages report to the console: errors that no script caught, and what the browser could not load or refused."""

from __future__ import annotations

import re
from collections.abc import Iterable

from playwright.sync_api import BrowserContext, ConsoleMessage, WebError


class ErrorLog:
    """The errors that the pages of some browser contexts report."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def follow(self, context: BrowserContext) -> None:
        """Note what any page of the context reports from now on."""
        context.on("weberror", self._note_exception)
        context.on("console", self._note_message)

    def _note_exception(self, error: WebError) -> None:
        self.errors.append(f"{error.error} (on {error.page.url if error.page else 'a closed page'})")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location['url']})")

    def unexpected(self, patterns: Iterable[str]) -> list[str]:
        """Return the errors in which none of the regular expressions is found."""
        expected = [re.compile(pattern) for pattern in patterns]
        return [error for error in self.errors if not any(pattern.search(error) for pattern in expected)]
