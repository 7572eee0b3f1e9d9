// What is new counts as read once it has been in sight for a moment: its form, <form data-read>, is sent then and goes away.
const MOMENT = 1000; // milliseconds

const timers = /** @type {Map<Element, ReturnType<typeof setTimeout>>} */ (new Map());
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    clearTimeout(timers.get(target));
    if (isIntersecting && target instanceof HTMLFormElement) {
      timers.set(target, setTimeout(() => send(target), MOMENT));
    }
  }
});

/** Without an answer the form stays, with its button. @param {HTMLFormElement} form */
async function send(form) {
  observer.unobserve(form);
  const reply = await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual" }).catch(() => null);
  if (reply?.type === "opaqueredirect") {
    form.hidden = true;
  }
}

/** @param {ParentNode} root */
export function observeReading(root) {
  root.querySelectorAll("form[data-read]").forEach((form) => observer.observe(form));
}

observeReading(document);
