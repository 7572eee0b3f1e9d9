// Saves a chart as a picture for a paper: as wide as the text of an A4 page, on white, with letters of any reader.

const MILLIMETRES = 170;
const DPI = 300;
const WIDTH = Math.round((MILLIMETRES / 25.4) * 96);
const SVG_START = /^data:image\/svg\+xml,/;

/** @param {Figure} figure @param {string} title @param {string} format @param {string} name of the file */
export async function savePicture(figure, title, format, name) {
  const { layout } = figure;
  const font = { .../** @type {object} */ (layout.font), family: "sans-serif" };
  const picture = { data: figure.data, layout: { ...layout, font, paper_bgcolor: "#ffffff", plot_bgcolor: "#ffffff" } };
  const size = { width: WIDTH, height: Number(layout.height) };
  const address = await window.Plotly.toImage(picture, { format: "svg", ...size });
  const blob = format === "svg" ? svg(address, title, size.height) : await png(address, size);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** With the title that the page shows above the chart, and its size on paper. @param {string} address @param {string} title @param {number} height */
function svg(address, title, height) {
  const source = decodeURIComponent(address.replace(SVG_START, ""));
  const { documentElement: root } = new DOMParser().parseFromString(source, "image/svg+xml");
  const name = document.createElementNS("http://www.w3.org/2000/svg", "title");
  name.textContent = title;
  root.prepend(name);
  root.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  root.setAttribute("width", `${MILLIMETRES}mm`);
  root.setAttribute("height", `${((height / 96) * 25.4).toFixed(1)}mm`);
  return new Blob([new XMLSerializer().serializeToString(root)], { type: "image/svg+xml" });
}

/**
 * Drawn at DPI, and with its dots per metre (the chunk pHYs), by which programs know its size on paper. Plotly's own
 * PNG takes a way that the pages' content security policy closes.
 * @param {string} address @param {{ width: number, height: number }} size
 */
async function png(address, { width, height }) {
  const image = new Image(width, height);
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round((width * DPI) / 96);
  canvas.height = Math.round((height * DPI) / 96);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const plain = canvas.toDataURL("image/png");
  const bytes = Uint8Array.from(atob(plain.slice(plain.indexOf(",") + 1)), (sign) => sign.charCodeAt(0));
  const chunk = new Uint8Array(21);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, 9);
  chunk.set(new TextEncoder().encode("pHYs"), 4);
  const perMetre = Math.round(DPI / 0.0254);
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  chunk[16] = 1;
  view.setUint32(17, checksum(chunk.subarray(4, 17)));
  const header = 33; // the signature and the chunk IHDR, which come first
  return new Blob([bytes.subarray(0, header), chunk, bytes.subarray(header)], { type: "image/png" });
}

/** The CRC-32 of PNG. @param {Uint8Array} bytes */
function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return ~sum >>> 0;
}
