import { decide } from "../../src/engine/decide.ts";
import { type Entry, isTerminal } from "../../src/engine/model/entry.ts";
import type { Event } from "../../src/engine/model/event.ts";
import type { QueueState, RepositoryRef } from "../../src/engine/model/queue.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import type { Decide } from "../../src/replay/engine-run/queue-driver.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { openStore } from "../../src/store/sqlite/open-store.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import { type PresetName, presets } from "../../tools/simulator/workload/model.ts";

export interface RecordedQueue {
  readonly events: readonly Event[];
  /** The last state of each pull request. */
  readonly entries: readonly Entry[];
}

interface Recording {
  readonly hours: number;
  readonly settings: Partial<QueueSettings>;
  /** Default: a small team. */
  readonly preset?: PresetName;
  /** Pull requests per hour. */
  readonly rate?: number;
  /** The recording ends in this state. Default: when the queue is empty. */
  readonly isEnd?: (state: QueueState) => boolean;
}

class RecordingEnded extends Error {}

/**
 * Puts a queue into a database, with what the engine decided in some hours, which end at `now`. Its id is the name of the repository.
 */
export async function recordQueue(
  databaseUrl: string,
  repo: RepositoryRef,
  now: number,
  { hours, settings, preset = "small-team", rate = 8, isEnd }: Recording,
): Promise<RecordedQueue> {
  const { model, mode } = presets[preset];
  const workload = generateWorkload({ ...model, hours, rate, seed: 3 });
  const events: Event[] = [];
  const entries = new Map<number, Entry>();
  const run: Decide = (state, input, context) => {
    const decided = decide(state, input, context);
    if (decided.events[0]?.seq !== (events.at(-1)?.seq ?? 0) + 1) return decided;
    events.push(...decided.events);
    for (const [pr, entry] of decided.touched) entries.set(pr, entry);
    if (isEnd?.(decided.state)) throw new RecordingEnded();
    return decided;
  };
  try {
    runEngine(workload, queueSettings(mode, workload.settings, settings), run);
    if (isEnd) throw new Error("the queue was never in the state in which the recording ends");
  } catch (error) {
    if (!(error instanceof RecordingEnded)) throw error;
  }
  const queueId = repo.name;
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
