// Libraries that pages load by a <script>. The browser does not load this file.

interface Figure {
  data: object[];
  layout: Record<string, unknown> & { shapes?: { line?: object }[] };
}

interface Window {
  Plotly: {
    newPlot: (element: HTMLElement, data: object[], layout: object, options: object) => Promise<unknown>;
    purge: (element: HTMLElement) => void;
  };
  htmx: { trigger: (element: Element, event: string) => void };
}
