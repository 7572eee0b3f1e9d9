// What is asked of the server.
/** @import { Draft, Effects, Scheme, Verdict } from "./types.js" */

/** Nobody is signed in any more, or not whom the page was made for. */
export const REFUSED = "The server takes nothing from this page any more: you are signed out, or may not edit the scheme. "
  + "This browser keeps your draft: sign in, and open the page again.";

/** What the server said instead of an answer. */
export class Refusal extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(typeof body?.detail === "string" ? body.detail : `The server answered ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** @param {{ draft: string, scheme: string, csrf: string }} addresses */
export function createServer({ draft: draftAddress, scheme: schemeAddress, csrf }) {
  /** @param {string} address @param {RequestInit & { headers?: Record<string, string> }} [options] */
  async function ask(address, options = {}) {
    const answer = await fetch(address, {
      ...options, redirect: "manual", headers: { Accept: "application/json", "X-CSRFToken": csrf, ...options.headers },
    });
    const body = await answer.json().catch(() => null);
    if (answer.type === "opaqueredirect") {
      throw new Refusal(401, null); // to the page on which one signs in
    }
    if (!answer.ok) {
      throw new Refusal(answer.status, body);
    }
    return { body, version: answer.headers.get("ETag") ?? "" };
  }

  /** @param {string} address @param {"POST" | "PUT"} method @param {Draft} draft @param {Record<string, string>} [headers] */
  const send = (address, method, { scheme, merges }, headers = {}) => ask(address, {
    method, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify({ ...scheme, merges }),
  });

  return {
    /** @param {Scheme} scheme @param {Scheme} [opened] @returns {Promise<Verdict>} */
    judge: async (scheme, opened) => (await ask(draftAddress, {
      method: "POST",
      body: new URLSearchParams({ scheme: JSON.stringify(scheme), ...(opened ? { opened: JSON.stringify(opened) } : {}) }),
    })).body,
    /** @param {Draft} draft @returns {Promise<Effects>} */
    preview: async (draft) => (await send(`${schemeAddress}preview/`, "POST", draft)).body,
    /** @param {Draft} draft @param {string} version that it is a change of */
    save: (draft, version) => send(schemeAddress, "PUT", draft, { "If-Match": version }),
    read: () => ask(schemeAddress),
  };
}
