import { isSameName } from "../../engine/model/names.ts";
import { isObstructed, type RepositoryRef } from "../../engine/model/queue.ts";
import type { Obstacle, ObstacleCode } from "../../engine/reasons/reason.ts";
import { renderObstacle } from "../../engine/reasons/render-reason.ts";
import type { QueuePlace, QueueRecord } from "../../store/queue/queue-store.ts";
import { findObstacle, isStated, UnacceptedPermissions } from "../access/app-gaps.ts";
import { sameRepository } from "../runtime/directory.ts";
import { publishStreams } from "../runtime/plan-tasks.ts";
import { KeyedMutex } from "../workers/keyed-mutex.ts";
import { isCodeHostFailure, isDenial, messageOf } from "../workers/retry.ts";
import type { CheckWatcher } from "./check-watcher.ts";
import type { QueueContext } from "./queue-context.ts";
import { publishEntries, RepositoryFollower } from "./repository-follower.ts";
import { isFirstAccount } from "./repository-roles.ts";

/** How long something must be absent before the absence is believed. */
const believedAfterMs = 5_000;
/** How long pull requests must have another base branch before that base is accepted. */
const otherAfterMs = 10_000;
const maxOthers = 1_000;
/** A repository may become private while the code host does not answer. */
const publicTrustedMs = 60 * 60_000;
/** After failures, the code host is checked at most this often. */
const suspectEveryMs = 1_000;

/** The last finding about a queue. */
interface Finding {
  readonly at: number;
  readonly obstacle: Obstacle | null;
  /** An absence that is not believed yet. */
  readonly doubt: { readonly code: ObstacleCode; readonly since: number } | null;
}

interface CheckOptions {
  /** The code host itself reported a change, so an absence is believed at once. */
  readonly told?: boolean;
  /** The current name of the repository. */
  readonly as?: RepositoryRef;
  /** Called when the check begins, after earlier checks have ended. */
  readonly begins?: () => void;
}

/**
 * Checks whether queues can work at the code host: whether the App, the repository and the branch are there.
 * An obstacle pauses the queue until it is gone. A new name, owner or installation id is adopted.
 */
export class RepositoryAccess {
  readonly #context: QueueContext;
  readonly #watcher: CheckWatcher;
  readonly #findings = new Map<string, Finding>();
  /** The queues for which the code host denies even the reading of the App's access, such as during an incident. */
  readonly #denied = new Set<string>();
  /** When the code host last said that a queue's repository is public. */
  readonly #public = new Map<string, number>();
  readonly #turns = new KeyedMutex();
  /**
   * When a queue's pull requests were first seen with a base branch of another name, which may be the queue's branch under another name. In
   * milliseconds since the epoch.
   */
  readonly #others = new Map<string, number>();
  readonly #follower: RepositoryFollower;
  readonly #unaccepted: UnacceptedPermissions;
  /** Checks that have not begun. Many calls fail at the same time, and one check is enough for all of them. */
  readonly #toBegin = new Map<string, Promise<boolean>>();

  constructor(context: QueueContext, watcher: CheckWatcher) {
    this.#context = context;
    this.#watcher = watcher;
    this.#follower = new RepositoryFollower(context);
    this.#unaccepted = new UnacceptedPermissions(context.settings.appPermissions, context.log);
    // Another replica may have found an obstacle, or its end, since this one last looked.
    context.runtime.onCommit((queueId, events, _state, isOwn) => {
      if (!isOwn && events.some(({ data }) => data.type === "queue_status_changed"))
        this.#findings.delete(queueId);
    });
  }

