import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryOutbox } from "../../../static/js/workbench/saving/outbox.js";
import { createSync, PATIENCE, stateText, uuid } from "../../../static/js/workbench/saving/sync.js";

const judge = (id, category = "none") => ({ uuid: id, kind: "judge", payload: { markable: `m-${id}`, category } });
const answer = (status, body, headers = {}) => ({ status, type: "basic", headers: new Headers(headers), json: async () => body });
const settled = async () => {
  for (let turn = 0; turn < 30; turn += 1) {
    await Promise.resolve();
  }
};

/** A sync whose server is a list of answers, each a response, an error, or a function of the request. */
function setUp({ answers = [], outbox = memoryOutbox(), version = 0 } = {}) {
  const said = { states: [], acknowledged: [], missed: [], refused: [], storageFailed: 0, outdated: 0 };
  const requests = [];
  const timers = [];
  let open = 0;
  let mostOpen = 0;
  const sync = createSync({
    coding: "this one",
    url: "/operations/",
    user: "anna é",
    csrf: () => "token",
    version,
    scheme: 2,
    outbox,
    hooks: {
      state: (state, waiting) => said.states.push([state, waiting]),
      acknowledged: (operations) => said.acknowledged.push(...operations.map((operation) => operation.uuid)),
      missed: (missed, pending) => said.missed.push([missed.map((one) => one.uuid), pending.map((one) => one.uuid)]),
      refused: (operation, problem, pending) => said.refused.push([operation?.uuid ?? null, problem.code, pending.length]),
      storageFailed: () => { said.storageFailed += 1; },
      outdated: () => { said.outdated += 1; },
    },
    fetch: async (address, options) => {
      const body = options.body ? JSON.parse(options.body) : null;
      requests.push({ address, options, version: body?.version, uuids: body?.operations.map((operation) => operation.uuid) });
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      await Promise.resolve();
      open -= 1;
      let next = answers.shift() ?? answer(200, { version: body.version + body.operations.length });
      if (typeof next === "function") {
        next = next(body);
      }
      if (next instanceof Error) {
        throw next;
      }
      return next;
    },
    timers: {
      setTimeout: (work, pause) => timers.push({ work, pause, live: true }),
      clearTimeout: (id) => { timers[id - 1].live = false; },
    },
    random: () => 1,
  });
  const pauses = () => timers.filter((timer) => timer.pause !== PATIENCE).map((timer) => timer.pause);
  const ring = async () => {
    const timer = timers.find((one) => one.live && one.pause !== PATIENCE);
    timer.live = false;
    timer.work();
    await settled();
  };
  return { sync, said, requests, outbox, pauses, ring, mostOpen: () => mostOpen, last: () => said.states.at(-1) };
}

test("an operation goes out at once with the version, the token and the session, and is then saved", async () => {
  const { sync, said, requests, outbox, last } = setUp({ version: 12 });
  sync.push(judge("a"));
  assert.deepEqual(last(), ["saving", 1]);
  await settled();
  assert.deepEqual([requests[0].version, requests[0].uuids], [12, ["a"]]);
  assert.equal(requests[0].options.headers["X-CSRFToken"], "token");
  assert.equal(requests[0].options.headers["X-Coding"], "this one");
  assert.equal(requests[0].options.credentials, "same-origin");
  assert.deepEqual(said.acknowledged, ["a"]);
  assert.deepEqual(last(), ["saved", 0]);
  assert.deepEqual(await outbox.all(), []);
});

test("one request is in flight, and what gathers meanwhile goes out together, in order", async () => {
  const { sync, requests, mostOpen } = setUp();
  for (const id of ["a", "b", "c"]) {
    sync.push(judge(id));
  }
  await settled();
  assert.deepEqual(requests.map((request) => request.uuids), [["a"], ["b", "c"]]);
  assert.deepEqual(requests.map((request) => request.version), [0, 1]);
  assert.equal(mostOpen(), 1);
});

test("at most a hundred operations go out at a time", async () => {
  const outbox = memoryOutbox();
  for (let count = 0; count < 150; count += 1) {
    await outbox.add(judge(`o${count}`));
  }
  const { sync, requests } = setUp({ outbox });
  await sync.start();
  await settled();
  assert.deepEqual(requests.map((request) => request.uuids.length), [100, 50]);
});

