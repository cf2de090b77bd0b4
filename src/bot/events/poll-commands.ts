import { nameOf as nameOfPrefix, toPlainTyping } from "../../command/typing.ts";
import type { FoundComment } from "../../ports/code-host/pull-requests.ts";
import { PeriodicTask } from "../../service/workers/periodic-task.ts";
import { messageOf } from "../../service/workers/retry.ts";
import type { Bot, BotSettings } from "../bot.ts";
import { maxCommandAgeMs } from "../deliveries/delivery.ts";
import {
  addFound,
  commentDelivery,
  ignoreOld,
  keyOf,
  nameOf,
  type PolledQueue,
  pollSince,
} from "./found-deliveries.ts";
import { LabelPoller } from "./poll-labels.ts";

/** Finds the commands whose webhooks were lost. The inbox ignores those that it already has. */
export class CommandPoller {
  readonly #bot: Bot;
  readonly #onAdded: () => void;
  readonly #labels: LabelPoller;
  readonly #rounds: PeriodicTask;

  /** @param onAdded called when something was put into the inbox. */
  constructor(bot: Bot, everyMs: number, onAdded: () => void) {
    this.#bot = bot;
    this.#onAdded = onAdded;
    this.#labels = new LabelPoller(bot, onAdded);
    this.#rounds = new PeriodicTask({
      run: () => this.#pollAll(),
      everyMs,
      purpose: "poll for commands",
      log: bot.log,
      level: "warn",
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Finds the commands that were given while no service ran, because they may forbid the next merge. Failures are logged. */
  async catchUp(): Promise<void> {
    try {
      await this.#pollAll();
    } catch (error) {
      this.#bot.log.warn({ err: error }, `could not poll for commands before the start: ${messageOf(error)}`);
    }
  }

  async #pollAll(): Promise<void> {
    const polled = new Set<string>();
    for (const queue of await this.#bot.polledQueues()) {
      const key = keyOf(queue);
      if (!polled.has(key)) await this.#pollComments(queue);
      polled.add(key);
      await this.#labels.poll(queue);
    }
  }

  async #pollComments(queue: PolledQueue): Promise<void> {
    const { codeHost, cursors, settings, clock } = this.#bot;
    const { repo } = queue;
    const cursor = `comments/${keyOf(queue)}`;
    const since = await pollSince(this.#bot, cursor, `comments/${nameOf(repo)}`, queue);
    const comments = await codeHost.listComments(repo, since);
    const oldest = clock.now() - maxCommandAgeMs;
    const first = Math.max(since, settings.commandsSince);
    for (const comment of comments) await this.#noteWriter(queue, comment);
    for (const comment of comments.filter((found) => isCandidate(found, settings, first))) {
      if (comment.createdAt < oldest) {
        // The newest comment is listed on each poll.
        if (comment.updatedAt > since) await ignoreOld(this.#bot, repo, { comment: comment.id });
        continue;
      }
      const delivery = commentDelivery(queue, comment, { host: settings.host, now: clock.now() });
      await addFound(this.#bot, this.#onAdded, repo, delivery, "comment");
    }
    const newest = comments.at(-1)?.updatedAt;
    if (newest !== undefined && newest > since) await cursors.put(cursor, String(newest));
  }

  /** Stops the queues of a repository on which an older service with this App works. */
  async #noteWriter({ repo }: PolledQueue, comment: FoundComment): Promise<void> {
    const { instances, queuesOf, reach, settings } = this.#bot;
    if (comment.instance === null || !isOurs(comment, settings)) return;
    const seen = { id: comment.instance, pr: comment.issue, at: comment.updatedAt };
    if (!(await instances.note(repo, seen))) return;
    for (const { id } of await queuesOf(repo)) await reach.check(id, { told: true });
  }
}

/**
 * Only the original text of a comment can give commands, because others can edit it. Our own comments contain the prefix, too, and are
 * skipped.
 */
function isCandidate(comment: FoundComment, settings: BotSettings, since: number): boolean {
  const fresh = comment.createdAt >= since && comment.updatedAt === comment.createdAt;
  return fresh && !isOurs(comment, settings) && comment.onPullRequest && namesUs(comment.body, settings);
}

function isOurs({ viaAppId, authorIsBot }: FoundComment, { appId }: BotSettings): boolean {
  return viaAppId === appId && authorIsBot;
}

function namesUs(body: string, { commandPrefix }: BotSettings): boolean {
  return toPlainTyping(body).toLowerCase().includes(nameOfPrefix(commandPrefix).toLowerCase());
}
