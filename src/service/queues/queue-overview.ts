import { type ExplainedStall, explainStall } from "../../engine/explain/explain.ts";
import type { Entry } from "../../engine/model/entry.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { Freeze } from "../../engine/model/order/delay.ts";
import { allRuns, type QueueStatus } from "../../engine/model/queue.ts";
import { isActive } from "../../engine/model/test-run.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import type { Inbox } from "../../store/leased/inbox.ts";
import type { EndedPlace, EndedQuery, EntrySearch, MergeCounts } from "../../store/queue/entry-search.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import type { QueueAddress } from "../runtime/directory.ts";
import type { KnownDiagnosis, QueueDoctor } from "./queue-doctor.ts";

export type { EndedPlace, EndedQuery };

const dayMs = 86_400_000;
/** The days of which merges are counted, today included. */
const countedDays = 7;

export interface QueueSummary extends QueueAddress {
  readonly status: QueueStatus;
  readonly statusReason: Reason;
  readonly statusSince: number;
  readonly freeze: Freeze | null;
  readonly stall: ExplainedStall | null;
  readonly isBaseFailing: boolean;
  /** The number of ready entries, those in test included. */
  readonly waiting: number;
  readonly notReady: number;
  /** Test runs in progress, also those of tries and of the base. */
  readonly testing: number;
  /** The merges of each day (UTC), the last one is today. */
  readonly mergesByDay: readonly number[];
  /** The times from submission to merge of the pull requests that merged on these days, in steps of ten seconds; null = there are none. */
  readonly waits: { readonly p50: number; readonly p95: number } | null;
  /** Deliveries from GitHub for its repository that could not be handled. */
  readonly givenUp: number;
  /** What doctor found last; null = it has not examined the queue yet. */
  readonly diagnosis: KnownDiagnosis | null;
}

export interface FoundPullRequest {
  readonly queue: QueueAddress;
  readonly entry: Entry;
}

/** Reads figures of many queues at once, and ended pull requests. */
export class QueueOverview {
  readonly #context: QueueContext;
  readonly #doctor: QueueDoctor;

  constructor(context: QueueContext, doctor: QueueDoctor) {
    this.#context = context;
    this.#doctor = doctor;
  }

  /** Every queue, sorted by owner, name and branch. */
  async list(): Promise<readonly QueueAddress[]> {
    const key = ({ repo, branch }: QueueAddress) => `${nameKey(`${repo.owner}/${repo.name}`)}:${branch}`;
    return [...(await this.#context.directory.list())].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }

  /** Summarizes queues, in the given order. */
  async summarize(addresses: readonly QueueAddress[]): Promise<readonly QueueSummary[]> {
    const { stores, clock } = this.#context;
    const now = clock.now();
    const today = Math.floor(now / dayMs);
    const queues = await this.#records(addresses);
    const ids = queues.map(({ id }) => id);
    const [merges, givenUp, diagnoses] = await Promise.all([
      stores.history.countMerges(ids, (today - countedDays + 1) * dayMs),
      stores.inbox.countGivenUpByStream().then(countByRepository),
      this.#doctor.lastOf(ids),
    ]);
    const figures = figuresByQueue(merges, today);
    return Promise.all(
      queues.map(async (queue) => ({
        ...(await this.#present(queue, now)),
        ...(figures.get(queue.id) ?? noFigures),
        givenUp: givenUp.get(nameKey(`${queue.repo.owner}/${queue.repo.name}`)) ?? 0,
        diagnosis: diagnoses.get(queue.id) ?? null,
      })),
    );
  }

  /** Finds pull requests in these queues, live and ended. */
  async search(
    addresses: readonly QueueAddress[],
    search: EntrySearch,
    limit: number,
  ): Promise<readonly FoundPullRequest[]> {
    const queues = new Map((await this.#records(addresses)).map((queue) => [queue.id, queue]));
    const found = await this.#context.stores.history.search([...queues.keys()], search, limit);
    return found.flatMap(({ queueId, entry }) => {
      const queue = queues.get(queueId);
      return queue ? [{ queue, entry }] : [];
    });
  }

  /** The ended entries of a queue, the last ended first. `next` is the start of the following page; null = there is none. */
  async listEnded(
    address: QueueAddress,
    query: EndedQuery,
  ): Promise<{ readonly entries: readonly Entry[]; readonly next: EndedPlace | null }> {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return { entries: [], next: null };
    const listed = await this.#context.stores.history.listEnded(found.value.id, {
      ...query,
      limit: query.limit + 1,
    });
    const entries = listed.slice(0, query.limit);
    const last = entries.at(-1);
    const next = listed.length > query.limit && last ? { endedAt: last.stateChangedAt, pr: last.pr } : null;
    return { entries, next };
  }

  async #records(addresses: readonly QueueAddress[]): Promise<readonly QueueRecord[]> {
    const key = ({ repo, branch }: QueueAddress) => `${nameKey(`${repo.owner}/${repo.name}`)}:${branch}`;
    const known = new Map((await this.#context.directory.list()).map((queue) => [key(queue), queue]));
    return addresses.flatMap((address) => known.get(key(address)) ?? []);
  }

  async #present({ id, repo, branch }: QueueRecord, now: number) {
    const state = await this.#context.runtime.state(id);
    const { status, statusReason, statusSince, freeze, entries, unready, history } = state;
    return {
      ...{ repo, branch, status, statusReason, statusSince, freeze },
      stall: explainStall(state, now),
      isBaseFailing: history.baseFinding?.verdict === "failed",
      waiting: entries.size - unready.size,
      notReady: unready.size,
      testing: [...allRuns(state)].filter(isActive).length,
    };
  }
}

/** A stream is `owner/name#number` or `owner/name/event`, in lower case. */
function countByRepository(
  streams: Awaited<ReturnType<Inbox["countGivenUpByStream"]>>,
): ReadonlyMap<string, number> {
  const counted = new Map<string, number>();
  for (const { stream, rows } of streams) {
    const [repository = ""] = /^[^/#]+\/[^/#]+/.exec(stream) ?? [];
    counted.set(repository, (counted.get(repository) ?? 0) + Number(rows));
  }
  return counted;
}

type Figures = Pick<QueueSummary, "mergesByDay" | "waits">;

const noFigures: Figures = { mergesByDay: Array.from({ length: countedDays }, () => 0), waits: null };

function figuresByQueue({ byDay, byWait }: MergeCounts, today: number): ReadonlyMap<string, Figures> {
  const waits = Map.groupBy(byWait, ({ queueId }) => queueId);
  return new Map(
    [...Map.groupBy(byDay, ({ queueId }) => queueId)].map(([queueId, days]) => {
      const merges = new Map(days.map(({ day, merges }) => [day, merges]));
      const mergesByDay = noFigures.mergesByDay.map(
        (_, index) => merges.get(today - countedDays + 1 + index) ?? 0,
      );
      return [queueId, { mergesByDay, waits: percentiles(waits.get(queueId) ?? []) }];
    }),
  );
}

function percentiles(waits: MergeCounts["byWait"]): Figures["waits"] {
  const sorted = waits.toSorted((a, b) => a.waitMs - b.waitMs);
  const total = sorted.reduce((sum, { merges }) => sum + merges, 0);
  if (total === 0) return null;
  const at = (share: number) => {
    let left = Math.ceil(total * share);
    for (const { waitMs, merges } of sorted) {
      left -= merges;
      if (left <= 0) return waitMs;
    }
    return 0;
  };
  return { p50: at(0.5), p95: at(0.95) };
}
