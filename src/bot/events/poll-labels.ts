import { isSameName } from "../../engine/model/names.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { ListedPullRequest } from "../../ports/code-host/pull-requests.ts";
import type { Bot } from "../bot.ts";
import { findEntry, type QueueAnswer, readQueue } from "../commands/queues.ts";
import { maxCommandAgeMs } from "../deliveries/delivery.ts";
import { findAutoMerge, findWithdrawal, waitingForBase } from "./find-changes.ts";
import {
  addFound,
  changeDelivery,
  type FoundChange,
  ignoreOld,
  nameOf,
  type PolledQueue,
  pollSince,
} from "./found-deliveries.ts";
import { submitLabelOf } from "./labels.ts";

type Entry = Awaited<ReturnType<typeof findEntry>>;

const maxLooked = 10_000;
/** How often to read a pull request that waits until its base branch is changed. */
const lookElsewhereMs = 5 * 60_000;
/** The maximum number of these pull requests that one poll reads. */
const mostElsewhere = 5;

/**
 * Finds changes of the submit label and of auto-merge whose webhooks were lost. Reads label events only where the label and the queue
 * disagree: a pull request with the label is not queued, or the label was removed from a queued one.
 */
export class LabelPoller {
  readonly #bot: Bot;
  readonly #onAdded: () => void;
  /** The last change of each pull request at which its label events were read, by queue and number, in milliseconds since the epoch. */
  readonly #looked = new Map<string, number>();
  /** When pull requests with another base branch were last looked at, by queue and number, in milliseconds since the epoch. */
  readonly #lookedElsewhere = new Map<string, number>();

  constructor(bot: Bot, onAdded: () => void) {
    this.#bot = bot;
    this.#onAdded = onAdded;
  }

