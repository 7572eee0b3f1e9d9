/* Draws the charts of a page with Plotly, in the colours of the page. Plotly is loaded when a chart comes into view. */

const script = document.getElementById("charts-script");
/** @type {Map<HTMLElement, Figure>} */
const drawn = new Map();
/** @type {Promise<Window["Plotly"]> | null} */
let plotly = null;

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

/** A token's colour, with light-dark() resolved. @param {string} name */
function colour(name) {
  const sample = document.createElement("span");
  sample.style.color = `var(--${name})`;
  document.body.append(sample);
  const { color } = getComputedStyle(sample);
  sample.remove();
  return color;
}

function theme() {
  const ink = colour("ink");
  const line = colour("line");
  const axis = { gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true, fixedrange: true };
  return {
    layout: {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: ink, family: getComputedStyle(document.body).fontFamily, size: 13 },
      colorway: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => colour(`chain-${number}`)),
      margin: { l: 8, r: 12, t: 8, b: 8 },
      hoverlabel: { bgcolor: colour("surface"), font: { color: ink } },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      showlegend: false,
    },
    axis,
    line: colour("ink-soft"),
  };
}

/** @param {Figure} figure */
function themed(figure) {
  const look = theme();
  /** @type {Figure["layout"]} */
  const layout = { ...look.layout, ...structuredClone(figure.layout) };
  for (const name of ["xaxis", "yaxis", ...Object.keys(layout).filter((key) => /^[xy]axis\d+$/.test(key))]) {
    layout[name] = Object.assign({ ...look.axis }, layout[name]);
  }
  layout.shapes = (layout.shapes ?? []).map((shape) => ({ ...shape, line: { color: look.line, ...shape.line } }));
  return { data: structuredClone(figure.data), layout };
}

/** @param {HTMLElement} element */
async function draw(element) {
  const figure = drawn.get(element);
  if (!figure) return;
  try {
    const { newPlot } = await loaded();
    if (drawn.get(element) !== figure) return; // gone meanwhile
    const { data, layout } = themed(figure);
    await newPlot(element, data, layout, { displayModeBar: false, responsive: true, staticPlot: false });
    element.dataset.drawn = "";
  } catch (error) {
    element.textContent = error instanceof Error ? error.message : String(error);
    element.classList.add("muted");
  }
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

find(document);
document.body.addEventListener("htmx:load", (event) => find(/** @type {Element} */ (event.target)));
document.body.addEventListener("htmx:beforeCleanupElement", (event) => forget(/** @type {Element} */ (event.target)));
// what htmx keeps of a page to come back to has no drawings, only where they go
document.body.addEventListener("htmx:beforeHistorySave", () => forget(document.body));
document.body.addEventListener("htmx:historyRestore", () => find(document));
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
