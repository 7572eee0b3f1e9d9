// Libraries that pages load by a <script>. The browser does not load this file.

interface Figure {
  data: object[];
  layout: Record<string, unknown> & { shapes?: { line?: object }[] };
}

interface HeatMap {
  z: (number | null)[][];
  text: string[][];
  texttemplate: string;
  zmin: number;
  zmax: number;
}

/** A trace whose points lead somewhere: to an address each, of a heat map to one a cell. */
interface LeadingTrace {
  meta?: { addresses?: (string | string[])[] };
}

/** What Plotly makes of an element in which it has drawn. */
interface PlotElement extends HTMLElement {
  on: (event: "plotly_click", callback: (event: { points: PlotPoint[] }) => void) => void;
}

interface PlotPoint {
  data: LeadingTrace;
  pointNumber: number | [number, number];
}

interface Window {
  Plotly: {
    toImage: (figure: Figure, options: { format: string; width: number; height: number }) => Promise<string>;
    newPlot: (element: HTMLElement, data: object[], layout: object, options: object) => Promise<unknown>;
    purge: (element: HTMLElement) => void;
  };
  htmx: { trigger: (element: Element, event: string) => void };
}
