import type { TrainyardClient } from "../../client/client.ts";
import { noRepositoryFile } from "../../command/repository-file.ts";
import type {
  CodeHost,
  FoundComment,
  InstalledRepository,
  ListedPullRequest,
} from "../../ports/code-host/code-host.ts";
import type { Clock, Logger } from "../../ports/code-host/runtime.ts";
import type { CursorStore } from "../../ports/cursor-store.ts";
import type { Inbox } from "../../ports/inbox.ts";
import type { MeterStore } from "../../ports/meter-store.ts";
import { ignoredStep } from "../../service/metrics/ignored.ts";
import { recoveredStep } from "../../service/metrics/recovered.ts";
import type { RepositoryFiles } from "../../service/observation/repository-files.ts";
import { PeriodicTask } from "../../service/periodic-task.ts";
import { findEntry } from "../commands/find-entry.ts";
import { readQueue } from "../commands/read-queue.ts";
import { maxCommandAgeMs } from "../deliveries/memory.ts";
import type { BotSettings } from "../parts.ts";
import { findAutoMerge } from "./find-auto-merge.ts";
import {
  changeDelivery,
  commentDelivery,
  type FoundChange,
  keyOf,
  nameOf,
  type PolledQueue,
} from "./found-deliveries.ts";
import { submitLabelOf } from "./submit-label.ts";

export interface PollerParts {
  readonly client: TrainyardClient;
  readonly queues: () => Promise<readonly PolledQueue[]>;
  readonly codeHost: Pick<
    CodeHost,
    "listComments" | "listOpenPullRequests" | "listLabelEvents" | "autoMergeEnabledAt"
  >;
  readonly files: Pick<RepositoryFiles, "read">;
  readonly inbox: Inbox;
  readonly cursors: CursorStore;
  readonly meters: Pick<MeterStore, "add">;
  readonly settings: BotSettings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervalMs: number;
  /** Called when something was put into the inbox. */
  readonly onAdded: () => void;
}

