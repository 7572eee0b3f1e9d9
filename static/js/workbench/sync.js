// Brings operations to the server: in order, each at least once, told apart by uuid, never in the way of a key.

const BATCH = 100;
export const PATIENCE = 20000;
const LONGEST_WAIT = 30000;
/** Refusals of the whole coding: the operations may be right and stay, but sending them again would not help. */
const HALTS = ["submitted", "version_ahead", "handed_on"];

/**
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.csrf
 * @param {number} options.version
 * @param {Outbox} options.outbox
 * @param {Hooks} options.hooks
 * @param {typeof fetch} options.fetch
 * @param {{setTimeout: Function, clearTimeout: Function}} options.timers
 * @param {() => number} options.random
 */
export function createSync({ url, csrf, version, outbox, hooks, fetch, timers, random }) {
  /** @type {Operation[]} */
  let pending = [];
  let sending = false;
  let failures = 0;
  let retry = null;
  let limit = BATCH;
  let unheard = false; // somebody said that there is something new, and it could not be asked for
  const sent = new Set(); // by this page: what comes back of these is no news
  /** @type {SaveState} */
  let rest = "saved"; // what to show when nothing is under way

  function show() {
    hooks.state(pending.length > 0 && ["saved", "merged"].includes(rest) ? "saving" : rest, pending.length);
  }

  /** Operations that an earlier visit could not send. Call once, before anything is pushed. */
  async function start() {
    pending = [...(await outbox.all()), ...pending];
    flush();
    return [...pending];
  }

  /** @param {...Operation} operations those of one step are kept and sent together */
  function push(...operations) {
    pending.push(...operations);
    outbox.add(...operations).catch(() => hooks.forgetful());
    if (rest !== "waiting") {
      rest = "saved";
    }
    if (retry === null) {
      flush();
    }
    show();
  }

  function flush() {
    if (retry !== null) {
      timers.clearTimeout(retry);
      retry = null;
    }
    if (!sending && pending.length > 0) {
      send(pending.slice(0, limit));
    } else if (!sending && unheard) {
      check();
    }
    show();
  }

  async function send(batch) {
    sending = true;
    batch.forEach((operation) => sent.add(operation.uuid));
    let outcome;
    try {
      outcome = await post(batch);
    } catch {
      outcome = { again: true };
    }
    sending = false;
    settle(outcome, batch);
  }

  async function ask(address, options) {
    const abort = new AbortController();
    const clock = timers.setTimeout(() => abort.abort(), PATIENCE);
    try {
      const response = await fetch(address, {
        credentials: "same-origin",
        redirect: "manual",
        signal: abort.signal,
        ...options,
        headers: { Accept: "application/json", ...options.headers },
      });
      return { response, body: await response.json().catch(() => null) };
    } finally {
      timers.clearTimeout(clock);
    }
  }

  async function post(batch) {
    const { response, body } = await ask(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrf },
      body: JSON.stringify({ version, operations: batch }),
    });
    if (response.type === "opaqueredirect" || response.status === 401 || response.status === 403) {
      return { signedOut: true };
    }
    if (response.status === 200 && Number.isInteger(body?.version)) {
      // More or less than was sent: the server had some of it already, and maybe others' after that.
      return body.version === version + batch.length ? body : { version: body.version, missed: await log(version, body.version) };
    }
    if (response.status === 409 && Number.isInteger(body?.version)) {
      return { version: body.version, missed: body.missed ?? [], stale: true };
    }
    if (response.status < 400 || response.status === 409 || response.status >= 500 || response.status === 408
      || response.status === 429) {
      return { again: true };
    }
    const problem = body ?? { title: `The server answered ${response.status}.` };
    // Only a 400 with a code judges an operation. A coding that is gone, or a stranger's page, is no reason to drop one.
    return { problem, halt: response.status !== 400 || !body?.code || HALTS.includes(body.code) };
  }

  /**
   * The operations after one version up to another. They are asked for by number, as the server gives them in pages.
   * @param {number} since @param {number} until
   * @returns {Promise<(Operation & {sequence: number})[]>} throws where the server does not answer
   */
  async function log(since, until) {
    const found = [];
    let at = since;
    while (at < until) {
      const { response, body } = await ask(`${url}?since=${at}`, {});
      if (response.status !== 200) {
        throw new Error(`the server answered ${response.status}`);
      }
      if (body.results.length === 0) {
        break;
      }
      found.push(...body.results.filter((one) => one.sequence <= until));
      at = body.results.at(-1).sequence;
    }
    return found;
  }

  /** Ask whether another window or machine has done something. What cannot be asked now is asked after the next answer. */
  async function check() {
    unheard = sending || retry !== null;
    if (unheard) {
      return;
    }
    sending = true;
    let missed = [];
    try {
      missed = await log(version, Infinity);
    } catch {
      missed = []; // no connection: the state says so as soon as something waits
    }
    sending = false;
    if (missed.length > 0) {
      version = missed.at(-1).sequence;
      const known = new Set(missed.map((operation) => operation.uuid));
      drop(pending.filter((operation) => known.has(operation.uuid)));
      rest = "merged";
      hooks.missed(missed, [...pending]);
    }
    flush();
  }

  function settle(outcome, batch) {
    if (outcome.signedOut) {
      rest = "signed-out";
      show();
      return;
    }
    if (outcome.again) {
      rest = "waiting";
      const pause = Math.min(LONGEST_WAIT, 1000 * 2 ** failures);
      failures += 1;
      // Half to whole of the pause, so that a room full of coders does not come back all at once.
      retry = timers.setTimeout(flush, pause * (0.5 + random() / 2));
      show();
      return;
    }
    failures = 0;
    if (outcome.halt) {
      rest = "refused";
      hooks.refused(null, outcome.problem, [...pending]);
      show();
      return;
    }
    if (outcome.problem) {
      refuse(outcome.problem, batch);
    } else {
      version = outcome.version;
      limit = BATCH;
      if (outcome.missed) {
        const known = new Set(outcome.missed.map((operation) => operation.uuid));
        const others = outcome.missed.some((operation) => !sent.has(operation.uuid));
        drop(outcome.stale ? pending.filter((operation) => known.has(operation.uuid)) : batch);
        rest = others ? "merged" : "saved";
        hooks.missed(outcome.missed, [...pending]);
      } else {
        rest = rest === "merged" || rest === "refused" ? rest : "saved";
        drop(batch);
        hooks.acknowledged(batch);
      }
    }
    flush();
  }

  function refuse(problem, batch) {
    const culprit = batch[problem.operation] ?? (batch.length === 1 ? batch[0] : null);
    if (!culprit) {
      limit = 1; // one by one, to find out which it is
      return;
    }
    drop([culprit]);
    rest = "refused";
    hooks.refused(culprit, problem, [...pending]);
  }

  function drop(operations) {
    if (operations.length > 0) {
      const uuids = operations.map((operation) => operation.uuid);
      pending = pending.filter((operation) => !uuids.includes(operation.uuid));
      outbox.remove(uuids).catch(() => hooks.forgetful());
    }
  }

  return { start, push, flush, check, log, waiting: () => pending.length };
}

/**
 * crypto.randomUUID is only there in a secure context; a laboratory server may be plain HTTP.
 * @param {Crypto} crypto
 * @returns {string}
 */
export function uuid(crypto) {
  if (typeof crypto.randomUUID === "function") {
    return crypto.randomUUID();
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * @param {SaveState} state @param {number} waiting @param {boolean} durable
 * @returns {string}
 */
export function stateText(state, waiting, durable) {
  const text = {
    saved: "All saved",
    saving: "Saving…",
    waiting: `${waiting} waiting, no connection`,
    merged: "Changed elsewhere: merged",
    refused: waiting > 0 ? `${waiting} not taken by the server` : "One answer refused",
    "signed-out": "Signed out",
  }[state];
  return durable || waiting === 0 ? text : `${text}, kept in this tab only`;
}
