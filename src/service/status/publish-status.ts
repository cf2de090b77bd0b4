import { createHash } from "node:crypto";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { OutboxRow, Task } from "../../store/leased/outbox.ts";
import type { Publication } from "../../store/queue/publication-store.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import { interludeMs, publishTask } from "../runtime/plan-tasks.ts";
import type { EntryView } from "../runtime/views.ts";
import { KeyedMutex } from "../workers/keyed-mutex.ts";
import { renderCheck, renderComment, type StatusContext } from "./comment-and-check-text.ts";
import { type FailureEvidence, FailureEvidenceReader } from "./failure-evidence.ts";
import { StateLabels, SubmitLabel } from "./labels.ts";
import { type LostPlace, lostPlaceOf } from "./lost-place-mentions.ts";
import { parseNotices } from "./notices.ts";

type PublishTask = Extract<Task, { type: "publish" }>;

/** The end of the names of streams whose tasks wait, so that other updates do not wait behind these tasks. */
const beside = "/again";

/** Older losses are not reported, because, for example, an earlier version may have reported them. */
const newsMs = 24 * 60 * 60_000;

/** After this time, no request of ours is still in progress at the code host. */
const lateMs = 60_000;

/**
 * Which of our comments and checks may exist without a known id: `one` is the first, `another` is a
 * duplicate.
 */
type MayExist = "none" | "one" | "another";

interface Subject {
  readonly queue: QueueRecord;
  readonly view: EntryView;
  readonly evidence: FailureEvidence | null;
  readonly settings: QueueSettings;
}

/** Updates the check and the comment of a pull request to match its entry. Writes only changes. */
export class StatusPublisher {
  readonly #context: QueueContext;
  readonly #evidence: FailureEvidenceReader;
  readonly #labels: StateLabels;
  readonly #submitLabel: SubmitLabel;
  readonly #turns = new KeyedMutex();

  constructor(context: QueueContext) {
    this.#context = context;
    this.#evidence = new FailureEvidenceReader(context);
    this.#labels = new StateLabels(context);
    this.#submitLabel = new SubmitLabel(context);
  }

  /**
   * After an outage, a publishing task and its follow-up become due together. Without serialization, each
   * would create a comment.
   */
  publish(task: PublishTask, row: OutboxRow): Promise<void> {
    if (isBeside(row)) return this.#follow(task);
    return this.#turns.take(publishTask(task.repo, task.pr, 0).stream, () => this.#publish(task, row));
  }

  async #publish(task: PublishTask, row: OutboxRow): Promise<void> {
    const { repo, pr } = task;
    // While an older service works on the repository, only that one writes comments.
    if ((await this.#context.instances.older(repo)) !== null) return;
    const began = this.#context.clock.now();
    // Read in this order: if the repository is renamed in between, there is no subject under this name.
    const posted = await this.#posted(task);
    const subject = await this.#subject(repo, pr);
    const mayExist: MayExist = task.again ? "another" : row.attempts > 0 ? "one" : "none";
    // An earlier attempt without a response may take effect after this one.
    if (row.attempts > 0 && !task.again) await this.#publishAgainLater(task);
    if (!subject) {
      const [queue] = await this.#context.directory.ofRepository(repo);
      const installationId = queue?.installationId ?? task.installationId;
      if (installationId === undefined) return;
      await this.#putComment({ ...repo, installationId }, pr, null, queue?.branch ?? "", posted, mayExist);
      return;
    }
    const at = installed(subject.queue);
    const { branch } = subject.queue;
    const { settings } = subject;
    // Only this retry knows that an earlier attempt may have created a check. A new task would not know that, and could create a
    // second one.
    const checkAt = mayExist !== "none" ? 0 : this.#firstCheckAt(subject, posted);
    const isCheckDue = checkAt <= this.#context.clock.now();
    await attemptAll([
      async () => {
        if (!settings.commentsEnabled && posted.notice === null) return;
        await this.#putComment(at, pr, settings.commentsEnabled ? subject : null, branch, posted, mayExist);
      },
      async () => {
        if (settings.statusCheckEnabled && isCheckDue) await this.#putCheck(at, subject, posted, mayExist);
      },
      () => this.#labels.show(at, branch, subject.view.entry, settings.stateLabelsEnabled, task.again),
      () => this.#submitLabel.remove(at, branch, subject.view.entry, settings),
    ]);
    // If this process was suspended, another one may have published a later state, which was overwritten now.
    if (this.#context.clock.now() - began >= this.#context.settings.leaseMs)
      await this.#publishAgainLater(task);
    // Adds a new task. Postponing this one would look as if an earlier attempt had created a check. After a failure, the retry
    // creates the check.
    if (settings.statusCheckEnabled && !isCheckDue)
      await this.#context.outbox.add(publishTask(repo, pr, checkAt));
  }

  async #posted({ repo, pr, again }: PublishTask): Promise<Publication> {
    const posted = await this.#context.stores.publications.get(repo, pr);
    return again ? { ...posted, checkDigest: null, commentDigest: null } : posted;
  }

  async #publishAgainLater(task: PublishTask): Promise<void> {
    const planned = publishTask(task.repo, task.pr, this.#context.clock.now() + lateMs);
    const stream = `${planned.stream}${beside}`;
    await this.#context.outbox.add({ ...planned, stream, task: { ...task, again: true } });
  }

  /** Publishes after the other updates of the pull request. Otherwise an earlier state could replace a later one. */
  async #follow(task: PublishTask): Promise<void> {
    await this.#context.outbox.add({ ...publishTask(task.repo, task.pr, this.#context.clock.now()), task });
  }