/** Finds the commands whose webhooks were lost. The inbox recognises those that it already has. */
export class CommandPoller {
  readonly #parts: PollerParts;
  readonly #rounds: PeriodicTask;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      run: () => this.#pollAll(),
      everyMs: parts.intervalMs,
      purpose: "poll for commands",
      log: parts.log,
      level: "warn",
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #pollAll(): Promise<void> {
    const polled = new Set<string>();
    for (const queue of await this.#parts.queues()) {
      const key = keyOf(queue);
      if (!polled.has(key)) await this.#pollComments(queue);
      polled.add(key);
      await this.#pollLabels(queue);
    }
  }

  /** Returns since when to look. A cursor of an earlier version names the repository; what it stopped at is not looked at again. */
  async #since(cursor: string, earlier: string, { createdAt }: PolledQueue): Promise<number> {
    const { cursors } = this.#parts;
    const known = await cursors.get(cursor);
    if (known !== null) return Number(known);
    const last = await cursors.get(earlier);
    return last === null ? wholeSecond(createdAt) : Number(last) + 1;
  }

  async #pollComments(queue: PolledQueue): Promise<void> {
    const { codeHost, cursors, inbox, settings, clock, onAdded } = this.#parts;
    const { repo } = queue;
    const cursor = `comments/${keyOf(queue)}`;
    const since = await this.#since(cursor, `comments/${nameOf(repo)}`, queue);
    const comments = await codeHost.listComments(repo, since);
    const oldest = clock.now() - maxCommandAgeMs;
    for (const comment of comments.filter((found) => isCandidate(found, settings, since))) {
      if (comment.createdAt < oldest) {
        // The newest comment is listed on each poll.
        if (comment.updatedAt > since) await this.#ignoreOld(repo, { comment: comment.id });
        continue;
      }
      const delivery = commentDelivery(queue, comment, { host: settings.host, now: clock.now() });
      const added = await inbox.add(delivery, [recoveredStep(repo.owner, "comment")]);
      if (added === "added") onAdded();
    }
    const newest = comments.at(-1)?.updatedAt;
    if (newest !== undefined && newest > since) await cursors.put(cursor, String(newest));
  }

  /**
   * Reads label events only where the label and the queue disagree: the label is on a pull request that is not queued, or was
   * removed from one that it had queued.
   */
  async #pollLabels(queue: PolledQueue): Promise<void> {
    const { codeHost, cursors, clock } = this.#parts;
    const { repo, branch } = queue;
    const submitLabel = await this.#submitLabel(repo, branch);
    const cursor = `labels/${queue.id}`;
    const since = await this.#since(cursor, `labels/${nameOf(repo)}:${branch}`, queue);
    const pulls = await codeHost.listOpenPullRequests(repo, branch);
    const oldest = clock.now() - maxCommandAgeMs;
    for (const pull of pulls.filter(({ updatedAt }) => updatedAt >= since)) {
      await this.#pollAutoMerge(queue, pull);
      if (submitLabel === null || (await this.#agrees(repo, branch, pull, submitLabel))) continue;
      const events = await codeHost.listLabelEvents(repo, pull.number);
      const last = events.findLast(({ label, at }) => label === submitLabel && at >= since);
      if (!last) continue;
      if (last.at >= oldest) await this.#addLabelEvent(queue, pull, last);
      else if (pull.updatedAt > since) await this.#ignoreOld(repo, { pr: pull.number, label: last.label });
    }
    const newest = Math.max(since, ...pulls.map(({ updatedAt }) => updatedAt));
    if (newest > since) await cursors.put(cursor, String(newest));
  }

  async #ignoreOld({ owner, name }: InstalledRepository, what: object): Promise<void> {
    const { log, meters } = this.#parts;
    log.warn(
      { repo: `${owner}/${name}`, ...what, reason: "too_old" },
      "ignored a command that polling found",
    );
    await meters.add([ignoredStep(owner.toLowerCase(), "too_old")]);
  }

  async #submitLabel(repo: InstalledRepository, branch: string): Promise<string | null> {
    const { client, files, settings } = this.#parts;
    const queue = await readQueue(client, repo, branch);
    if (queue?.labelCommandsEnabled === false) return null;
    const parsed = await files.read(repo, branch);
    return submitLabelOf(queue, parsed.ok ? parsed.file : noRepositoryFile, settings.submitLabel);
  }

  async #agrees(
    repo: InstalledRepository,
    branch: string,
    pull: ListedPullRequest,
    submitLabel: string,
  ): Promise<boolean> {
    const { installationId: _, ...address } = repo;
    const entry = await findEntry(this.#parts.client, address, branch, pull.number);
    const queued = entry?.isCurrentlySubmittedToQueue ?? false;
    return pull.labels.includes(submitLabel) ? queued : !queued || entry?.submittedVia !== "label";
  }

  /** The handler checks whether the queue accepts auto-merge as a command. */
  async #pollAutoMerge(queue: PolledQueue, pull: ListedPullRequest): Promise<void> {
    const { repo, branch } = queue;
    const found = await findAutoMerge(this.#parts, repo, branch, pull);
    if (found === null || found.at < this.#parts.clock.now() - maxCommandAgeMs) return;
    const { login, id, isBot } = found.by;
    const change = { action: found.action, at: found.at, actorLogin: login, actorId: id, actorIsBot: isBot };
    await this.#addChange(queue, pull, change, `${found.action}/${pull.number}/${found.at}`);
  }

  async #addLabelEvent(
    queue: PolledQueue,
    pull: ListedPullRequest,
    event: Awaited<ReturnType<CodeHost["listLabelEvents"]>>[number],
  ): Promise<void> {
    await this.#addChange(queue, pull, event, String(event.id));
  }

  async #addChange(
    queue: PolledQueue,
    pull: ListedPullRequest,
    event: FoundChange,
    id: string,
  ): Promise<void> {
    const { inbox, settings, clock, onAdded } = this.#parts;
    const delivery = changeDelivery(queue, pull, { ...event, id }, { host: settings.host, now: clock.now() });
    const added = await inbox.add(delivery, [recoveredStep(queue.repo.owner, "label")]);
    if (added === "added") onAdded();
  }
}

/**
 * Only the original text of a comment may command: an edit might put words into its author's mouth. Our own comments contain
 * the prefix, too, and are skipped.
 */
function isCandidate(comment: FoundComment, settings: BotSettings, since: number): boolean {
  const fresh = comment.createdAt >= since && comment.updatedAt === comment.createdAt;
  const ours = comment.viaAppId === settings.appId && comment.authorIsBot;
  return fresh && !ours && comment.onPullRequest && hasPrefix(comment.body, settings);
}

function hasPrefix(body: string, { commandPrefix }: BotSettings): boolean {
  return body.toLowerCase().includes(commandPrefix.toLowerCase());
}

/** The code host reports times in whole seconds, so an event right after a moment may seem to precede it. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
