import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { Input } from "../../src/engine/model/input.ts";
import { defaultSettings } from "../../src/engine/model/settings.ts";
import { parseSnapshot, restoreState, serializeState } from "../../src/engine/snapshot.ts";
import { readyPullRequest } from "../../src/replay/engine-run/messages.ts";
import { HistorySweeper } from "../../src/service/runtime/history-sweeper.ts";
import { QueueRuntime } from "../../src/service/runtime/queue-runtime.ts";
import { eventsPerBlock } from "../../src/store/queue/event-archive.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { createSqliteFile, type SqliteFile } from "../store/sqlite-file.ts";

const queueId = "queue-1";
const repo = { host: "github.com", owner: "acme", name: "widgets" };
const actor = { kind: "user", name: "alice" } as const;
const now = 1_000_000;
const dayMs = 86_400_000;
const log = { debug() {}, info() {}, warn() {}, error: (fields: object) => console.error(fields) };
const pullRequests = 400;
const targetsEach = 50;

describe("a long queue in parallel mode", () => {
  let file: SqliteFile;
  let store: Store;
  beforeEach(async () => {
    file = await createSqliteFile();
    store = await file.open();
  });
  afterEach(async () => {
    await store.close();
    await file.remove();
  });

  /** Lets the service remove and archive what is old, some time after the events. */
  async function sweep(laterMs: number, isDone: () => boolean): Promise<void> {
    const sweeper = new HistorySweeper(store.history, { now: () => now + laterMs }, log, 400 * dayMs);
    sweeper.start();
    while (!isDone()) await setTimeout(5);
    await sweeper.stop();
  }

  function countRows(table: string): number {
    const database = new DatabaseSync(file.path, { readOnly: true });
    const row = database.prepare(`select count(*) as rows from ${table}`).get();
    database.close();
    return Number(row?.rows);
  }

  it("is the same after a restart, including its targets, which the snapshot does not contain", async () => {
    const before = startRuntime(store);
    await create(before);
    await Promise.all(prs(1, pullRequests).map((pr) => before.dispatch(queueId, submission(pr))));
    await before.rest();
    const { seq = 0, state = "" } = (await snapshot(store)) ?? {};
    expect(seq).toBeGreaterThan(pullRequests);
    const targets = Math.max(...prs(1, pullRequests).map(lastTarget));
    expect(state.split(/\D+/)).not.toContain(String(targets));
    expect(state.length).toBeLessThan(pullRequests * (800 + 4 * targetsEach));
    await before.dispatch(queueId, { type: "cancel", pr: 7, actor, via: "api" });

    await before.rest();
    const last = serializeState(await before.state(queueId));
    await store.close();
    store = await file.open();
    const after = await startRuntime(store).state(queueId);
    expect(serializeState(after)).toBe(last);
    expect(after.entries.get(7)).toBeUndefined();
    for (const pr of [1, 8, pullRequests]) expect(after.entries.get(pr)?.targets).toEqual(targetsOf(pr));
  });

  it("still decides by its targets after a restart", async () => {
    const before = startRuntime(store);
    await create(before);
    await Promise.all(prs(1, pullRequests).map((pr) => before.dispatch(queueId, submission(pr))));
    await before.rest();
    expect(await snapshot(store)).not.toBeNull();
    const after = startRuntime(store);
    const changes = { status: "running", concurrency: 4 } as const;
    const { state } = await after.dispatch(queueId, { type: "configure", changes, actor });
    await after.rest();
    const ahead = [...state.runs.values()].map((run) => [...run.members, ...run.ahead]);
    // Neighbouring pull requests share a target, and others do not.
    expect(ahead).toEqual([[1], [2, 1], [3, 1, 2], [4, 1, 2, 3]]);
  });

  it("is the same after a restart when its events of more than a month ago have been archived", async () => {
    const before = startRuntime(store);
    await create(before);
    for (let first = 1; first <= pullRequests; first += 100) {
      await Promise.all(prs(first, 100).map((pr) => before.dispatch(queueId, submission(pr))));
      await before.rest();
    }
    await Promise.all(
      prs(1, 300).map((pr) => before.dispatch(queueId, { type: "cancel", pr, actor, via: "api" })),
    );
    await before.rest();
    const last = serializeState(await before.state(queueId));
    const events = await store.queues.eventsAfter(queueId, 0);
    await sweep(31 * dayMs, () => countRows("archived_events") > 0);
    expect(countRows("events")).toBe(events.length - eventsPerBlock);
    expect(await store.queues.eventsAfter(queueId, 0)).toEqual(events);
    expect(serializeState(await startRuntime(store).state(queueId))).toBe(last);
  });

  it("cannot be restored from a snapshot that names an event without targets", async () => {
    const runtime = startRuntime(store);
    await create(runtime);
    await runtime.dispatch(queueId, submission(1));
    const { targetsSeq } = (await runtime.state(queueId)).entries.get(1) ?? {};
    const text = serializeState(await runtime.state(queueId));
    const restore = () => restoreState(parseSnapshot(text), new Map());
    expect(restore).toThrow(`event ${targetsSeq} does not say what #1 impacts`);
  });
});

function startRuntime(store: Store): QueueRuntime {
  let ids = 0;
  return new QueueRuntime({
    store: store.queues,
    clock: { now: () => now },
    ids: { next: () => `id-${String(++ids).padStart(6, "0")}` },
    log,
    pace: { publishMs: 0, mergeabilityMs: 0 },
    pageUrl: () => null,
  });
}

async function create(runtime: QueueRuntime): Promise<void> {
  const settings = { ...defaultSettings, policy: "fixed", mode: "parallel" } as const;
  const creates = { id: queueId, repo, branch: "main", installationId: 1, repositoryId: null, createdAt: 1 };
  const input = {
    type: "create_queue",
    queueId,
    repo,
    branch: "main",
    settings,
    baseSha: "base",
    actor,
  } as const;
  await runtime.dispatch(queueId, input, { creates });
  await runtime.dispatch(queueId, { type: "configure", changes: { status: "paused" }, actor });
}

async function snapshot(store: Store) {
  return (await store.queues.load(queueId)).snapshot;
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
    targets: targetsOf(pr),
    actor,
    via: "api",
  };
}

/** The last target of a pull request is the first target of the next one. */
function targetsOf(pr: number): TargetSet {
  return TargetSet.of(prs(0, targetsEach).map((index) => 1_000_000 + pr * targetsEach + index));
}

function lastTarget(pr: number): number {
  return Math.max(...targetsOf(pr));
}

function prs(first: number, count: number): number[] {
  return Array.from({ length: count + (first === 0 ? 1 : 0) }, (_, index) => first + index);
}
