import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { RepositoryTestCounts } from "../../flaky/store/reads/test-counts.ts";
import { type EvidenceKind, evidenceGivenUpCount, evidenceKinds } from "../../flaky/unreadable-evidence.ts";
import type { InstallationUsage } from "../../ports/code-host/app.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { Store } from "../../store/create-stores.ts";
import type { GivenUpCode } from "../../store/leased/inbox.ts";
import type { Task } from "../../store/leased/outbox.ts";
import type { EndpointCounts } from "../../store/webhooks/webhook-endpoints.ts";
import type { Histogram } from "../runtime/histogram.ts";
import { cancelledRunsCount } from "./cancelled-runs.ts";
import type { CommandTimes } from "./command-times.ts";
import { givenUpCounts } from "./given-up.ts";
import { type IgnoredReason, ignoredCount, ignoredReasons } from "./ignored.ts";
import { type InboxSource, inboxSources, lagHistogram } from "./inbox-lag.ts";
import { type Recoverable, recoverables, recoveredCount } from "./recovered.ts";

export interface Backlog {
  readonly depth: number;
  /** How long the oldest is overdue, in seconds. */
  readonly oldestSeconds: number;
}

export interface MeasuredOrganisation {
  readonly organisation: string;
  readonly outbox: Backlog;
  readonly inbox: Backlog;
  readonly lag: ReadonlyMap<InboxSource, Histogram>;
  /** `givenUp` is the total ever, `parked` the number still stored. */
  readonly givenUp: ReadonlyMap<GivenUpCode, number>;
  readonly parked: number;
  readonly ignored: ReadonlyMap<IgnoredReason, number>;
  readonly recovered: ReadonlyMap<Recoverable, number>;
  /** Workflow runs that were cancelled because they were no longer needed. */
  readonly cancelledRuns: number;
  readonly evidenceGivenUp: ReadonlyMap<EvidenceKind, number>;
  readonly webhooks: readonly (EndpointCounts & { readonly oldestSeconds: number })[];
  readonly tests: readonly RepositoryTestCounts[];
  /** Approximate numbers of rows. Empty when the database has queues of other organisations, too. */
  readonly tables: ReadonlyMap<string, number>;
  readonly isDatabaseDamaged: boolean;
  /** The process that answers. The following fields are about this process only. */
  readonly process: string;
  readonly commands: ReadonlyMap<string, Histogram>;
  readonly installations: readonly InstallationUsage[];
}

type MeasuredStores = Pick<
  Store,
  "meters" | "outbox" | "inbox" | "webhookEndpoints" | "queues" | "testCounts" | "tableSizes" | "damage"
>;

interface MeasuredProcess {
  /** The process's name among its replicas. */
  readonly name: string;
  readonly commands: CommandTimes;
  readonly codeHostUsage: () => readonly InstallationUsage[];
}

/** Measures an organisation. The answer contains no data of other organisations. */
export class OrganisationMetrics {
  readonly #stores: MeasuredStores;
  readonly #process: MeasuredProcess;
  readonly #clock: Clock;

  constructor(stores: MeasuredStores, process: MeasuredProcess, clock: Clock) {
    this.#stores = stores;
    this.#process = process;
    this.#clock = clock;
  }

  async measure(name: string): Promise<MeasuredOrganisation> {
    const { meters, inbox, webhookEndpoints, queues, testCounts, tableSizes, damage } = this.#stores;
    const { name: process, commands, codeHostUsage } = this.#process;
    const organisation = nameKey(name);
    const now = this.#clock.now();
    const counted = await meters.read(organisation);
    const webhooks = await webhookEndpoints.counts(organisation);
    const all = await queues.list();
    const own = all.filter(({ repo }) => nameKey(repo.owner) === organisation);
    const installations = new Set(own.map(({ installationId }) => installationId));
    return {
      organisation,
      outbox: await this.#outbox(organisation, now),
      inbox: await this.#inbox(organisation, now),
      lag: new Map(inboxSources.map((source) => [source, lagHistogram(counted, source)])),
      givenUp: givenUpCounts(counted),
      parked: await inbox.countGivenUp(organisation),
      ignored: new Map(ignoredReasons.map((reason) => [reason, ignoredCount(counted, reason)])),
      recovered: new Map(recoverables.map((what) => [what, recoveredCount(counted, what)])),
      cancelledRuns: cancelledRunsCount(counted),
      evidenceGivenUp: new Map(evidenceKinds.map((kind) => [kind, evidenceGivenUpCount(counted, kind)])),
      webhooks: webhooks.map((one) => ({ ...one, oldestSeconds: secondsSince(one.waitingSince, now) })),
      tests: await testCounts.ofOwner(organisation, now),
      tables: own.length === all.length ? await tableSizes.estimate() : new Map(),
      isDatabaseDamaged: damage.found !== null,
      process,
      commands: commands.of(organisation),
      installations: codeHostUsage().filter(({ installationId }) => installations.has(installationId)),
    };
  }

  async #outbox(organisation: string, now: number): Promise<Backlog> {
    const owners = new Map<string, string | undefined>();
    const own: Waiting[] = [];
    for (const { task, ...waiting } of await this.#stores.outbox.backlog()) {
      if (isSameName(await this.#ownerOf(task, owners), organisation)) own.push(waiting);
    }
    return backlogOf(own, now);
  }

  async #inbox(organisation: string, now: number): Promise<Backlog> {
    const all = await this.#stores.inbox.backlog();
    return backlogOf(
      all.filter(({ stream }) => stream.startsWith(`${organisation}/`)),
      now,
    );
  }

  /** The owner of a task's repository, also when its queue was deleted. */
  async #ownerOf(task: Task, known: Map<string, string | undefined>): Promise<string | undefined> {
    if (task.type === "publish" || task.type === "react") return task.repo.owner;
    const { queueId } = task;
    if (!known.has(queueId)) known.set(queueId, (await this.#stores.queues.get(queueId))?.repo.owner);
    return known.get(queueId);
  }
}

interface Waiting {
  readonly rows: number;
  readonly wantedAt: number | null;
}

function backlogOf(waiting: readonly Waiting[], now: number): Backlog {
  const since = waiting.flatMap(({ wantedAt }) => wantedAt ?? []);
  return {
    depth: waiting.reduce((sum, { rows }) => sum + rows, 0),
    oldestSeconds: secondsSince(since.length === 0 ? null : Math.min(...since), now),
  };
}

function secondsSince(at: number | null, now: number): number {
  return at === null ? 0 : Math.max(0, now - at) / 1000;
}
