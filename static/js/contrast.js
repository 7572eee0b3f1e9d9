// How well colours are told apart, as WCAG 2 has it. Pure.

/** The relative luminance of red, green and blue from 0 to 255. @param {number[]} colour */
export function luminance(colour) {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @type {(a: number, b: number) => number} of luminances */
export const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
