import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { defaultSettings } from "../../src/engine/model/settings.ts";
import { serializeState } from "../../src/engine/snapshot.ts";
import { readyPullRequest } from "../../src/replay/engine-run/messages.ts";
import { QueueRuntime } from "../../src/service/runtime/queue-runtime.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { createSqliteFile, type SqliteFile } from "../store/sqlite-file.ts";

const actor = { kind: "user", name: "alice" } as const;
const queueIds = Array.from({ length: 102 }, (_, index) => `queue-${index + 1}`);
const [queueId = "", ...others] = queueIds;
const submission = {
  type: "submit",
  entryId: "entry",
  pullRequest: readyPullRequest(1),
  ...{ expectedHead: null, seenHead: null, priority: null, noBatch: null, targets: null },
  actor,
  via: "api",
} as const;
const cancellation = { type: "cancel", pr: 1, actor, via: "api" } as const;

let file: SqliteFile;
let stores: Store[];
let runtime: QueueRuntime;
/** Another service on the same database. */
let other: QueueRuntime;
let lastId = 0;

beforeEach(async () => {
  file = await createSqliteFile();
  stores = [await file.open(), await file.open()];
  [runtime, other] = stores.map(startRuntime) as [QueueRuntime, QueueRuntime];
  await Promise.all(queueIds.map(create));
});
afterEach(async () => {
  await runtime.rest();
  await other.rest();
  for (const store of stores) await store.close();
  await file.remove();
});

function startRuntime(store: Store): QueueRuntime {
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => console.error(fields) };
  return new QueueRuntime({
    ...{ store: store.queues, clock: { now: () => 1_000_000 }, ids: { next: () => `id-${++lastId}` }, log },
    ...{ pageUrl: () => null, pace: { publishMs: 1_000, mergeabilityMs: 1_000 } },
  });
}

async function create(id: string): Promise<void> {
  const repo = { host: "github.com", owner: "acme", name: id };
  const place = { repo, branch: "main" };
  const creates = { id, ...place, installationId: 1, repositoryId: null, createdAt: 1 };
  const created = { type: "create_queue", queueId: id, ...place, baseSha: "base", actor } as const;
  await runtime.dispatch(id, { ...created, settings: { ...defaultSettings, concurrency: 7 } }, { creates });
}

async function useOthers(): Promise<void> {
  for (const id of others) await runtime.dispatch(id, { type: "clock" });
}

test("the state of an idle queue is unloaded once a hundred others were used, and is the same when it is loaded again", async () => {
  for (let times = 0; times < 5; times++) {
    await runtime.dispatch(queueId, submission);
    await runtime.dispatch(queueId, cancellation);
  }
  const before = await runtime.state(queueId);
  expect(await runtime.state(queueId)).toBe(before);
  await useOthers();
  const after = await runtime.state(queueId);
  expect(after).not.toBe(before);
  expect(serializeState(after)).toBe(serializeState(before));
  const { state, refusal } = await runtime.dispatch(queueId, submission);
  expect([refusal, [...state.entries.keys()], state.settings.concurrency]).toEqual([null, [1], 7]);
});

test("the state of a queue with a pull request stays loaded, and is unloaded after the pull request has left", async () => {
  const { state } = await runtime.dispatch(queueId, submission);
  await useOthers();
  expect(await runtime.state(queueId)).toBe(state);
  const left = await runtime.dispatch(queueId, cancellation);
  await useOthers();
  expect(await runtime.state(queueId)).not.toBe(left.state);
});

test("what another service commits to an unloaded queue is told once, and loading it again tells nothing", async () => {
  const told: (readonly number[])[] = [];
  const { seq } = await runtime.state(queueId);
  await useOthers();
  runtime.onCommit((id, events) => {
    if (id === queueId) told.push(events.map((event) => event.seq));
  });
  await runtime.state(queueId);
  expect(told).toEqual([]);
  await useOthers();
  const { events } = await other.dispatch(queueId, submission);
  const last = events.at(-1)?.seq ?? 0;
  await runtime.catchUp(queueId, last);
  await runtime.catchUp(queueId, last);
  expect(told).toEqual([Array.from({ length: last - seq }, (_, index) => seq + 1 + index)]);
});

test("the counts of a queue include every event, whichever service commits it, and whether it was loaded before", async () => {
  await runtime.dispatch(queueId, submission);
  await other.dispatch(queueId, cancellation);
  await useOthers();
  const { state } = await runtime.dispatch(queueId, submission);
  const stored = await stores[0]?.queues.tally(queueId);
  expect(stored?.seq).toBe(state.seq);
  const { states, transitions } = JSON.parse(stored?.content ?? "");
  expect(states).toMatchObject({ not_ready: 0, pending: 1 });
  expect(transitions).toMatchObject({ "none not_ready SUBMITTED_BY_API": 2, "not_ready pending READY": 2 });
});
