import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import type { Event } from "../../src/engine/model/event.ts";
import type { QueueState } from "../../src/engine/model/queue.ts";
import { defaultSettings, type QueueSettings } from "../../src/engine/model/settings.ts";
import { serializeState } from "../../src/engine/snapshot.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { mostViewed, QueuePast } from "../../src/service/queues/queue-past.ts";
import { Forecasts } from "../../src/service/runtime/forecasts.ts";
import { accepted } from "../../src/service/runtime/outcome.ts";
import { eventsPerPastState, PastKeeper } from "../../src/service/runtime/past-keeper.ts";
import { firstStopState, marksOf } from "../../src/service/runtime/queue-marks.ts";
import { queuePicture } from "../../src/service/runtime/views.ts";
import type { Store } from "../../src/store/sqlite/open-store.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets } from "../../tools/simulator/workload/model.ts";
import { buildCommit, buildQueue } from "../contract/build-queue.ts";
import { createSqliteFile, type SqliteFile } from "../store/sqlite-file.ts";

const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const queue = buildQueue({ createdAt: 0 });

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

describe.each([
  ["lanes, ordered by beliefs", { mode: "parallel", concurrency: 16 }, "entry_suspected"],
  [
    "a line of batches",
    { mode: "single", concurrency: 8, policy: "fixed", batch: true },
    "bisection_started",
  ],
] as const)("the past of a queue with %s", (_name, settings, kind) => {
  it("is at each moment what was shown then, however the log is kept", async () => {
    const { events, states } = play({ ...defaultSettings, ...settings });
    expect(events.length).toBeGreaterThan(2 * eventsPerPastState);
    expect(events.map(({ data }) => data.type)).toContain(kind);
    const [first] = events;
    await store.queues.commit(buildCommit({ creates: queue, events: events.slice(0, 1) }));
    for (let from = 1; from < events.length; from += 500)
      await store.queues.commit(buildCommit({ events: events.slice(from, from + 500) }));
    const past = new QueuePast({ find: async () => accepted(queue) }, store.past, store.queues);
    const moments = [...states.keys()];
    const check = async (at: number) => {
      const read = await past.read(queue, at);
      const shownAt = moments.findLast((moment) => moment <= at);
      const state = shownAt === undefined ? null : (states.get(shownAt) ?? null);
      const view =
        state && queuePicture(state, new Forecasts({ now: () => at }), { from: 0, most: mostViewed });
      expect(read).toMatchObject({ ok: true, value: { view } });
    };
    const sample = moments.filter((_, index) => index % 97 === 0 || index === moments.length - 1);
    for (const at of sample) await check(at);

    const keeper = new PastKeeper(store.past, store.queues, log);
    keeper.start();
    while ((await store.past.countNewer(queue.id)) >= eventsPerPastState) await setTimeout(10);
    await keeper.stop();
    const last = states.get(moments.at(-1) ?? 0);
    await store.queues.saveSnapshot(queue.id, {
      seq: last?.seq ?? 0,
      state: last ? serializeState(last) : "",
    });
    expect(await store.history.archiveEvents(queue.id, Number.MAX_SAFE_INTEGER)).toBe(true);
    for (const at of sample) await check(at);
    for (const at of sample) await check(at + 1);
    await check((first?.at ?? 0) - 1);

    const { marks } = marksOf(events, firstStopState);
    const [from = 0, to = 0] = [moments[Math.floor(moments.length / 3)], moments.at(-20)];
    expect(await past.marks(queue, { from, to })).toEqual(
      accepted({ marks: marks.filter(({ at }) => at >= from && at <= to), stop: null }),
    );
  });
});

/** Plays a day of a busy queue. Returns its log, and its state after each moment. */
function play(settings: QueueSettings) {
  const events: Event[] = [];
  const states = new Map<number, QueueState>();
  const workload = generateWorkload({ ...presets.wild.model, bad: 0.15 });
  runEngine(workload, settings, (state, input, context) => {
    const decided = decide(state, input, context);
    const fresh = decided.events.filter(({ seq }) => seq > (events.at(-1)?.seq ?? 0));
    events.push(...fresh);
    if (fresh.length > 0) states.set(context.now, decided.state);
    return decided;
  });
  return { events, states };
}
