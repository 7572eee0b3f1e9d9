// How the summaries stand: what this browser stores of it.
import { local, read, write } from "../../workbench/settings.js";

const LAYOUT = "coindex-summaries";

/** @typedef {"columns" | "rows"} Layout */

/** @returns {Layout} */
export const readLayout = () => (read(local, LAYOUT) === "rows" ? "rows" : "columns");

/** @param {Layout} layout */
export const storeLayout = (layout) => write(local, LAYOUT, layout);
