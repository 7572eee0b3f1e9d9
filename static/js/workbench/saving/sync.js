// Brings operations to the server: in order, each at least once, told apart by uuid.
/** @import { LoggedOperation, Operation, Outcome, Problem, SaveState, ServerAnswer, Sync, SyncOptions } from "../types.js" */

const BATCH = 100;
export const PATIENCE = 20000;
const MAX_WAIT = 30000;
/** Refusals of the whole coding: the operations may be right and stay. */
const HALTS = ["submitted", "version_ahead", "handed_on", "round_closed"];

/** @type {(options: SyncOptions) => Sync} */
export function createSync({ url, coding, user, csrf, version, scheme, outbox, hooks, fetch, timers, random }) {
  let pending = /** @type {Operation[]} */ ([]);
  let sending = false;
  let failures = 0;
  let retry = /** @type {number | null} */ (null);
  let limit = BATCH;
  let checkWaits = false; // something is new, and could not be asked for
  const sent = new Set(); // by this page: what comes back of these is no news
  /** @type {SaveState} */
  let rest = "saved"; // what to show when nothing is under way

  function show() {
    hooks.state(pending.length > 0 && ["saved", "merged"].includes(rest) ? "saving" : rest, pending.length);
  }

  /**
   * Operations that an earlier visit could not send. Call once, before anything is pushed.
   * @type {Sync["start"]} unstored: what the outbox may have had no time for
   */
  async function start(unstored = []) {
    const stored = await outbox.all();
    const uuids = new Set(stored.map((operation) => operation.uuid));
    const rescued = unstored.filter((operation) => !uuids.has(operation.uuid));
    pending = [...stored, ...rescued, ...pending];
    outbox.add(...rescued).catch(() => hooks.storageFailed());
    flush();
    return [...pending];
  }

  /** @param {...Operation} operations those of one step are kept and sent together */
  function push(...operations) {
    operations.forEach((operation) => { operation.seen = version; });
    pending.push(...operations);
    outbox.add(...operations).catch(() => hooks.storageFailed());
    if (!["waiting", "busy"].includes(rest)) {
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
    } else if (!sending && checkWaits) {
      check();
    }
    show();
  }

  /** @param {Operation[]} batch */
  async function send(batch) {
    sending = true;
    batch.forEach((operation) => sent.add(operation.uuid));
    const outcome = await post(batch).catch(() => /** @type {Outcome} */ ({ kind: "again" }));
    sending = false;
    settle(outcome, batch);
  }

  /** @type {(address: string, options?: RequestInit) => Promise<{ response: Response, body: ServerAnswer | null }>} */
  async function ask(address, options = {}) {
    const abort = new AbortController();
    const clock = timers.setTimeout(() => abort.abort(), PATIENCE);
    try {
      const response = await fetch(address, {
        credentials: "same-origin",
        redirect: "manual",
        signal: abort.signal,
        ...options,
        headers: { Accept: "application/json", "X-Coder": encodeURIComponent(user), "X-Coding": coding, ...options.headers },
      });
      return { response, body: await response.json().catch(() => null) };
    } finally {
      timers.clearTimeout(clock);
    }
  }

  /** @type {(batch: Operation[]) => Promise<Outcome>} */
  async function post(batch) {
    const { response, body } = await ask(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrf() },
      body: JSON.stringify({ version, operations: batch }, (name, value) => (name === "seen" ? undefined : value)),
    });
    if (isSignedOut(response)) {
      return { kind: "signed-out" };
    }
    const now = Number.isInteger(body?.version) ? body?.version : undefined;
    if (response.status === 200 && now !== undefined) {
      // More or less than was sent: the server had some of it, and maybe others' after it.
      return { kind: "version", version: now, missed: now === version + batch.length ? null : await log(version, now), stale: false };
    }
    if (response.status === 409 && now !== undefined) {
      return { kind: "version", version: now, missed: body?.missed ?? [], stale: true };
    }
    if (response.status === 429) {
      return { kind: "again", seconds: Number(response.headers.get("Retry-After")) || 0 };
    }
    if (response.status < 400 || response.status === 409 || response.status >= 500 || response.status === 408) {
      return { kind: "again" };
    }
    const problem = body ?? { title: `The server answered ${response.status}.` };
    // Only a 400 with a code judges an operation: nothing else is a reason to drop one.
    return { kind: "problem", problem, halt: response.status !== 400 || !body?.code || HALTS.includes(body.code) };
  }

  /**
   * The operations after one version up to another. The server gives them in pages.
   * @type {(since: number, until: number) => Promise<LoggedOperation[]>} throws where the server does not answer
   */
  async function log(since, until) {
    const found = /** @type {LoggedOperation[]} */ ([]);
    let at = since;
    while (at < until) {
      const { response, body } = await ask(`${url}?since=${at}`);
      if (isSignedOut(response)) {
        rest = "signed-out";
      }
      if (response.status !== 200 || !body?.results) {
        throw new Error(`the server answered ${response.status}`);
      }
      const last = body.results.at(-1);
      if (!last) {
        break;
      }
      found.push(...body.results.filter((entry) => entry.sequence <= until));
      at = last.sequence;
    }
    return found;
  }

  /** Ask whether another window or machine has done something. What cannot be asked now is asked after the next answer. */
  async function check() {
    checkWaits = sending || retry !== null;
    if (checkWaits) {
      return;
    }
    sending = true;
    let missed = /** @type {LoggedOperation[]} */ ([]);
    try {
      missed = await log(version, Infinity);
      rest = rest === "signed-out" ? "saved" : rest;
    } catch {
      missed = []; // no connection: the state says so as soon as something waits
    }
    sending = false;
    const last = missed.at(-1);
    if (last && !stop(missed)) {
      version = last.sequence;
      const known = new Set(missed.map((operation) => operation.uuid));
      drop(pending.filter((operation) => known.has(operation.uuid)));
      rest = "merged";
      hooks.missed(missed, [...pending]);
    }
    flush();
  }

  /** After a correction, or a change of the scheme, nothing more is sent. @type {(missed: Operation[], newest?: number) => boolean} */
  function stop(missed, newest) {
    const outdated = Number(newest) > Number(scheme) || missed.some(({ kind }) => kind === "correct" || kind === "merge");
    if (outdated) {
      sending = true;
      hooks.outdated();
    }
    return outdated;
  }

  /** @type {(outcome: Outcome, batch: Operation[]) => void} */
  function settle(outcome, batch) {
    if (outcome.kind === "signed-out") {
      rest = "signed-out";
      show();
      return;
    }
    if (outcome.kind === "again") {
      rest = outcome.seconds === undefined ? "waiting" : "busy";
      const pause = Math.min(MAX_WAIT, 1000 * 2 ** failures);
      failures += 1;
      // Half to whole of it: a room full of coders does not come back all at once.
      retry = timers.setTimeout(flush, Math.max(pause, 1000 * (outcome.seconds ?? 0)) * (1 + random()) / 2);
      show();
      return;
    }
    failures = 0;
    if (outcome.kind === "problem" && outcome.halt) {
      rest = "refused";
      hooks.refused(null, outcome.problem, [...pending]);
      show();
      return;
    }
    if (outcome.kind === "problem") {
      refuse(outcome.problem, batch);
    } else if (!stop(outcome.missed ?? [])) {
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

  /** @type {(problem: Problem, batch: Operation[]) => void} */
  function refuse(problem, batch) {
    if (stop([], problem.scheme_version)) { // by another scheme than this page's
      return;
    }
    const culprit = batch[problem.operation ?? -1] ?? (batch.length === 1 ? batch[0] : null);
    if (!culprit) {
      limit = 1; // one by one, to find out which it is
      return;
    }
    drop([culprit]);
    rest = "refused";
    hooks.refused(culprit, problem, [...pending]);
  }

  /** @param {Operation[]} operations */
  function drop(operations) {
    if (operations.length > 0) {
      const uuids = operations.map((operation) => operation.uuid);
      pending = pending.filter((operation) => !uuids.includes(operation.uuid));
      outbox.remove(uuids).catch(() => hooks.storageFailed());
    }
  }

  return { start, push, flush, check, log, waiting: () => pending.length, version: () => version };
}

/** Nobody is signed in any more, or somebody else. @param {Response} response */
function isSignedOut(response) {
  return response.type === "opaqueredirect" || response.status === 401 || response.status === 403;
}

/**
 * crypto.randomUUID is only there in a secure context; a laboratory server may be plain HTTP.
 * @type {(crypto: Partial<Crypto> & Pick<Crypto, "getRandomValues">) => string}
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

/** @type {(state: SaveState, waiting: number, durable: boolean) => string} */
export function stateText(state, waiting, durable) {
  const text = {
    saved: "All saved",
    saving: "Saving…",
    waiting: `${waiting} waiting, no connection`,
    busy: `${waiting} waiting, the server is busy`,
    merged: "Changed elsewhere: merged",
    refused: waiting > 0 ? `${waiting} not accepted by the server` : "One answer refused",
    "signed-out": "Signed out",
  }[state];
  return durable || waiting === 0 ? text : `${text}, kept in this tab only`;
}
