"""The benchmark of adjudication counts the keys that settle a queue."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest
from playwright.sync_api import Page, expect

from agreement.measures import cards, consensus
from annotations.adjudication.queue import Kind, build_queue
from benchmarks.adjudication import Parts, Row, as_data, count_decisions, find_parts, simulate
from benchmarks.data.documents import marked_text
from benchmarks.data.projects import fill_gold
from tests.browser.conftest import saved
from tests.shared.cases import first_of

CARD = re.compile(r"(\d+) of \d+ · ")


@pytest.mark.parametrize("seed", first_of([1, 0, 2]))
def test_benchmark_counts_keys_that_decide_queue(sign_in, transactional_db, charlie, settings, seed):
    settings.LOCAL = True
    truth, codings = simulate(60, 3, 0.2, seed)
    gold = fill_gold(marked_text(60), codings, charlie, "indices")
    data = as_data(codings)
    draft = consensus(data)
    contested = cards(data, draft)
    parts = find_parts(truth, contested, draft)

    number = {markable.key: index for index, markable in enumerate(gold.text.markables.order_by("start"))}
    shown = [card for card in build_queue(gold.text.project, gold).cards if card.kind is not Kind.CHECK]
    rows_of = [[tuple(number[key] for key in row.units) for row in card.rows] for card in shown]
    assert [sorted(rows) for rows in rows_of] == [
        sorted(row.units for row in (*card.rows, *card.elsewhere)) for card in contested
    ]

    page = sign_in(charlie, "/projects/gold/texts/text/gold/code/")
    expect(page.locator("#queue")).to_be_focused()
    n_keys = 0
    while "decision" in page.locator("#queue-left").inner_text():
        pressed = settle_card(page, rows_of, parts)
        assert pressed > 0
        n_keys += pressed
    saved(page)

    asked = {units for units, row in zip_rows(rows_of, shown) if row.contested}
    moved = [units for units in asked if not parts[units].in_place]
    assert 0 < len(moved) < len(asked)
    # one key puts a row as a whole elsewhere; its parts, and what nobody contests, are put there in the text
    in_text = sum(row.elsewhere for row in parts.values()) - len(moved)
    assert n_keys == count_decisions(truth, data, draft) - in_text


def zip_rows(rows_of, shown):
    """Yield the units of each row with the row."""
    for units, card in zip(rows_of, shown, strict=True):
        yield from zip(units, card.rows, strict=True)


def settle_card(page: Page, rows_of: Sequence[Sequence[Row]], parts: Mapping[Row, Parts]) -> int:
    """Take the first coder's answer on open rows that are wholly elsewhere, accept the others; return the keys."""
    card, rows = card_of(page)
    units = rows_of[card - 1]
    n_keys = 0
    for index, (row, is_open) in enumerate(rows):
        if is_open and not parts[units[row]].in_place:
            current = [row for row, _ in rows].index(current_row(page))
            for _ in range(abs(index - current)):
                page.keyboard.press("ArrowDown" if index > current else "ArrowUp")
            assert current_row(page) == row
            page.keyboard.press("1")
            n_keys += 1
    if any(is_open and parts[units[row]].in_place for row, is_open in rows):
        assert card_of(page)[0] == card
        page.keyboard.press("Enter")
        n_keys += 1
    return n_keys


def card_of(page: Page) -> tuple[int, list[tuple[int, bool]]]:
    """Return the number of the card, and its rows that are shown: their places, and whether they are open."""
    match = CARD.match(page.locator("#queue-card").inner_text())
    assert match is not None
    rows = page.locator("#queue tr[data-row]").evaluate_all(
        "rows => rows.map((row) => [Number(row.dataset.row),"
        " row.querySelector('.queue-decision').textContent === 'open'])"
    )
    return int(match[1]), [(row, is_open) for row, is_open in rows]


def current_row(page: Page) -> int:
    return int(page.locator("#queue tr[aria-current]").get_attribute("data-row") or "")