  async poll(queue: PolledQueue): Promise<void> {
    const { codeHost, cursors, client } = this.#bot;
    const { repo, branch } = queue;
    const answer = await readQueue(client, repo, branch);
    if (answer === null) return;
    const submitLabel = await this.#submitLabel(repo, branch, answer);
    const cursor = `labels/${queue.id}`;
    const since = await pollSince(this.#bot, cursor, `labels/${nameOf(repo)}:${branch}`, queue);
    const from = await this.#submitsSince(queue, submitLabel, since);
    const queued = new Set(answer.enqueuedPullRequests.map(({ prNumber }) => prNumber));
    const pulls = await codeHost.listOpenPullRequests(repo, branch);
    for (const pull of pulls) {
      const isChanged = pull.updatedAt >= since;
      if (isChanged) await this.#pollAutoMerge(queue, pull);
      if (submitLabel === null) continue;
      const isForgotten = hasLabel(pull, submitLabel) && !queued.has(pull.number);
      if (isChanged || (isForgotten && !this.#hasLooked(queue, pull)))
        await this.#pollLabel(queue, pull, submitLabel, from);
    }
    await this.#pollOtherBases(queue, answer, submitLabel);
    const newest = Math.max(since, ...pulls.map(({ updatedAt }) => updatedAt));
    // If the queue was renamed meanwhile, nothing was found, and the next poll must search again.
    const isThere = newest > since && (await readQueue(client, repo, branch)) !== null;
    if (isThere) await cursors.put(cursor, String(newest));
  }

  async #pollOtherBases(queue: PolledQueue, answer: QueueAnswer, label: string | null): Promise<void> {
    const { clock } = this.#bot;
    const now = clock.now();
    const keyOf = (pr: number) => `${queue.id}/${pr}`;
    const isDue = (pr: number) => now - (this.#lookedElsewhere.get(keyOf(pr)) ?? 0) >= lookElsewhereMs;
    for (const pr of waitingForBase(answer, queue.branch).filter(isDue).slice(0, mostElsewhere)) {
      if (this.#lookedElsewhere.size >= maxLooked) this.#lookedElsewhere.clear();
      this.#lookedElsewhere.set(keyOf(pr), now);
      const found = await findWithdrawal(this.#bot, queue, pr, label);
      if (found) await this.#addChange(queue, found.pull, found.change, found.change.id);
    }
  }

  async #pollLabel(queue: PolledQueue, pull: ListedPullRequest, label: string, from: number): Promise<void> {
    const { client, codeHost, clock, settings } = this.#bot;
    const { repo, branch } = queue;
    const { installationId: _, ...address } = repo;
    if (agrees(pull, label, await findEntry(client, address, branch, pull.number))) return;
    const events = await codeHost.listLabelEvents(repo, pull.number);
    // The removal of a label cancels, regardless of its time.
    const first = Math.max(from, hasLabel(pull, label) ? settings.commandsSince : 0);
    const found = events.findLast((event) => isSameName(event.label, label) && event.at >= first);
    // The label changed after the pull requests were listed: the next poll finds it, if it is still to be carried out.
    const isNewer = found !== undefined && (found.action === "labeled") !== hasLabel(pull, label);
    const last = isNewer ? undefined : found;
    const oldest = clock.now() - maxCommandAgeMs;
    if (last && last.at >= oldest) await this.#addChange(queue, pull, last, String(last.id));
    else if (last && !this.#hasLooked(queue, pull))
      await ignoreOld(this.#bot, repo, { pr: pull.number, label });
    this.#noteLooked(queue, pull);
  }

  /**
   * Returns the time since which this label has been the one that submits, in milliseconds since the epoch. Labels that were added earlier
   * must not submit only because the settings name them now.
   */
  async #submitsSince({ id }: PolledQueue, label: string | null, now: number): Promise<number> {
    const { cursors } = this.#bot;
    const cursor = `submit-label/${id}`;
    const [at = "", ...rest] = (await cursors.get(cursor))?.split(" ") ?? [];
    if (at !== "" && isSameName(rest.join(" "), label ?? "")) return Number(at);
    await cursors.put(cursor, `${now} ${label ?? ""}`);
    return now;
  }

  async #submitLabel(repo: InstalledRepository, branch: string, queue: QueueAnswer): Promise<string | null> {
    const { files, settings } = this.#bot;
    if (queue.labelCommandsEnabled === false) return null;
    const parsed = await files.read(repo, branch);
    const file = parsed.ok ? parsed.file : files.lastValid(repo, branch);
    return submitLabelOf(queue, file, settings.submitLabel);
  }

  /** The handler checks whether the queue accepts auto-merge as a command. */
  async #pollAutoMerge(queue: PolledQueue, pull: ListedPullRequest): Promise<void> {
    const { repo, branch } = queue;
    const found = await findAutoMerge(this.#bot, repo, branch, pull);
    if (found === null || found.at < this.#bot.clock.now() - maxCommandAgeMs) return;
    if (found.action === "auto_merge_enabled" && found.at < this.#bot.settings.commandsSince) return;
    const { login, id, isBot } = found.by;
    const change = { action: found.action, at: found.at, actorLogin: login, actorId: id, actorIsBot: isBot };
    await this.#addChange(queue, pull, change, `${found.action}/${pull.number}/${found.at}`);
  }

  async #addChange(queue: PolledQueue, pull: ListedPullRequest, change: FoundChange, id: string) {
    const { settings, clock } = this.#bot;
    const delivery = changeDelivery(
      queue,
      pull,
      { ...change, id },
      { host: settings.host, now: clock.now() },
    );
    await addFound(this.#bot, this.#onAdded, queue.repo, delivery, "label");
  }

  #hasLooked({ id }: PolledQueue, { number, updatedAt }: ListedPullRequest): boolean {
    return this.#looked.get(`${id}/${number}`) === updatedAt;
  }

  #noteLooked({ id }: PolledQueue, { number, updatedAt }: ListedPullRequest): void {
    if (this.#looked.size >= maxLooked) this.#looked.clear();
    this.#looked.set(`${id}/${number}`, updatedAt);
  }
}

function agrees(pull: ListedPullRequest, submitLabel: string, entry: Entry): boolean {
  const isQueued = entry?.isCurrentlySubmittedToQueue ?? false;
  return hasLabel(pull, submitLabel) ? isQueued : !isQueued || entry?.submittedVia !== "label";
}

const hasLabel = ({ labels }: ListedPullRequest, name: string) =>
  labels.some((label) => isSameName(label, name));