  /** Whether an obstacle is known. Then a failure says nothing about a pull request. */
  async isObstructed(queueId: string): Promise<boolean> {
    const finding = this.#findings.get(queueId);
    if (finding) return finding.obstacle !== null || finding.doubt !== null;
    return isObstructed(await this.#context.runtime.state(queueId));
  }

  /** Must be called when something was denied or absent. Returns whether the queue cannot work at all. */
  async suspect(queueId: string): Promise<boolean> {
    const last = this.#findings.get(queueId);
    if (!last || this.#context.clock.now() - last.at >= suspectEveryMs) await this.#checkSoon(queueId);
    return this.#denied.has(queueId) || this.isObstructed(queueId);
  }

  /** Like `suspect`, if the error is a denial or an absence. */
  async suspectFailure(queueId: string, error: unknown): Promise<boolean> {
    return isDenial(error) && (await this.suspect(queueId));
  }

  /** Checks again when there is a reason, or some time after the last check. Returns whether the queue can work. */
  async checkDue(queue: QueueRecord): Promise<boolean> {
    const finding = this.#findings.get(queue.id);
    const isDue =
      !finding || this.#context.clock.now() - finding.at >= 2 * this.#context.settings.reconcileMs;
    if (isDue || queue.repositoryId === null || (await this.isObstructed(queue.id)))
      await this.#checkSoon(queue.id);
    return !(await this.isObstructed(queue.id));
  }

  /** Whether the repository of a queue is known to be public. Makes no call. */
  isPublic(queueId: string): boolean {
    const at = this.#public.get(queueId);
    return at !== undefined && this.#context.clock.now() - at < publicTrustedMs;
  }

  /** Handles a webhook about a change of an installation or of a repository. */
  async receive(told: { owner: string | null; installationId: number | null; repositoryId: number | null }) {
    for (const { id, repo, installationId, repositoryId } of await this.#context.directory.list()) {
      const isSame = told.repositoryId !== null && told.repositoryId === repositoryId;
      const isVia = told.installationId !== null && told.installationId === installationId;
      // This change may remove the obstacle of a queue on another installation.
      if (isSame || isVia || (await this.isObstructed(id)) || isSameName(repo.owner, told.owner))
        await this.check(id, { told: true });
    }
  }

  /**
   * Handles a webhook that names a repository by its id. Queues that know the repository by another name or installation check where it is.
   * Returns the current place if the webhook names another one; otherwise null.
   */
  async recognise(seen: {
    owner: string;
    name: string;
    installationId: number;
    repositoryId: number;
  }): Promise<Pick<QueuePlace, "repo" | "installationId"> | null> {
    let present: Pick<QueuePlace, "repo" | "installationId"> | null = null;
    for (const { id, repo, installationId, repositoryId } of await this.#context.directory.list()) {
      if (repositoryId !== seen.repositoryId) continue;
      const isNamedSo = sameRepository(repo, { ...seen, host: repo.host });
      // Look it up under its current name, because the old name may belong to another repository now.
      const as = { host: repo.host, owner: seen.owner, name: seen.name };
      if (isNamedSo && installationId === seen.installationId) continue;
      await this.check(id, { told: true, as });
      present = await this.#context.directory.get(id);
    }
    return present;
  }

  #checkSoon(queueId: string): Promise<boolean> {
    const known = this.#toBegin.get(queueId);
    if (known) return known;
    const checked = this.check(queueId, { begins: () => this.#toBegin.delete(queueId) });
    this.#toBegin.set(queueId, checked);
    return checked;
  }

  /** Returns false if the code host did not say where the repository is. */
  check(queueId: string, { told = false, as, begins }: CheckOptions = {}): Promise<boolean> {
    return this.#turns.take(queueId, async () => {
      begins?.();
      try {
        await this.#check(queueId, told, as);
        this.#denied.delete(queueId);
        return true;
      } catch (error) {
        if (!isCodeHostFailure(error)) throw error;
        if (isDenial(error)) this.#denied.add(queueId);
        // The earlier finding stays valid while the code host is unavailable.
        this.#context.log.warn(
          { err: error, queueId },
          `could not read how the App reaches a repository: ${messageOf(error)}`,
        );
        return false;
      }
    });
  }

