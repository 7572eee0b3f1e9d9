// A node of the page with its class and words.

/** @param {string} tag @param {string} [className] @param {string} [text] @returns {HTMLElement} */
export function element(tag, className = "", text = "") {
  const node = document.createElement(tag);
  if (className) {
    node.className = className;
  }
  if (text) {
    node.textContent = text;
  }
  return node;
}
