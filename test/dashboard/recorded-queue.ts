import { decide } from "../../src/engine/decide.ts";
import { type Entry, isTerminal } from "../../src/engine/model/entry.ts";
import type { Event } from "../../src/engine/model/event.ts";
import type { RepositoryRef } from "../../src/engine/model/queue.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { presets } from "../../tools/simulator/workload/model.ts";

export interface RecordedQueue {
  readonly events: readonly Event[];
  /** The last state of each pull request. */
  readonly entries: readonly Entry[];
}

/**
 * Puts a queue with the history of a small team into a database: what the engine decided in some hours, which end at `now`.
 */
export async function recordQueue(
  databaseUrl: string,
  repo: RepositoryRef,
  now: number,
  { hours, settings }: { readonly hours: number; readonly settings: Partial<QueueSettings> },
): Promise<RecordedQueue> {
  const { model, mode } = presets["small-team"];
  const workload = generateWorkload({ ...model, hours, rate: 8, seed: 3 });
  const events: Event[] = [];
  const entries = new Map<number, Entry>();
  runEngine(workload, queueSettings(mode, workload.settings, settings), (state, input, context) => {
    const decided = decide(state, input, context);
    if (decided.events[0]?.seq !== (events.at(-1)?.seq ?? 0) + 1) return decided;
    events.push(...decided.events);
    for (const [pr, entry] of decided.touched) entries.set(pr, entry);
    return decided;
  });
  const queueId = "recorded";
  const later = now - (events.at(-1)?.at ?? 0);
  const recorded = {
    events: events.map(({ seq, at, data }): Event => {
      const named = data.type === "queue_created" ? { ...data, queueId, repo } : data;
      return { seq, at: at + later, data: named };
    }),
    entries: [...entries.values()]
      .filter(({ state }) => isTerminal(state))
      .map((entry) => ({
        ...entry,
        submittedAt: entry.submittedAt + later,
        stateChangedAt: entry.stateChangedAt + later,
      })),
  };
  const store = await openStore(databaseUrl);
  const place = { repo, branch: "main", installationId: 1, repositoryId: null };
  const creates = { id: queueId, ...place, createdAt: 1 };
  await store.queues.commit({ queueId, ...recorded, tasks: [], settles: [], creates });
  await store.close();
  return recorded;
}