  /**
   * Returns the current name of the base branch of an open pull request. After a rename, a pull request may show the new name before the
   * queue knows it, or the old name, because replicas of the code host lag. So another name is believed only after some time. Makes no call
   * if the name is that of the queue's branch.
   * @returns null when the code host does not answer, or may be wrong
   */
  async presentBranch(queueId: string, name: string): Promise<string | null> {
    const { directory } = this.#context;
    if ((await directory.get(queueId)).branch === name) return name;
    // The last finding may be older than the rename.
    if (!(await this.check(queueId))) return null;
    const queue = await directory.get(queueId);
    if (queue.branch === name) return name;
    const reach = await directory.codeHost.readReach({ ...queue, branch: name }).catch((error: unknown) => {
      if (isCodeHostFailure(error)) return null;
      throw error;
    });
    // GitHub closes the pull requests of a branch that is deleted. If it has no branch of this name, one of its replicas lags.
    const present = reach?.kind === "reached" ? reach.branch : null;
    return present === null || (await this.#isCertain(queue, name, present)) ? present : null;
  }

  async #isCertain(queue: QueueRecord, name: string, present: string): Promise<boolean> {
    const key = `${queue.id} ${name}`;
    const since = this.#others.get(key) ?? this.#context.clock.now();
    if (this.#others.size >= maxOthers) this.#others.clear();
    this.#others.set(key, since);
    const queues = await this.#context.directory.ofRepository(queue.repo);
    return (
      queues.some(({ branch }) => branch === present) || this.#context.clock.now() - since >= otherAfterMs
    );
  }

  async #check(queueId: string, told: boolean, as?: RepositoryRef): Promise<void> {
    const { directory, runtime, clock, stores } = this.#context;
    const queue = await directory.get(queueId);
    const asked = await runtime.state(queueId);
    const reach = await directory.codeHost.readReach({ ...queue, repo: as ?? queue.repo }, told);
    if (reach.kind === "reached" && reach.isPublic) this.#public.set(queueId, clock.now());
    else this.#public.delete(queueId);
    if (reach.kind === "reached") {
      this.#unaccepted.note(reach.installation);
      await isFirstAccount(stores.cursors, reach.repo.owner, reach.ownerId);
      await this.#follower.follow(queue, asked, reach);
    }
    const found = findObstacle(reach, queue) ?? (await this.#olderInstance(queue.repo));
    const last = this.#findings.get(queueId);
    const at = clock.now();
    const isKnown = isObstructed(await runtime.state(queueId)) || last?.obstacle != null;
    if (found && !told && !isKnown && !isStated(found)) {
      const since = last?.doubt?.code === found.code ? last.doubt.since : at;
      if (at - since < believedAfterMs) {
        this.#findings.set(queueId, { at, obstacle: null, doubt: { code: found.code, since } });
        return;
      }
    }
    this.#findings.set(queueId, { at, obstacle: found, doubt: null });
    if (found) await this.#stop(queue, found);
    else await this.#goOn(queue, last?.obstacle != null);
  }

  async #olderInstance(repo: RepositoryRef): Promise<Obstacle | null> {
    const older = await this.#context.instances.older(repo);
    return older && { code: "OLDER_INSTANCE", instance: older.id, pr: older.pr };
  }

  async #stop({ id }: QueueRecord, obstacle: Obstacle): Promise<void> {
    const { runtime, log } = this.#context;
    const { events } = await runtime.dispatch(id, { type: "reach_observed", obstacle });
    if (events.length === 0) return;
    const text = renderObstacle(obstacle, (foreign) => foreign);
    log.warn({ ...obstacle, queueId: id }, `a queue stops: ${text}`);
    await publishEntries(this.#context, id);
  }

  async #goOn({ id }: QueueRecord, wasObstructed: boolean): Promise<void> {
    const { runtime, outbox, clock, log } = this.#context;
    const state = await runtime.state(id);
    if (!wasObstructed && !isObstructed(state)) return;
    // Results that CI reported meanwhile must count before any deadline does.
    if (isObstructed(state)) await this.#watcher.readOverdue(state, 0);
    await runtime.dispatch(id, { type: "reach_observed", obstacle: null });
    const streams = ["build", "merge", "examine", "observe", "rerun"].map((kind) => `${kind}/${id}`);
    await outbox.hasten([...streams, publishStreams(state.repo)], clock.now());
    log.info({ queueId: id }, "a queue goes on: what stopped it is gone");
    await publishEntries(this.#context, id);
  }
}
