import { isStopEvent, type StopEvent, stopsQueue } from "../../engine/decision.ts";
import { isTerminal } from "../../engine/model/entry.ts";
import type { Event } from "../../engine/model/event.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { QueueRecord, QueueStore } from "../../store/queue/queue-store.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import { installed } from "../runtime/directory.ts";
import type { EntryView } from "../runtime/views.ts";
import { isRequeueLimitReached } from "./requeue-limit.ts";
import type { TestRuns } from "./test-runs.ts";

/** These limits apply however often a pull request is submitted and tested. */
const eventsShown = 100;
const runsShown = 10;
/** Of each series: the queue's status, its freeze, and the alarm that nothing merges. */
const stopsShown = 50;

export interface StopRecord extends Omit<Event, "data"> {
  readonly data: StopEvent;
}

/** What happened to a pull request in a queue. */
export interface EntryStory {
  readonly view: EntryView;
  /** Spelled as in the queue's state. */
  readonly repo: RepositoryRef;
  readonly branch: string;
  /** The last events of its story (`EntryEvent`), in order, also of earlier submissions. */
  readonly events: readonly Event[];
  /** The number of events before them. */
  readonly omitted: number;
  /** What stopped the queue while it was queued, and what let the queue continue, in order. A stop may have begun before its submission. */
  readonly stops: readonly StopRecord[];
  /** Its last test runs, newest first. */
  readonly runs: readonly RunRecord[];
  /** It failed, and bots have submitted its head again as often as the repository file allows. */
  readonly requeueNeedsPerson: boolean;
  /** The run that proves what merged. It may be a run of other pull requests whose tests contained this one. */
  readonly provedBy: RunRecord | null;
}

/** Reads the stories of pull requests. Reads only rows about them. */
export class EntryStories {
  readonly #store: Pick<QueueStore, "entryEvents" | "stopsBetween">;
  readonly #runs: Pick<TestRuns, "some">;
  readonly #files: Pick<RepositoryFiles, "known">;

  constructor(
    store: Pick<QueueStore, "entryEvents" | "stopsBetween">,
    runs: Pick<TestRuns, "some">,
    files: Pick<RepositoryFiles, "known">,
  ) {
    this.#store = store;
    this.#runs = runs;
    this.#files = files;
  }

  async read(queue: QueueRecord, view: EntryView): Promise<EntryStory> {
    const { pr, reason, runId, headSha, state } = view.entry;
    const { events, omitted } = await this.#store.entryEvents(queue.id, pr, eventsShown);
    const started = events.flatMap(({ data }) => (data.type === "run_started" ? [data.run.id] : []));
    const proof = reason.code === "MERGED_IN_ORDER" ? (reason.verifiedBy ?? runId) : null;
    // The story of an entry that an earlier version recorded may lack the start of its run.
    const own = new Set([...started.slice(-runsShown), ...(runId === null ? [] : [runId])]);
    const records = await this.#runs.some(queue, [...own, ...(proof === null ? [] : [proof])]);
    const file = state === "failed" ? await this.#files.known(installed(queue), queue.branch) : null;
    return {
      view,
      repo: queue.repo,
      branch: queue.branch,
      events,
      omitted,
      stops: await this.#stops(queue.id, events),
      runs: records.filter(({ run }) => own.has(run.id)).sort((a, b) => b.run.startedAt - a.run.startedAt),
      requeueNeedsPerson: isRequeueLimitReached(events, headSha, file?.requeuesByBots),
      provedBy: records.find(({ run }) => run.id === proof) ?? null,
    };
  }
  async #stops(queueId: string, events: readonly Event[]): Promise<readonly StopRecord[]> {
    const stays = staysOf(events);
    const [first, last] = [stays[0]?.first, stays.at(-1)?.last];
    if (first === undefined || last === undefined) return [];
    const found = await this.#store.stopsBetween(queueId, { first, last, limit: stopsShown });
    const stops = found.flatMap(({ data, ...event }) => (isStopEvent(data) ? [{ ...event, data }] : []));
    return stops.filter(({ seq, data }, index) => {
      const next = stops.slice(index + 1).find((other) => other.data.type === data.type);
      const until = stopsQueue(data) ? (next?.seq ?? Number.MAX_SAFE_INTEGER) : seq;
      return stays.some((stay) => seq <= stay.last && until >= stay.first);
    });
  }
}

/** The numbers of the first and the last event of each time that a pull request was queued; of the first one, the first known event. */
function staysOf(events: readonly Event[]): readonly { readonly first: number; readonly last: number }[] {
  const stays: { first: number; last: number }[] = [];
  for (const { seq, data } of events) {
    if (stays.length === 0 || data.type === "entry_admitted")
      stays.push({ first: seq, last: Number.MAX_SAFE_INTEGER });
    const stay = stays.at(-1);
    if (stay && data.type === "entry_moved" && isTerminal(data.to)) stay.last = seq;
  }
  return stays;
}
