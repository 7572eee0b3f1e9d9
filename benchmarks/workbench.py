"""Measure the speed of the coding page in the system's Chromium: python -m benchmarks.workbench --json.

A new server on a free port, with texts of 100, 1,000 and 5,000 markables (2,000 to 100,000 words). A page is usable
when the current markable is painted; a key is answered at the next frame. Nothing is cached. Then the queue of an
adjudicator: gold of a text of 300 markables that ten coders have submitted, simulated as in benchmarks.adjudication
with 20 % noise.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Response, sync_playwright

from benchmarks.adjudication import simulate
from benchmarks.environment.serving import FLAGS, chromium, serving
from benchmarks.measures import machine

SIZES = (100, 1_000, 5_000)
WORDS_PER_MARKABLE = 20
MARKABLES_PER_PARAGRAPH = 4
VISITS = 5
KEYS = ("ArrowRight", "1", "a", "Space", "ArrowRight", "4", "Space", "ArrowLeft", "1", "s", "u", "n") * 8
# A text whose gold is decided by keys of the queue: accept, take a coder, put in no chain, look around, undo.
MARKABLES, CODERS, NOISE = 300, 10, 0.2
QUEUE_KEYS = ("Enter", "1", "ArrowDown", "3", "n", "Enter", "0", "u", "d", "p", "2", "n") * 8
COLUMNS = ("usable", "key_to_paint_p50", "key_to_paint_p95", "longest_task")
PASSWORD = "a password of the benchmark"
# Records when the current markable is painted, the time from each key to the next frame, and the longest task.
PROBE = """
window.probe = { usable: null, keys: [], longest: 0 };
const painted = (then) => requestAnimationFrame(() => setTimeout(() => then(performance.now())));
const seen = new MutationObserver(() => {
  if (document.querySelector(".is-current")) {
    seen.disconnect();
    painted((now) => { window.probe.usable = now; });
  }
});
seen.observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["class"] });
addEventListener("keydown", (event) => {
  if (event.isTrusted) {
    painted((now) => window.probe.keys.push(now - event.timeStamp));
  }
}, true);
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) { window.probe.longest = Math.max(window.probe.longest, task.duration); }
}).observe({ type: "longtask", buffered: true });
"""


def marked_text(markables: int, seed: int = 1) -> str:
    """Return a text in plain format: paragraphs of made-up words, with a phrase in brackets every twenty."""
    draw = random.Random(seed)
    syllables = [consonant + vowel for consonant in "bdfgklmnprst" for vowel in "aeiou"]
    lexicon = ["".join(draw.choices(syllables, k=draw.randint(1, 3))) for _ in range(2000)]
    names = ["".join(draw.choices(syllables, k=2)).title() for _ in range(max(markables // 8, 3))]
    lines = [f"#title: {markables} phrases"]
    for first in range(0, markables, MARKABLES_PER_PARAGRAPH):
        words = []
        for _ in range(first, min(first + MARKABLES_PER_PARAGRAPH, markables)):
            phrase = draw.choice(names) if draw.random() < 0.6 else f"the {draw.choice(lexicon)}"
            words += [f"[{phrase}]", *draw.choices(lexicon, k=WORDS_PER_MARKABLE - len(phrase.split()))]
        lines += ["", " ".join(words)]
    return "\n".join(lines)


def load(sizes: Sequence[int]) -> None:
    """Create the project in the configured database."""
    import django

    django.setup()
    from annotations.formats import plain
    from annotations.models import Membership, User
    from annotations.planning.work.assignments import assign_texts
    from annotations.projects.creation import create_project
    from annotations.projects.people.members import add_member
    from annotations.schemes.ready_made import SCHEMES
    from annotations.transfers.importing.documents import import_documents
    from annotations.transfers.importing.files.source_document import SourceDocument
    from benchmarks.data.projects import fill_gold

    coder = User.objects.create_user("coder", password=PASSWORD)
    project = create_project("bench", "Bench", SCHEMES["poesio-artstein-2005"])
    add_member(project, coder, Membership.Role.CODER)
    documents = []
    for size in sizes:
        document = plain.parse(marked_text(size), f"size-{size}.txt")
        documents.append(SourceDocument(document, None))
    import_documents(project, documents)
    assign_texts(project, project.texts.all(), [coder])
    _, codings = simulate(MARKABLES, CODERS, NOISE, seed=1)
    fill_gold(marked_text(MARKABLES), codings, coder, "pointers")


def measure(smallest: bool = False) -> dict[str, float]:
    """Return all figures, by their names in the JSON; smallest: of one visit to the smallest text alone."""
    text_sizes, n_visits = (SIZES[:1], 1) if smallest else (SIZES, VISITS)
    executable = chromium()
    if executable is None:
        raise SystemExit("Chromium is not on the path; install it and try again.")
    figures: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory() as data,
        serving(data, ["-m", "benchmarks.workbench", "--load", *(["--smallest"] if smallest else [])]) as server,
        sync_playwright() as playwright,
    ):
        address = server.address
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        signed_in = browser.new_context()
        page = signed_in.new_page()
        page.goto(f"{address}/sign-in/")
        page.get_by_label("Username").fill("coder")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{address}/")
        state = signed_in.storage_state()
        for size in text_sizes:
            url = f"{address}/projects/bench/texts/size-{size}/code/"
            usable, longest = [], []
            for visit in range(n_visits):
                context = browser.new_context(storage_state=state, viewport={"width": 1280, "height": 800})
                context.add_init_script(PROBE)
                page = context.new_page()
                sizes: dict[str, int] = {}
                page.on("response", partial(record_size, sizes))
                page.goto(url)
                page.locator("#text .is-current").first.wait_for(timeout=120_000)
                page.wait_for_timeout(200)
                usable.append(page.evaluate("window.probe.usable"))
                longest.append(page.evaluate("window.probe.longest"))
                if visit == 0:
                    page.wait_for_load_state("networkidle")
                    script_sizes = {name: size for name, size in sizes.items() if name.endswith(".js")}
                    figures["own_script_bytes"] = sum(script_sizes.values())
                    figures["total_bytes" if size == 1000 else f"total_bytes_{size}"] = sum(sizes.values())
                if visit == n_visits - 1:
                    p50, p95 = press_keys(page, KEYS)
                    figures |= {f"key_to_paint_p50_ms_{size}": p50, f"key_to_paint_p95_ms_{size}": p95}
                context.close()
            figures[f"usable_ms_{size}"] = statistics.median(usable)
            figures[f"longest_task_ms_{size}"] = statistics.median(longest)
        context = browser.new_context(storage_state=state, viewport={"width": 1280, "height": 800})
        figures |= measure_queue(context, f"{address}/projects/gold/texts/text/gold/code/")
        browser.close()
    return figures


def measure_queue(context: BrowserContext, url: str) -> dict[str, float]:
    """Return the figures of the keys of the queue."""
    context.add_init_script(PROBE)
    page = context.new_page()
    page.goto(url)
    queue = page.locator("#queue:focus")
    queue.wait_for(timeout=120_000)
    before = page.locator("#queue-left").inner_text()
    p50, p95 = press_keys(page, QUEUE_KEYS)
    if page.locator("#queue-left").inner_text() == before:
        raise RuntimeError("no key decided anything")
    context.close()
    return {"queue_key_to_paint_ms": p50, "queue_key_to_paint_p95_ms": p95, "queue_load": os.getloadavg()[0]}


def record_size(sizes: dict[str, int], response: Response) -> None:
    """Record the size of a response."""
    sizes[response.url] = len(response.body())


def press_keys(page: Page, keys: Sequence[str]) -> tuple[float, float]:
    """Press keys one at a time, and return the median time to their frame and the 95th percentile."""
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    page.wait_for_timeout(500)
    times = sorted(page.evaluate("window.probe.keys"))
    if len(times) != len(keys):
        raise RuntimeError(f"{len(keys)} keys were pressed and {len(times)} answered")
    return statistics.median(times), times[int(0.95 * (len(times) - 1))]


def report(figures: dict[str, float]) -> str:
    """Return the figures as a page in Markdown."""
    lines = [
        "# How fast the coding page is",
        "",
        "Written by `make bench`; do not edit. Made-up texts of 20 words per markable, Chromium without a cache, a",
        "window of 1280 by 800. Usable: from the start of the navigation to the paint of the current markable. A key:",
        "from the press to the frame that shows its effect, of 96 keys of a coder at work.",
        "",
        f"Machine: {machine()}.",
        "",
        "| markables | usable | key to paint, p50 | p95 | longest task | all bytes |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for size in (size for size in SIZES if f"usable_ms_{size}" in figures):
        total = figures["total_bytes" if size == 1000 else f"total_bytes_{size}"]
        cells = [
            figures[f"{name}_ms_{size}"] for name in ("usable", "key_to_paint_p50", "key_to_paint_p95", "longest_task")
        ]
        lines.append(f"| {size:,} | {' | '.join(f'{cell:.0f} ms' for cell in cells)} | {total / 1000:,.0f} kB |")
    lines += ["", f"Script of our own: {figures['own_script_bytes'] / 1000:.0f} kB, not compressed; no other script."]
    p50, p95 = figures["queue_key_to_paint_ms"], figures["queue_key_to_paint_p95_ms"]
    lines += [
        "",
        "## The queue of an adjudicator",
        "",
        f"Gold of a text of {MARKABLES} markables that {CODERS} coders have submitted, simulated with",
        f"{100 * NOISE:.0f} % noise as in [the benchmark of adjudication](benchmarks-adjudication.md).",
        f"{len(QUEUE_KEYS)} keys that accept, take a coder's answer, put into no chain, undo and look around.",
        f"A key to paint: p50 {p50:.0f} ms, p95 {p95:.0f} ms, with {figures['queue_load']:.1f} processes that ran or",
        f"waited to run on {os.cpu_count()} cores. The goal is a median under 50 ms.",
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", type=Path, help="write the table to this file too")
    parser.add_argument("--smallest", action="store_true", help="one visit to the smallest text, to see that it runs")
    parser.add_argument("--load", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.load:
        load(SIZES[:1] if options.smallest else SIZES)
        return
    figures = measure(options.smallest)
    print(json.dumps(figures, indent=2) if options.json else report(figures))
    if options.write:
        options.write.write_text(report(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
