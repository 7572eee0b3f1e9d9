"""Measure the speed of the coding page in the system's Chromium: docs/benchmarks-workbench.md."""

import os
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial

from playwright.sync_api import BrowserContext, Page, Response, sync_playwright

from benchmarks.adjudication import simulate
from benchmarks.data.documents import marked_text
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import run_in
from benchmarks.environment.serving import FLAGS, Server, chromium, serving

SIZES = (100, 1_000, 5_000)
VISITS = 5
KEYS = ("ArrowRight", "1", "a", "Space", "ArrowRight", "4", "Space", "ArrowLeft", "1", "s", "u", "n") * 8
# A text whose gold is decided with keys of the queue: accept, take a coder, put into no chain, navigate, undo.
MARKABLES, CODERS, NOISE = 300, 10, 0.2
QUEUE_KEYS = ("Enter", "1", "ArrowDown", "3", "n", "Enter", "0", "u", "d", "p", "2", "n") * 8
COLUMNS = ("usable", "key_to_paint_p50", "key_to_paint_p95", "longest_task")
WINDOW = {"width": 1280, "height": 800}
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


def load(sizes: Sequence[int]) -> None:
    """Create the projects in the configured database."""
    from annotations.models import User
    from benchmarks.data.projects import fill_gold, make_project

    coder = User.objects.create_user("coder", password=PASSWORD)
    make_project("bench", {f"size-{size}": marked_text(size) for size in sizes}, [coder])
    _, codings = simulate(MARKABLES, CODERS, NOISE, seed=1)
    fill_gold(marked_text(MARKABLES), codings, coder, "pointers")


def measure(sizes: Sequence[int], n_visits: int) -> dict[str, float]:
    """Return all figures by their JSON keys."""
    executable = chromium()
    if executable is None:
        raise SystemExit("Chromium is not on the path; install it and try again.")
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as data, serving(data) as server, sync_playwright() as playwright:
        run_in(server.environment, load, sizes)
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        signed_in = browser.new_context()
        sign_in(signed_in.new_page(), server)
        state = signed_in.storage_state()
        for size in sizes:
            usable, longest = [], []
            for visit in range(n_visits):
                context = browser.new_context(storage_state=state, viewport=WINDOW)
                context.add_init_script(PROBE)
                page = context.new_page()
                responses: dict[str, int] = {}
                page.on("response", partial(record_size, responses))
                page.goto(f"{server.address}/projects/bench/texts/size-{size}/code/")
                page.locator("#text .is-current").first.wait_for(timeout=120_000)
                page.wait_for_timeout(200)
                usable.append(page.evaluate("window.probe.usable"))
                longest.append(page.evaluate("window.probe.longest"))
                if visit == 0:
                    page.wait_for_load_state("networkidle")
                    figures["own_script_bytes"] = sum(n for name, n in responses.items() if name.endswith(".js"))
                    figures["total_bytes" if size == 1000 else f"total_bytes_{size}"] = sum(responses.values())
                if visit == n_visits - 1:
                    p50, p95 = press_keys(page, KEYS)
                    figures |= {f"key_to_paint_p50_ms_{size}": p50, f"key_to_paint_p95_ms_{size}": p95}
                context.close()
            figures[f"usable_ms_{size}"] = statistics.median(usable)
            figures[f"longest_task_ms_{size}"] = statistics.median(longest)
        context = browser.new_context(storage_state=state, viewport=WINDOW)
        figures |= measure_queue(context, f"{server.address}/projects/gold/texts/text/gold/code/")
        browser.close()
    return figures


def record_size(sizes: dict[str, int], response: Response) -> None:
    """Record the size of a response."""
    sizes[response.url] = len(response.body())


def sign_in(page: Page, server: Server) -> None:
    """Sign in as the coder."""
    page.goto(f"{server.address}/sign-in/")
    page.get_by_label("Username").fill("coder")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{server.address}/")


def measure_queue(context: BrowserContext, url: str) -> dict[str, float]:
    """Return the key-to-paint times of the queue."""
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


def press_keys(page: Page, keys: Sequence[str]) -> tuple[float, float]:
    """Press keys one by one, and return the median time to their frame and the 95th percentile."""
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(30)
    page.wait_for_timeout(500)
    times = sorted(page.evaluate("window.probe.keys"))
    if len(times) != len(keys):
        raise RuntimeError(f"{len(keys)} keys were pressed and {len(times)} answered")
    return statistics.median(times), times[int(0.95 * (len(times) - 1))]


def report(figures: dict[str, float]) -> Iterator[str]:
    """Yield the lines of the table, and a sentence on the queue."""
    rows = []
    for size in (size for size in SIZES if f"usable_ms_{size}" in figures):
        total = figures["total_bytes" if size == 1000 else f"total_bytes_{size}"]
        times = (f"{figures[f'{name}_ms_{size}']:.0f} ms" for name in COLUMNS)
        rows.append((f"{size:,}", *times, f"{total / 1000:,.0f} kB"))
    header = ("usable", "key to paint, p50", "p95", "longest task", "all bytes")
    yield from (conditions(), "", *table(("markables", *header), rows, texts=0), "")
    yield f"Script of our own: {figures['own_script_bytes'] / 1000:.0f} kB, not compressed; no other script."
    p50, p95 = figures["queue_key_to_paint_ms"], figures["queue_key_to_paint_p95_ms"]
    yield f"In the queue of an adjudicator, from a key to paint: p50 {p50:.0f} ms, p95 {p95:.0f} ms,"
    yield f"with {figures['queue_load']:.1f} processes that ran or waited to run on {os.cpu_count()} cores."


def main(arguments: list[str] | None = None) -> None:
    parser = make_parser("workbench", __doc__)
    parser.add_argument("--smallest", action="store_true", help="one visit to the smallest text, to see that it runs")
    options = parser.parse_args(arguments)
    figures = measure(SIZES[:1], 1) if options.smallest else measure(SIZES, VISITS)
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
