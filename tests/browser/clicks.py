"""Counting the clicks that a job takes."""

from __future__ import annotations

from playwright.sync_api import Page


class Clicks:
    """A page with the number of clicks that were made on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def click(self, role: str, name: str) -> None:
        self.page.get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type]
        self.count += 1
