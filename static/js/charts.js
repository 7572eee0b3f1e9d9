/* Draws the charts of a page with Plotly, in the colours of the page; on paper and in saved pictures in light ones.
Plotly is loaded when a chart comes into view or the browser has time. */

import { contrast, luminance } from "./contrast.js";
import { savePicture } from "./pictures.js";

const script = document.getElementById("charts-script");
const drawn = /** @type {Map<HTMLElement, Figure>} */ (new Map());
const PAPER_WIDTH = 640; // of A4 between its margins
let plotly = /** @type {Promise<Window["Plotly"]> | null} */ (null);

function loaded() {
  plotly ??= new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = script?.dataset.plotly ?? "";
    element.onload = () => resolve(window.Plotly);
    element.onerror = () => {
      plotly = null; // the next chart tries again
      reject(new Error("The charts could not be loaded; the tables have all figures."));
    };
    document.head.append(element);
  });
  return plotly;
}

/** A token's colour, with light-dark() resolved. @param {string} name @param {boolean} [light] as on paper */
function colour(name, light) {
  const sample = document.createElement("span");
  sample.style.color = `var(--${name})`;
  if (light) sample.style.colorScheme = "light";
  document.body.append(sample);
  const { color } = getComputedStyle(sample);
  sample.remove();
  return color;
}

/** @param {boolean} light */
function theme(light) {
  const ink = colour("ink", light);
  const line = colour("line", light);
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true, fixedrange: true };
  return {
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: ink, family: getComputedStyle(document.body).fontFamily, size: 13 },
      colorway: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => colour(`chain-${number}`, light)),
      margin: { l: 8, r: 12, t: 8, b: 8 },
      hoverlabel: { bgcolor: colour("surface", light), font: { color: ink } },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      showlegend: false,
    },
    axis,
    line: colour("ink-soft", light),
    scale: [colour("scale-low", light), colour("scale-high", light)],
    letters: [colour("scale-ink", light), colour("scale-ink-light", light)],
  };
}

/** Red, green and blue of "rgb(...)". @param {string} color */
const channels = (color) => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);

/**
 * A heat map in the page's scale, and its figures as letters of the colour that is read best on each cell.
 * @param {HeatMap} trace @param {ReturnType<typeof theme>} look
 */
function coloured(trace, look) {
  const { texttemplate, ...cells } = trace;
  const map = { ...cells, colorscale: look.scale.map((color, end) => [end, color]) };
  if (!texttemplate) return [map];
  const [low, high] = look.scale.map(channels);
  const inks = look.letters.map((color) => ({ color, light: luminance(channels(color)) }));
  const letters = trace.z.flatMap((row, y) =>
    row.flatMap((value, x) => {
      if (value === null) return [];
      const share = Math.min(Math.max((value - trace.zmin) / (trace.zmax - trace.zmin), 0), 1);
      const light = luminance(low.map((from, channel) => from + share * (high[channel] - from)));
      const [dark, bright] = inks;
      return [{ x, y, text: trace.text[y][x], color: (contrast(dark.light, light) > contrast(bright.light, light) ? dark : bright).color }];
    }),
  );
  const texts = {
    type: "scatter",
    mode: "text",
    x: letters.map(({ x }) => x),
    y: letters.map(({ y }) => y),
    text: letters.map(({ text }) => text),
    textfont: { color: letters.map(({ color }) => color), size: 12 },
    hoverinfo: "skip",
    showlegend: false,
  };
  return [map, texts];
}

/** @param {Figure} figure @param {boolean} light */
function themed(figure, light) {
  const look = theme(light);
  /** @type {Figure["layout"]} */
  const layout = { ...look.layout, ...structuredClone(figure.layout) };
  for (const name of ["xaxis", "yaxis", ...Object.keys(layout).filter((key) => /^[xy]axis\d+$/.test(key))]) {
    layout[name] = Object.assign({ ...look.axis }, layout[name]);
  }
  layout.shapes = (layout.shapes ?? []).map((shape) => ({ ...shape, line: { color: look.line, ...shape.line } }));
  const data = structuredClone(figure.data).flatMap((trace) =>
    "z" in trace ? coloured(/** @type {HeatMap} */ (trace), look) : [trace],
  );
  return { data, layout };
}

const paper = matchMedia("print");
let printing = false;

