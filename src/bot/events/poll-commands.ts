import { nameOf as nameOfPrefix, toPlainTyping } from "../../command/typing.ts";
import type { FoundComment } from "../../ports/code-host/code-host.ts";
import { PeriodicTask } from "../../service/workers/periodic-task.ts";
import { maxCommandAgeMs } from "../deliveries/memory.ts";
import type { BotSettings } from "../parts.ts";
import { commentDelivery, keyOf, nameOf, type PolledQueue } from "./found-deliveries.ts";
import { LabelPoller } from "./poll-labels.ts";
import { addFound, ignoreOld, type PollerParts, pollSince } from "./poller-parts.ts";

/** Finds the commands whose webhooks were lost. The inbox recognises those that it already has. */
export class CommandPoller {
  readonly #parts: PollerParts;
  readonly #labels: LabelPoller;
  readonly #rounds: PeriodicTask;

  constructor(parts: PollerParts) {
    this.#parts = parts;
    this.#labels = new LabelPoller(parts);
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
      await this.#labels.poll(queue);
    }
  }

  async #pollComments(queue: PolledQueue): Promise<void> {
    const { codeHost, cursors, settings, clock } = this.#parts;
    const { repo } = queue;
    const cursor = `comments/${keyOf(queue)}`;
    const since = await pollSince(this.#parts, cursor, `comments/${nameOf(repo)}`, queue);
    const comments = await codeHost.listComments(repo, since);
    const oldest = clock.now() - maxCommandAgeMs;
    for (const comment of comments.filter((found) => isCandidate(found, settings, since))) {
      if (comment.createdAt < oldest) {
        // The newest comment is listed on each poll.
        if (comment.updatedAt > since) await ignoreOld(this.#parts, repo, { comment: comment.id });
        continue;
      }
      const delivery = commentDelivery(queue, comment, { host: settings.host, now: clock.now() });
      await addFound(this.#parts, repo, delivery, "comment");
    }
    const newest = comments.at(-1)?.updatedAt;
    if (newest !== undefined && newest > since) await cursors.put(cursor, String(newest));
  }
}

/**
 * Only the original text of a comment may command: an edit might put words into its author's mouth. Our own comments contain
 * the prefix, too, and are skipped.
 */
function isCandidate(comment: FoundComment, settings: BotSettings, since: number): boolean {
  const fresh = comment.createdAt >= since && comment.updatedAt === comment.createdAt;
  const ours = comment.viaAppId === settings.appId && comment.authorIsBot;
  return fresh && !ours && comment.onPullRequest && namesUs(comment.body, settings);
}

function namesUs(body: string, { commandPrefix }: BotSettings): boolean {
  return toPlainTyping(body).toLowerCase().includes(nameOfPrefix(commandPrefix).toLowerCase());
}
