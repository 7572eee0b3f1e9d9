"""Measure the speed of the pyramid workbench in the system's Chromium: python -m benchmarks.pyramids --json.

A new server on a free port, with a docset of 8 model summaries of 250 words and 150 SCUs. The page is usable when the
list of SCUs is painted; a key or a drop is answered at the next frame. Nothing is cached.
"""

import argparse
import json
import random
import statistics
import tempfile
from functools import partial
from math import ceil
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.environment.serving import FLAGS, chromium, serving
from benchmarks.measures import machine
from benchmarks.workbench import record_size

SUMMARIES = 8
WORDS = 250
SCUS = 150
WORDS_OF_A_CONTRIBUTOR = 3
CONTRIBUTORS_OF_A_SUMMARY = 60
VISITS = 3
DROPS = 15
KEYS = (
    *("Tab", "Shift+ArrowRight", "n", "a", "b", "Enter", "]", "Tab", "Shift+ArrowRight", "c", "j", "k"),
    *("ArrowDown", "ArrowRight", "Enter", ".", "Delete", "u", "u", "u", "u"),
)
KEY_ROUNDS = 6
PASSWORD = "a password of the benchmark"
PROBE = """
window.probe = { usable: null, keys: [], drops: [], longest: 0 };
const painted = (then) => requestAnimationFrame(() => setTimeout(() => then(performance.now())));
const seen = new MutationObserver(() => {
  if (document.querySelector(".pyramid-scu")) {
    seen.disconnect();
    painted((now) => { window.probe.usable = now; });
  }
});
seen.observe(document, { subtree: true, childList: true });
addEventListener("keydown", (event) => {
  if (event.isTrusted && event.key !== "Shift") {
    painted((now) => window.probe.keys.push(now - event.timeStamp));
  }
}, true);
addEventListener("pointerup", (event) => {
  if (document.querySelector(".pyramid-drag-ghost:not([hidden])")) {
    painted((now) => window.probe.drops.push(now - event.timeStamp));
  }
}, true);
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) { window.probe.longest = Math.max(window.probe.longest, task.duration); }
}).observe({ type: "longtask", buffered: true });
"""


def load() -> None:
    """Create the docset and its pyramid in the configured database."""
    import django

    django.setup()
    from annotations.coding.decisions import Decision, Description
    from annotations.docsets.agreed_pyramid import fill_coding
    from annotations.docsets.creation import create_docset
    from annotations.formats.model.keys import markable_key
    from annotations.models import Coding, Membership, Segment, User
    from annotations.projects.creation import create_project
    from annotations.projects.people.members import add_member
    from annotations.schemes.ready_made import SCHEMES

    draw = random.Random(1)
    syllables = [consonant + vowel for consonant in "bdfgklmnprst" for vowel in "aeiou"]
    lexicon = ["".join(draw.choices(syllables, k=draw.randint(1, 3))) for _ in range(1000)]
    coder = User.objects.create_user("coder", password=PASSWORD)
    project = create_project("bench", "Bench", SCHEMES["pyramid"])
    add_member(project, coder, Membership.Role.CODER)
    summaries = [(f"summary {number + 1}", sentences(draw.choices(lexicon, k=WORDS))) for number in range(SUMMARIES)]
    docset = create_docset(project, "bench", "Bench", summaries)
    text = docset.texts.get()
    words = [parts[0] for parts in text.markables.order_by("start").values_list("parts", flat=True)]
    decisions = []
    for index, _ in enumerate(Segment.objects.filter(text=text)):
        for number, scu in enumerate(draw.sample(range(SCUS), k=CONTRIBUTORS_OF_A_SUMMARY)):
            first = index * WORDS + number * (WORDS_OF_A_CONTRIBUTOR + 1)
            span = [words[first][0], words[first + WORDS_OF_A_CONTRIBUTOR - 1][1]]
            decisions.append(Decision(markable_key("contributor", [span]), category="scu", indices=(f"scu{scu}",)))
    descriptions = [Description(f"scu{scu}", " ".join(draw.choices(lexicon, k=6)).capitalize()) for scu in range(SCUS)]
    coding = Coding(text=text, coder=coder, kind=Coding.Kind.PYRAMID, round=text.rounds.get())
    fill_coding(coding, coder, decisions, descriptions, submitted=False)


def sentences(words: list[str]) -> str:
    """Return the words as sentences of twelve."""
    runs = [words[first : first + 12] for first in range(0, len(words), 12)]
    return " ".join(f"{' '.join(run).capitalize()}." for run in runs)