/** @param {HTMLElement} element */
async function draw(element) {
  const figure = drawn.get(element);
  if (!figure) return;
  try {
    const { newPlot } = await loaded();
    if (drawn.get(element) !== figure) return; // gone meanwhile
    await plot(element, figure, newPlot);
    element.dataset.drawn = "";
  } catch (error) {
    element.textContent = error instanceof Error ? error.message : String(error);
    element.classList.add("muted");
  }
}

/** @param {HTMLElement} element @param {Figure} figure @param {Window["Plotly"]["newPlot"]} newPlot */
async function plot(element, figure, newPlot) {
  const { data, layout } = themed(figure, printing);
  // The window has not the width of the paper.
  const size = printing ? { width: Math.min(element.clientWidth || PAPER_WIDTH, PAPER_WIDTH) } : {};
  await newPlot(element, data, { ...layout, ...size }, { displayModeBar: false, responsive: !printing });
  const leads = data.some((trace) => /** @type {LeadingTrace} */ (trace).meta?.addresses);
  element.classList.toggle("is-link", leads);
  if (leads) /** @type {PlotElement} */ (element).on("plotly_click", follow);
}

/** Goes where a point of a chart leads; its table has the same as links. @param {{ points: PlotPoint[] }} event */
function follow({ points: [point] }) {
  const [row, column] = [point.pointNumber].flat();
  const address = point.data.meta?.addresses?.[row];
  const target = Array.isArray(address) ? address[column] : address;
  if (target) location.assign(target);
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) {
        seen.unobserve(entry.target);
        draw(/** @type {HTMLElement} */ (entry.target));
      }
    }
  },
  { rootMargin: "200px" },
);

/** @param {ParentNode} root */
function find(root) {
  /** @type {NodeListOf<HTMLElement>} */
  const charts = root.querySelectorAll("[data-chart]");
  for (const element of charts) {
    if (drawn.has(element)) continue;
    drawn.set(element, JSON.parse(document.getElementById(element.dataset.chart ?? "")?.textContent ?? ""));
    seen.observe(element);
  }
  whenIdle(drawNext);
}

/** @param {() => void} callback */
const whenIdle = (callback) => ("requestIdleCallback" in window ? requestIdleCallback(callback) : setTimeout(callback, 500));

/** Draws a chart that nobody has come to yet, and then the next: a picture or print of the page has them all. */
async function drawNext() {
  const waiting = [...drawn.keys()].find((element) => !("drawn" in element.dataset) && element.checkVisibility());
  if (!waiting || waiting.classList.contains("muted")) return;
  seen.unobserve(waiting);
  await draw(waiting);
  whenIdle(drawNext);
}

/** @param {Element} root */
function forget(root) {
  for (const element of [...drawn.keys()]) {
    if (!root.contains(element)) continue;
    seen.unobserve(element);
    if ("drawn" in element.dataset) window.Plotly.purge(element);
    delete element.dataset.drawn;
    element.replaceChildren();
    drawn.delete(element);
  }
}

function redraw() {
  for (const element of drawn.keys()) {
    if ("drawn" in element.dataset) draw(element);
  }
}

/** All in the colours and width of paper, or as before. @param {boolean} now */
function print(now) {
  if (printing === now) return;
  printing = now;
  for (const [element, figure] of drawn) {
    // At once: the browser does not wait for a promise.
    if (window.Plotly && element.checkVisibility()) plot(element, figure, window.Plotly.newPlot);
  }
}

find(document);
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));
paper.addEventListener("change", () => print(paper.matches));
document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-picture]") : null;
  if (!(button instanceof HTMLElement)) return;
  const chart = document.getElementById(button.dataset.of ?? "");
  const element = [...drawn.keys()].find((node) => chart?.contains(node));
  const figure = element && drawn.get(element);
  if (!chart || !figure) return;
  const title = chart.querySelector("figcaption")?.textContent ?? "";
  await loaded();
  await savePicture(themed(figure, true), title, button.dataset.picture ?? "", button.dataset.file ?? "");
  button.closest("details")?.removeAttribute("open");
});
document.body.addEventListener("htmx:load", (event) => find(/** @type {Element} */ (event.target)));
document.body.addEventListener("htmx:beforeCleanupElement", (event) => forget(/** @type {Element} */ (event.target)));
// what htmx keeps of a page to come back to has no drawings, only where they go
document.body.addEventListener("htmx:beforeHistorySave", () => forget(document.body));
document.body.addEventListener("htmx:historyRestore", () => find(document));
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
