import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { isActive, type TestRunKind } from "../../engine/model/test-run.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { TallyStore } from "../../store/queue/tally-store.ts";
import type { Directory } from "../runtime/directory.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import { countEvents, statisticsAt } from "./fold-statistics.ts";
import {
  deserializeStatistics,
  nothingCounted,
  type QueueStatistics,
  serializeStatistics,
} from "./queue-statistics.ts";

/** The metrics of a queue. */
export interface MeasuredQueue {
  readonly repo: RepositoryRef;
  readonly branch: string;
  readonly tally: QueueStatistics;
  /** The number of entries in the queue, without those that are not ready. */
  readonly depth: number;
  readonly notReady: number;
  /** Whether it removes nobody, because everything fails. */
  readonly nothingPasses: boolean;
  /** Whether pull requests wait, and nothing has merged for too long. */
  readonly isStalled: boolean;
  readonly activeRuns: Readonly<Record<TestRunKind, number>>;
}

/** Limits how many events of a long log are in memory at once. */
const eventsAtOnce = 5_000;
/**
 * A tally is stored after this many new events. Writing it more often costs more than counting a few events
 * again.
 */
const eventsPerTally = 200;

/** Measures queues from their logs. */
export class QueueMetrics {
  readonly #tallies: TallyStore;
  readonly #runtime: QueueRuntime;
  readonly #directory: Directory;
  readonly #clock: Clock;

  constructor(tallies: TallyStore, runtime: QueueRuntime, directory: Directory, clock: Clock) {
    this.#tallies = tallies;
    this.#runtime = runtime;
    this.#directory = directory;
    this.#clock = clock;
  }

  /** The queues of an organisation (of all if null), or of one repository, by owner, name and branch. */
  async measure(organisation: string | null, repo: RepositoryRef | null): Promise<readonly MeasuredQueue[]> {
    const all = repo ? await this.#directory.ofRepository(repo) : await this.#directory.list();
    const own = all.filter((queue) => organisation === null || isSameName(queue.repo.owner, organisation));
    const key = ({ repo: { owner, name }, branch }: QueueRecord) =>
      `${nameKey(`${owner}/${name}`)}:${branch}`;
    own.sort((a, b) => (key(a) < key(b) ? -1 : 1));
    return Promise.all(own.map((queue) => this.#measure(queue)));
  }

  async #measure({ id, repo, branch }: QueueRecord): Promise<MeasuredQueue> {
    const state = await this.#runtime.state(id);
    const tally = statisticsAt(await this.#count(id), this.#clock.now());
    const activeRuns = { main: 0, bisection: 0 };
    for (const run of state.runs.values()) if (isActive(run)) activeRuns[run.kind] += 1;
    const notReady = state.unready.size;
    const depth = state.entries.size - notReady;
    const nothingPasses = state.history.redSince !== null;
    const isStalled = state.stall !== null;
    return { repo, branch, tally, depth, notReady, nothingPasses, isStalled, activeRuns };
  }

  async #count(queueId: string): Promise<QueueStatistics> {
    const tallies = this.#tallies;
    const kept = await tallies.get(queueId);
    const before = kept === null ? nothingCounted : deserializeStatistics(kept);
    let tally = before;
    for (;;) {
      const events = await tallies.eventsAfter(queueId, tally.seq, eventsAtOnce);
      tally = countEvents(tally, events);
      if (events.length < eventsAtOnce) break;
    }
    if (tally.seq - before.seq >= eventsPerTally)
      await tallies.put(queueId, tally.seq, serializeStatistics(tally));
    return tally;
  }
}