def measure(smallest: bool = False) -> dict[str, float]:
    """Return all figures, by their names in the JSON; smallest: of one visit with few keys and drops."""
    executable = chromium()
    if executable is None:
        raise SystemExit("Chromium is not on the path; install it and try again.")
    with (
        tempfile.TemporaryDirectory() as data,
        serving(data, ["-m", "benchmarks.pyramids", "--load"]) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        figures = visits(browser, server.address, *((1, 1, 1) if smallest else (VISITS, KEY_ROUNDS, DROPS)))
        browser.close()
    return figures


def visits(browser: Browser, address: str, n_visits: int, n_rounds: int, n_drops: int) -> dict[str, float]:
    """Return the figures of several visits to the page; the last visit works in it."""
    signed_in = browser.new_context()
    page = signed_in.new_page()
    page.goto(f"{address}/sign-in/")
    page.get_by_label("Username").fill("coder")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/")
    state = signed_in.storage_state()
    figures: dict[str, float] = {}
    usable, longest = [], []
    for visit in range(n_visits):
        context = browser.new_context(storage_state=state, viewport={"width": 1280, "height": 800})
        context.add_init_script(PROBE)
        page = context.new_page()
        sizes: dict[str, int] = {}
        page.on("response", partial(record_size, sizes))
        page.goto(f"{address}/projects/bench/texts/bench/code/")
        page.locator("#scus .pyramid-scu").first.wait_for(timeout=60_000)
        page.wait_for_timeout(300)
        usable.append(page.evaluate("window.probe.usable"))
        longest.append(page.evaluate("window.probe.longest"))
        if visit == n_visits - 1:
            page.wait_for_load_state("networkidle")
            figures["own_script_bytes"] = sum(size for name, size in sizes.items() if name.endswith(".js"))
            figures |= keys(page, n_rounds) | drops(page, n_drops)
        context.close()
    return {
        "usable_ms": statistics.median(usable),
        "longest_task_at_load_ms": statistics.median(longest),
        **figures,
    }


def percentiles(name: str, times: list[float], count: int) -> dict[str, float]:
    """Return the median and the 95th percentile of `count` times. Raise RuntimeError if there are more or fewer."""
    if len(times) != count:
        raise RuntimeError(f"{count} were made and {len(times)} answered: {name}")
    return {f"{name}_p50_ms": statistics.median(times), f"{name}_p95_ms": sorted(times)[ceil(0.95 * count) - 1]}


def keys(page: Page, n_rounds: int) -> dict[str, float]:
    """Return the figures of the keys of a working coder, pressed one at a time."""
    pressed = KEYS * n_rounds
    page.locator("#text-pane").focus()
    for key in pressed:
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    page.wait_for_timeout(500)
    return percentiles("key_to_paint", page.evaluate("window.probe.keys"), len(pressed))


def drops(page: Page, n_drops: int) -> dict[str, float]:
    """Return the figures of dragging words onto an SCU and SCUs onto others; each drop is undone."""
    rows = page.locator("#scus > .pyramid-scu > .pyramid-scu-head")
    for number in range(n_drops):
        page.locator("#text-pane").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Shift+ArrowRight")  # the current word alone is not dragged
        page.wait_for_timeout(50)
        target = rows.nth(2 + number % 4)
        for source in (page.locator(".pyramid-word.is-cursor"), rows.nth(7)):
            unfolded = page.locator(".pyramid-scu.is-selected > .pyramid-scu-head")
            if unfolded.count():
                unfolded.click()  # so that both ends of the drag are in sight
            drag(page, source, target)
            page.wait_for_timeout(100)
            page.locator("#text-pane").focus()
            page.keyboard.press("u")
            page.wait_for_timeout(100)
    page.wait_for_timeout(500)
    return percentiles("drop_to_paint", page.evaluate("window.probe.drops"), 2 * n_drops)


def drag(page: Page, source, target) -> None:
    """Drag one element onto another with the mouse."""
    target.scroll_into_view_if_needed()
    start, end = source.bounding_box(), target.bounding_box()
    if start is None or end is None:
        raise RuntimeError("what is to be dragged is not there")
    page.mouse.move(start["x"] + min(start["width"] / 2, 30), start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()


def report(figures: dict[str, float]) -> str:
    """Return the figures as a page in Markdown."""
    lines = [
        "# How fast the pyramid workbench is",
        "",
        "Written by `python -m benchmarks.pyramids --write`; do not edit. 8 made-up summaries of 250 words, 150 SCUs,",
        "480 contributors; Chromium without a cache, a window of 1280 by 800. Usable: from the start of the navigation",
        "to the paint of the list. A key or a drop: from the press or the release to the frame that shows its effect.",
        "",
        f"Machine: {machine()}.",
        "",
        "| what | p50 | p95 |",
        "|---|---:|---:|",
        *(
            f"| {name} | {figures[f'{key}_p50_ms']:.0f} ms | {figures[f'{key}_p95_ms']:.0f} ms |"
            for name, key in (("key to paint", "key_to_paint"), ("drop to paint", "drop_to_paint"))
        ),
        "",
        f"Usable after {figures['usable_ms']:.0f} ms; longest task while loading"
        f" {figures['longest_task_at_load_ms']:.0f} ms;"
        f" script of our own {figures['own_script_bytes'] / 1000:.0f} kB, not compressed.",
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--write", type=Path, help="write the table to this file too")
    parser.add_argument(
        "--smallest", action="store_true", help="one visit with few keys and drops, to see that it runs"
    )
    parser.add_argument("--load", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.load:
        load()
        return
    figures = measure(options.smallest)
    print(json.dumps(figures, indent=2) if options.json else report(figures))
    if options.write:
        options.write.write_text(report(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
