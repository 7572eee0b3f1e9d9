// The list of all actions, and of places where words are typed. Loaded with the dialog in which it is shown.
/** @import { Action, Keyboard, PlacePicker } from "../types.js" */

/**
 * @template M
 * @param {Action<M>[]} available @param {Keyboard} keyboard @param {PlacePicker} picker
 * @param {string} placeholder @param {(id: string) => void} run
 */
export function openPalette(available, keyboard, picker, placeholder, run) {
  const listed = available.filter(({ id }) => id !== "palette");
  picker.open({
    title: "All actions",
    placeholder,
    choices: (query, places) => {
      const wanted = query.trim().toLowerCase();
      const found = listed.filter(({ label, group }) => `${group} ${label}`.toLowerCase().includes(wanted));
      return [
        ...found.map(({ id, label }) => ({ label, keys: keyboard.keysOf(id), run: () => run(id) })),
        ...(wanted ? places(query) : []),
      ];
    },
  });
}
