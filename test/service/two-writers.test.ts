import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Input } from "../../src/engine/model/input.ts";
import type { QueueState } from "../../src/engine/model/queue.ts";
import { defaultSettings } from "../../src/engine/model/settings.ts";
import { serializeState } from "../../src/engine/snapshot.ts";
import { readyPullRequest } from "../../src/replay/engine-run/messages.ts";
import { Forecasts } from "../../src/service/runtime/forecasts.ts";
import { QueueRuntime } from "../../src/service/runtime/queue-runtime.ts";
import { EntryReader } from "../../src/service/runtime/views.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { createSqliteFile, type SqliteFile } from "../store/sqlite-file.ts";

const queueId = "queue-1";
const repo = { host: "github.com", owner: "acme", name: "widgets" };
const actor = { kind: "user", name: "alice" } as const;

describe("two processes with the log of one queue", () => {
  let file: SqliteFile;
  let stores: Store[];
  let one: QueueRuntime;
  let other: QueueRuntime;

  beforeEach(async () => {
    file = await createSqliteFile();
    stores = [await file.open(), await file.open()];
    [one, other] = stores.map(startRuntime) as [QueueRuntime, QueueRuntime];
    const settings = { ...defaultSettings, policy: "fixed" } as const;
    const creates = {
      id: queueId,
      repo,
      branch: "main",
      installationId: 1,
      repositoryId: null,
      createdAt: 1,
    };
    const created = { type: "create_queue", queueId, repo, branch: "main", baseSha: "base" } as const;
    await one.dispatch(queueId, { ...created, settings, actor }, { creates });
    await other.state(queueId);
  });
  afterEach(async () => {
    await one.rest();
    await other.rest();
    for (const store of stores) await store.close();
    await file.remove();
  });

  it("both show the events that either of them has committed", async () => {
    await one.dispatch(queueId, submission(1));
    expect([...(await other.state(queueId)).entries.keys()]).toEqual([1]);
    await other.dispatch(queueId, submission(2));
    expect([...(await one.state(queueId)).entries.keys()]).toEqual([1, 2]);
  });

  it("show a pull request consistently, although it is submitted between two readings for one answer", async () => {
    const clock = { now: () => 1_000 };
    const [store] = stores as [Store, Store];
    const reader = new EntryReader({
      ...{ store: store.queues, targets: store.targets, runtime: other, pageUrl: () => null },
      forecasts: new Forecasts(clock),
    });
    const before = await other.state(queueId);
    await one.dispatch(queueId, submission(1));
    const view = await reader.entryView(before, 1);
    expect(view).toMatchObject({ live: true, position: 1, entry: { state: "pending" } });
  });

  it("can decide about input that only the other one has seen", async () => {
    await one.dispatch(queueId, submission(1));
    const { refusal, events } = await other.dispatch(queueId, { type: "cancel", pr: 1, actor, via: "api" });
    expect(refusal).toBeNull();
    expect(events.map(({ data }) => data.type)).toContain("entry_moved");
    expect((await one.state(queueId)).entries.size).toBe(0);
  });

  it("receive each other's events once and in order", async () => {
    const told: number[] = [];
    other.onCommit((_id, events) => told.push(...events.map(({ seq }) => seq)));
    const from = (await other.state(queueId)).seq;
    await one.dispatch(queueId, submission(1));
    await one.dispatch(queueId, submission(2));
    await other.dispatch(queueId, submission(3));
    const { seq } = await other.state(queueId);
    expect(told).toEqual(Array.from({ length: seq - from }, (_, index) => from + 1 + index));
  });

  it("leave a queue where it is when the other one has created a queue at its new place, and lose no input", async () => {
    const renamed = { ...repo, name: "gadgets" };
    const place = { repo: renamed, branch: "main", installationId: 1, repositoryId: 7 };
    const creates = { ...place, id: "queue-2", createdAt: 2 };
    const created = { type: "create_queue", queueId: "queue-2", repo: renamed, branch: "main" } as const;
    const settings = { ...defaultSettings, policy: "fixed" } as const;
    await other.dispatch("queue-2", { ...created, baseSha: "base", settings, actor }, { creates });
    const from = { repo, branch: "main" };
    const observed = { type: "place_observed", from, repo: renamed, branch: "main" } as const;
    const relocates = { place, streams: { from: "publish/widgets/", to: "publish/gadgets/" } };
    const [moved, submitted] = await Promise.all([
      one.dispatch(queueId, observed, { relocates }),
      one.dispatch(queueId, submission(1)),
    ]);
    expect(moved).toMatchObject({ events: [], refusal: { code: "QUEUE_EXISTS", branch: "main" } });
    expect(submitted.refusal).toBeNull();
    const state = await other.state(queueId);
    expect(state.repo).toEqual(repo);
    expect([...state.entries.keys()]).toEqual([1]);
  });

  it("lose no input that both get at the same time, and end with the same state", async () => {
    const given = Array.from({ length: 60 }, (_, index) => index + 1);
    const decided = await Promise.all(
      given.map((pr) => (pr % 2 === 0 ? one : other).dispatch(queueId, submission(pr))),
    );
    expect(decided.map(({ refusal }) => refusal)).toEqual(given.map(() => null));
    const [ours, theirs] = [await one.state(queueId), await other.state(queueId)];
    expect([...ours.entries.keys()].toSorted((a, b) => a - b)).toEqual(given);
    expect(digest(theirs)).toBe(digest(ours));
    expect(digest(await afterRestart())).toBe(digest(ours));
  });

  it("can both store snapshots of it", async () => {
    const given = Array.from({ length: 400 }, (_, index) => index + 1);
    for (const runtime of [one, other, one, other]) {
      await Promise.all(given.splice(0, 100).map((pr) => runtime.dispatch(queueId, submission(pr))));
      await runtime.rest();
    }
    expect((await stores[0]?.queues.load(queueId))?.snapshot).not.toBeNull();
    expect(digest(await afterRestart())).toBe(digest(await one.state(queueId)));
  });

  it("accept the result of a task only from the worker that holds it, and still decide other input", async () => {
    await one.dispatch(queueId, submission(1));
    const build = async (store: Store | undefined, now: number) => {
      const rows = await store?.outbox.claim({ owner: "worker", now, leaseMs: 1_000, limit: 100 });
      const row = rows?.find(({ task }) => task.type === "build_test_commit");
      if (row?.task.type !== "build_test_commit") throw new Error("nothing is to be built");
      const outcome = { kind: "infrastructure_error", message: "no answer" } as const;
      return { row, input: { type: "test_commit_concluded", runId: row.task.runId, outcome } as const };
    };
    const late = await build(stores[0], 1_001_000);
    const held = await build(stores[1], 1_002_000);
    const [lost, alongside] = await Promise.all([
      one.dispatch(queueId, late.input, { settles: late.row }),
      one.dispatch(queueId, submission(2)),
    ]);
    expect(lost.events).toEqual([]);
    expect([...lost.state.runs.values()].map(({ state }) => state)).toEqual(["building"]);
    expect(alongside.refusal).toBeNull();
    expect([...(await other.state(queueId)).entries.keys()]).toEqual([1, 2]);

    const taken = await other.dispatch(queueId, held.input, { settles: held.row });
    expect(taken.events).not.toEqual([]);
    expect(
      (await stores[0]?.outbox.claim({ owner: "w", now: 9e9, leaseMs: 1, limit: 9 }))?.map(({ id }) => id),
    ).not.toContain(held.row.id);
  });

  async function afterRestart(): Promise<QueueState> {
    const store = await file.open();
    stores.push(store);
    return startRuntime(store).state(queueId);
  }
});

/** The digest of a state. A whole state is too long to show in a failure message. */
function digest(state: QueueState): string {
  return createHash("sha256").update(serializeState(state)).digest("hex");
}

let started = 0;

function startRuntime(store: Store): QueueRuntime {
  const name = ++started;
  let ids = 0;
  const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => console.error(fields) };
  return new QueueRuntime({
    store: store.queues,
    clock: { now: () => 1_000_000 },
    ids: { next: () => `${name}-${String(++ids).padStart(6, "0")}` },
    log,
    pace: { publishMs: 0, mergeabilityMs: 0 },
    pageUrl: () => null,
  });
}

function submission(pr: number): Input {
  return {
    type: "submit",
    entryId: `entry-${pr}`,
    pullRequest: readyPullRequest(pr),
    expectedHead: null,
    seenHead: null,
    priority: null,
    noBatch: null,
    targets: null,
    actor,
    via: "api",
  };
}