test("where the server asks to wait nothing is sent before", async () => {
  const { sync, pauses, ring, last } = setUp({ answers: [answer(429, null, { "Retry-After": "40" })] });
  sync.push(judge("a"));
  await settled();
  assert.deepEqual(last(), ["busy", 1]);
  assert.deepEqual(pauses(), [40000]);
  await ring();
  assert.deepEqual(last(), ["saved", 0]);
});

test("without a connection operations wait, with longer and longer pauses up to half a minute", async () => {
  const { sync, pauses, ring, last, outbox, said } = setUp({ answers: Array.from({ length: 7 }, () => new TypeError("offline")) });
  sync.push(judge("a"));
  await settled();
  assert.deepEqual(last(), ["waiting", 1]);
  for (let count = 0; count < 6; count += 1) {
    await ring();
  }
  assert.deepEqual(pauses(), [1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  assert.equal((await outbox.all()).length, 1);
  await ring();
  assert.deepEqual(last(), ["saved", 0]);
  assert.deepEqual(said.acknowledged, ["a"]);
});

test("a new answer while waiting does not hurry the next attempt, the connection coming back does", async () => {
  const { sync, requests, last } = setUp({ answers: [new TypeError("offline")] });
  sync.push(judge("a"));
  await settled();
  sync.push(judge("b"));
  await settled();
  assert.equal(requests.length, 1);
  assert.deepEqual(last(), ["waiting", 2]);
  sync.flush();
  await settled();
  assert.deepEqual(requests[1].uuids, ["a", "b"]);
  assert.deepEqual(last(), ["saved", 0]);
});

test("a server in trouble is asked again with the same uuids", async () => {
  const { sync, requests, ring, said } = setUp({ answers: [answer(503, null), answer(429, null)] });
  sync.push(judge("a"));
  await settled();
  await ring();
  await ring();
  assert.deepEqual(requests.map((request) => request.uuids), [["a"], ["a"], ["a"]]);
  assert.deepEqual(said.acknowledged, ["a"]);
});

test("what an earlier visit could not send is sent on loading", async () => {
  const outbox = memoryOutbox();
  await outbox.add(judge("old"));
  const { sync, requests } = setUp({ outbox });
  assert.deepEqual((await sync.start()).map((operation) => operation.uuid), ["old"]);
  await settled();
  assert.deepEqual(requests[0].uuids, ["old"]);
  assert.deepEqual(await outbox.all(), []);
});

test("after 409 what was missed is handed over and one's own is sent again on the new version", async () => {
  const missed = [{ ...judge("x"), sequence: 1 }, { ...judge("y"), sequence: 2 }];
  const { sync, said, requests, last } = setUp({ answers: [answer(409, { version: 2, missed })] });
  sync.push(judge("a"));
  await settled();
  assert.deepEqual(said.missed, [[["x", "y"], ["a"]]]);
  assert.deepEqual(requests.map((request) => [request.version, request.uuids]), [[0, ["a"]], [2, ["a"]]]);
  assert.deepEqual(last(), ["merged", 0]);
  sync.push(judge("b"));
  await settled();
  assert.deepEqual(last(), ["saved", 0]);
});

test("one's own operation among those missed had arrived: it is not sent again", async () => {
  const { sync, requests, outbox, last } = setUp({
    answers: [new TypeError("lost answer"), answer(409, { version: 2, missed: [judge("a"), judge("x")] })],
  });
  sync.push(judge("a"));
  await settled();
  sync.flush();
  await settled();
  assert.equal(requests.length, 2);
  assert.deepEqual(await outbox.all(), []);
  assert.deepEqual(last(), ["merged", 0]);
});

test("a version that went further than was sent makes the page read the log", async () => {
  const log = [{ ...judge("a"), sequence: 1 }, { ...judge("x"), sequence: 2 }];
  const { sync, said, requests, last } = setUp({ answers: [answer(200, { version: 2 }), answer(200, { results: log })] });
  sync.push(judge("a"));
  await settled();
  assert.equal(requests[1].address, "/operations/?since=0");
  assert.deepEqual(said.missed, [[["a", "x"], []]]);
  assert.deepEqual(last(), ["merged", 0]);
});

test("an answer that got lost and is sent again counts once, and is no news", async () => {
  const { sync, said, last } = setUp({
    answers: [new TypeError("lost answer"), answer(200, { version: 1 }), answer(200, { results: [{ ...judge("a"), sequence: 1 }] })],
    version: 1,
  });
  sync.push(judge("a"));
  await settled();
  sync.flush();
  await settled();
  assert.deepEqual(said.missed, [[[], []]]);
  assert.deepEqual(last(), ["saved", 0]);
});

test("a refused operation is dropped and the others go out without it", async () => {
  const problem = { code: "points_later", title: "no", operation: 1 };
  const outbox = memoryOutbox();
  for (const id of ["a", "b", "c"]) {
    await outbox.add(judge(id));
  }
  const { sync, said, requests, last } = setUp({ outbox, answers: [answer(400, problem)] });
  await sync.start();
  await settled();
  assert.deepEqual(said.refused, [["b", "points_later", 2]]);
  assert.deepEqual(requests[1].uuids, ["a", "c"]);
  assert.deepEqual(last(), ["refused", 0]);
  assert.deepEqual(await outbox.all(), []);
});

test("when the server does not say which operation it refuses, they go one by one", async () => {
  const invalid = answer(400, { code: "invalid", title: "no" });
  const outbox = memoryOutbox();
  await outbox.add(judge("a"));
  await outbox.add(judge("b"));
  const { sync, said, requests } = setUp({ outbox, answers: [invalid, invalid] });
  await sync.start();
  await settled();
  assert.deepEqual(requests.map((request) => request.uuids), [["a", "b"], ["a"], ["b"]]);
  assert.deepEqual(said.refused, [["a", "invalid", 1]]);
  assert.deepEqual(said.acknowledged, ["b"]);
});

test("what judges the whole coding, or nothing, drops no answer", async () => {
  const submitted = answer(400, { code: "submitted", operation: null });
  const gone = answer(404, { code: "not_found" });
  const stranger = answer(400, null);
  for (const refusal of [submitted, gone, stranger, answer(413, null)]) {
    const { sync, said, outbox, last } = setUp({ answers: [refusal] });
    sync.push(judge("a"));
    await settled();
    assert.equal(said.refused[0][0], null);
    assert.equal(said.refused[0][2], 1);
    assert.deepEqual(last(), ["refused", 1]);
    assert.equal((await outbox.all()).length, 1);
  }
});

test("who is signed out keeps everything and is told", async () => {
  for (const refusal of [answer(401, {}), answer(403, {}), { type: "opaqueredirect", status: 0, json: async () => null }]) {
    const { sync, outbox, last } = setUp({ answers: [refusal] });
    sync.push(judge("a"));
    await settled();
    assert.deepEqual(last(), ["signed-out", 1]);
    assert.equal((await outbox.all()).length, 1);
  }
});

test("a page in the middle that answers 200 with something else is no acknowledgement", async () => {
  const { sync, outbox, last } = setUp({ answers: [answer(200, null)] });
  sync.push(judge("a"));
  await settled();
  assert.deepEqual(last(), ["waiting", 1]);
  assert.equal((await outbox.all()).length, 1);
});

test("an outbox that takes nothing more is said, and the answer is sent all the same", async () => {
  const outbox = { ...memoryOutbox(), add: async () => { throw new Error("quota"); } };
  const { sync, said } = setUp({ outbox });
  sync.push(judge("a"));
  await settled();
  assert.equal(said.storageFailed, 1);
  assert.deepEqual(said.acknowledged, ["a"]);
});

test("a uuid is one, with or without a secure context", () => {
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  assert.match(uuid(crypto), pattern);
  const plain = { getRandomValues: (bytes) => crypto.getRandomValues(bytes) };
  assert.match(uuid(plain), pattern);
  assert.notEqual(uuid(plain), uuid(plain));
});

test("the save state says how much waits, and when it would not outlive the tab", () => {
  assert.equal(stateText("saved", 0, true), "All saved");
  assert.equal(stateText("waiting", 3, true), "3 waiting, no connection");
  assert.equal(stateText("waiting", 3, false), "3 waiting, no connection, kept in this tab only");
  assert.equal(stateText("refused", 0, true), "One answer refused");
});

test("what others did is only said to be merged when one's own has arrived too", async () => {
  const missed = [{ ...judge("x"), sequence: 1 }];
  const { sync, said } = setUp({ answers: [answer(409, { version: 1, missed })] });
  sync.push(judge("a"));
  await settled();
  assert.ok(!said.states.slice(0, -1).some(([state, waiting]) => state === "merged" && waiting > 0));
});

test("asking whether others did something takes what they did, and keeps what waits here", async () => {
  const others = [{ ...judge("x"), sequence: 1 }, { ...judge("y"), sequence: 2 }];
  const { sync, said, requests, last } = setUp({ answers: [answer(200, { results: others }), answer(200, { results: [] })] });
  await sync.check();
  await settled();
  assert.deepEqual(requests.map((request) => request.address), ["/operations/?since=0", "/operations/?since=2"]);
  assert.deepEqual(said.missed, [[["x", "y"], []]]);
  assert.deepEqual(last(), ["merged", 0]);
  sync.push(judge("a"));
  await settled();
  assert.equal(requests.at(-1).version, 2);
});

test("what could not be asked while something was being sent is asked afterwards", async () => {
  const news = { ...judge("x"), sequence: 2 };
  const { sync, said, requests } = setUp({
    answers: [answer(200, { version: 1 }), answer(200, { results: [news] }), answer(200, { results: [] })],
  });
  sync.push(judge("a"));
  await sync.check();
  assert.equal(requests.length, 1);
  await settled();
  assert.deepEqual(requests.slice(1).map((request) => request.address), ["/operations/?since=1", "/operations/?since=2"]);
  assert.deepEqual(said.missed, [[["x"], []]]);
});

test("asking without a connection changes nothing", async () => {
  const { sync, said, last } = setUp({ answers: [new TypeError("offline")] });
  await sync.check();
  await settled();
  assert.deepEqual([said.missed, last()], [[], ["saved", 0]]);
});

test("the log of earlier visits is read up to where this one began", async () => {
  const log = [1, 2, 3].map((sequence) => ({ ...judge(String(sequence)), sequence }));
  const { sync } = setUp({ answers: [answer(200, { results: log })] });
  assert.deepEqual((await sync.log(0, 2)).map((one) => one.uuid), ["1", "2"]);
  const broken = setUp({ answers: [answer(500, null)] });
  await assert.rejects(broken.sync.log(0, 2));
});

test("operations of one step are kept and sent together", async () => {
  const { sync, requests, outbox } = setUp({ answers: [new TypeError("offline")] });
  sync.push(judge("a"), judge("b"), judge("c"));
  await settled();
  assert.deepEqual(requests[0].uuids, ["a", "b", "c"]);
  assert.equal((await outbox.all()).length, 3);
});

for (const [how, answers] of Object.entries({
  "of the text that a save hears of": [answer(409, { version: 13, missed: [{ uuid: "c", kind: "correct", payload: {}, sequence: 13 }] })],
  "of the scheme, which merged answers,": [answer(409, { version: 13, missed: [{ uuid: "c", kind: "merge", payload: {}, sequence: 13 }] })],
  "of the scheme, by which an answer is refused,": [answer(400, { code: "unknown_category", operation: 0, scheme_version: 3 })],
  "of the text that a save hears of behind its own": [answer(200, { version: 14 }),
    answer(200, { results: [{ uuid: "a", sequence: 13 }, { uuid: "c", kind: "correct", payload: {}, sequence: 14 }] })],
})) {
  test(`after a change ${how} nothing more is sent, and what waits keeps the version of its text`, async () => {
    const { sync, said, requests, outbox } = setUp({ version: 12, answers });
    sync.push(judge("a"));
    await settled();
    const asked = requests.length;
    sync.push(judge("b"));
    sync.flush();
    await sync.check();
    await settled();
    assert.deepEqual(said.refused, []);
    assert.equal(said.outdated, 1);
    assert.equal(requests.length, asked);
    assert.deepEqual(said.acknowledged.concat(said.missed), []);
    assert.deepEqual((await outbox.all()).map(({ uuid: id, seen }) => [id, seen]), [["a", 12], ["b", 12]]);
    assert.equal(requests[0].options.body.includes("seen"), false);
  });
}
