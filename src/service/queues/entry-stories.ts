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
  /** Its last test runs, newest first. */
  readonly runs: readonly RunRecord[];
  /** It failed, and bots have submitted its head again as often as the repository file allows. */
  readonly requeueNeedsPerson: boolean;
  /** The run that proves what merged. It may be a run of other pull requests whose tests contained this one. */
  readonly provedBy: RunRecord | null;
}

/** Reads the stories of pull requests. Reads only rows about them. */
export class EntryStories {
  readonly #store: Pick<QueueStore, "entryEvents">;
  readonly #runs: Pick<TestRuns, "some">;
  readonly #files: Pick<RepositoryFiles, "known">;

  constructor(
    store: Pick<QueueStore, "entryEvents">,
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
      runs: records.filter(({ run }) => own.has(run.id)).sort((a, b) => b.run.startedAt - a.run.startedAt),
      requeueNeedsPerson: isRequeueLimitReached(events, headSha, file?.requeuesByBots),
      provedBy: records.find(({ run }) => run.id === proof) ?? null,
    };
  }
}
