// Runs before the first paint, as a classic script, so that no page flashes in the wrong theme.
(() => {
  const SETTINGS = ["system", "light", "dark"];
  const root = document.documentElement;

  function stored() {
    try {
      const value = localStorage.getItem("coindex-theme") ?? "";
      return SETTINGS.includes(value) ? value : "system";
    } catch {
      return "system"; // storage may be blocked
    }
  }

  let setting = stored();

  /** @returns {HTMLButtonElement | null} */
  const findSwitch = () => document.querySelector("[data-theme-switch]");

  function show() {
    if (setting === "system") {
      root.removeAttribute("data-theme");
    } else {
      root.setAttribute("data-theme", setting);
    }
    const button = findSwitch();
    if (button) {
      button.dataset.setting = setting;
      button.setAttribute("aria-label", `Theme: ${setting}`);
      button.title = `Theme: ${setting}`;
    }
  }

  show();
  document.addEventListener("DOMContentLoaded", () => {
    show();
    const button = findSwitch();
    if (!button) {
      return;
    }
    button.hidden = false;
    button.addEventListener("click", () => {
      setting = SETTINGS[(SETTINGS.indexOf(setting) + 1) % SETTINGS.length];
      try {
        localStorage.setItem("coindex-theme", setting);
      } catch {
        // The choice then lasts as long as the page.
      }
      show();
    });
  });
  window.addEventListener("storage", (event) => {
    if (event.key === "coindex-theme") {
      setting = stored();
      show();
    }
  });
})();