  /** The check of a waiting entry is created only after some time. Usually its tests start first, and the check is created then. */
  #firstCheckAt({ view: { entry } }: Subject, posted: Publication): number {
    const waits = entry.state === "pending" && posted.checkSha !== entry.headSha;
    return waits ? entry.stateChangedAt + interludeMs(this.#context.settings.pace) : 0;
  }

  /** The queue that the pull request is in, else the last queue that it was in. */
  async #subject(repo: RepositoryRef, pr: number): Promise<Subject | null> {
    const { directory, runtime, reader } = this.#context;
    let found: Omit<Subject, "evidence"> | null = null;
    for (const queue of await directory.ofRepository(repo)) {
      const state = await runtime.state(queue.id);
      const view = await reader.entryView(state, pr);
      if (view && (!found || rank(view) > rank(found.view)))
        found = { queue, view, settings: state.settings };
    }
    return found && { ...found, evidence: await this.#evidence.read(found.queue, found.view.entry) };
  }

  async #putCheck(
    repo: InstalledRepository,
    { queue, view, evidence }: Subject,
    posted: Publication,
    mayExist: MayExist,
  ): Promise<void> {
    const content = renderCheck(view, this.#textContext(repo, queue.branch), evidence);
    const checkDigest = digest(content);
    const sameHead = posted.checkSha === content.headSha;
    if (sameHead && posted.checkDigest === checkDigest) return;
    const id = sameHead ? posted.checkRunId : null;
    const checkRunId = await this.#context.directory.codeHost.putCheckRun(
      repo,
      id,
      content,
      isToFind(mayExist, id),
    );
    const changes = { checkRunId, checkSha: content.headSha, checkDigest };
    await this.#context.stores.publications.put(
      repo,
      view.entry.pr,
      changes,
      this.#context.clock.now(),
      queue.id,
    );
  }

  async #putComment(
    repo: InstalledRepository,
    pr: number,
    subject: Subject | null,
    branch: string,
    posted: Publication,
    mayExist: MayExist,
  ): Promise<void> {
    const notices = parseNotices(posted.notice);
    const lost = subject && (await this.#lostPlace(repo, subject, posted));
    const context = { ...this.#textContext(repo, branch), lost };
    const body = renderComment(subject?.view ?? null, notices, context, subject?.evidence);
    const commentDigest = digest(body);
    const { commentId, commentMark } = posted;
    const isNews = lost !== null && lost.id !== commentMark;
    if (body === "" || (posted.commentDigest === commentDigest && !isNews)) return;
    const known = commentId === null ? null : { id: commentId, mark: commentMark };
    const { id, mark } = await this.#context.directory.codeHost.putComment(
      repo,
      pr,
      known,
      { body, mark: lost?.id ?? null, instance: await this.#context.instances.own() },
      isToFind(mayExist, isNews ? null : commentId),
    );
    const changes = { commentId: id, commentMark: mark, commentDigest };
    await this.#context.stores.publications.put(
      repo,
      pr,
      changes,
      this.#context.clock.now(),
      subject?.queue.id,
    );
  }

  /** The loss that a new comment reports; null = there is none, or nobody is to be notified. */
  async #lostPlace(
    repo: InstalledRepository,
    { view: { entry }, queue }: Subject,
    { commentMark }: Publication,
  ): Promise<LostPlace | null> {
    const lost = lostPlaceOf(entry);
    if (lost === null || lost.id === commentMark) return lost;
    if (this.#context.clock.now() - entry.stateChangedAt > newsMs) return null;
    const { files } = this.#context;
    const parsed = await files.readOrLast(repo, queue.branch);
    const { notify } = parsed.ok ? parsed.file : files.lastValid(repo, queue.branch);
    return notify === "none" ? null : lost;
  }

  #textContext(repo: RepositoryRef, branch: string): StatusContext {
    const { pageUrl, commandPrefix } = this.#context.settings;
    return { branch, commandPrefix, queueUrl: pageUrl({ repo, branch }) };
  }
}

function isBeside({ stream }: OutboxRow): boolean {
  return stream.endsWith(beside);
}

function isToFind(mayExist: MayExist, known: string | null): boolean {
  return mayExist === "another" || (mayExist === "one" && known === null);
}

/**
 * Runs all steps concurrently, so that their writes go in one request. Throws the first failure after all
 * have ended.
 */
async function attemptAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const results = await Promise.allSettled(steps.map((step) => step()));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/**
 * A merge is final, even if another queue does not know of it yet. Otherwise live entries rank above ended ones, and later changes above
 * earlier ones.
 */
function rank({ live, entry: { state, stateChangedAt } }: EntryView): number {
  const kind = state === "merged" ? 2 : live ? 1 : 0;
  return kind * (Number.MAX_SAFE_INTEGER / 4) + stateChangedAt;
}

function digest(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 16);
}
