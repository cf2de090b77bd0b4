import type { Actor } from "../../engine/model/actor.ts";
import type { Entry } from "../../engine/model/entry.ts";
import type { QueueChanges } from "../../engine/model/input.ts";
import type { QueueState, RepositoryRef } from "../../engine/model/queue.ts";
import type { Try } from "../../engine/model/tries/try.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { EntryQuery } from "../../store/queue/queue-store.ts";
import type { Diagnosis } from "../doctor/doctor.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { keepVisible } from "../observation/repository-roles.ts";
import { installed, type QueueAddress } from "../runtime/directory.ts";
import { ImpactedTargets, type StoredTargets } from "../runtime/impacted-targets.ts";
import { accepted, type Outcome, refused } from "../runtime/outcome.ts";
import type { EntryReader, EntryView, QueueView } from "../runtime/views.ts";
import { answeringOutages, readInTime } from "./answering-outages.ts";
import { EntryStories } from "./entry-stories.ts";
import { HeadExistence } from "./head-existence.ts";
import { type PricedAction, priceActions } from "./price-action.ts";
import { QueueCreation } from "./queue-creation.ts";
import type { QueueDoctor } from "./queue-doctor.ts";
import type {
  EntryAddress,
  EntryCommand,
  ExaminedQueue,
  NewQueue,
  Submission,
  TargetsUpload,
  TryRequest,
} from "./queue-requests.ts";
import { commandsTurnedOff, isToExamine } from "./queue-settings.ts";
import { lookForPublicPage, readQueueView } from "./read-queue-view.ts";
import { TestRuns } from "./test-runs.ts";
import { TestablePullRequests } from "./testable-pull-requests.ts";
import { Tries } from "./tries.ts";

const healthy: Diagnosis = { findings: [], unexamined: [] };

/**
 * The use cases of the merge queue. Each finds the queue, reads what the decision needs, dispatches, and
 * returns a view. Refusals are values. Thrown errors are failures of the service or of the database.
 */
export class MergeQueues {
  readonly #context: ObservationContext;
  readonly #doctor: QueueDoctor;
  readonly #reader: EntryReader;
  readonly #targets: ImpactedTargets;
  readonly #pullRequests: TestablePullRequests;
  readonly #creation: QueueCreation;
  readonly #heads: HeadExistence;
  readonly #runs: TestRuns;
  readonly #stories: EntryStories;
  readonly #tries: Tries;

  constructor(context: ObservationContext, doctor: QueueDoctor) {
    this.#context = context;
    this.#doctor = doctor;
    this.#reader = context.reader;
    this.#pullRequests = new TestablePullRequests(context);
    this.#creation = new QueueCreation(context, doctor);
    this.#heads = new HeadExistence(context);
    this.#runs = new TestRuns(context);
    this.#stories = new EntryStories(context.stores.queues, this.#runs, context.files);
    this.#tries = new Tries(context, this.#pullRequests);
    this.#targets = new ImpactedTargets(context.stores.targets, context.runtime, context.clock);
  }

  /** Refused when GitHub itself states that the branch's rules prevent every merge of the queue. */
  async createQueue(command: NewQueue): Promise<Outcome<ExaminedQueue>> {
    const created = await this.#creation.create(command);
    if (!created.ok) return created;
    const { state, installationId, diagnosis } = created.value;
    return accepted({ view: await readQueueView(this.#context, state, installationId), diagnosis });
  }

  /** Deleting an absent queue succeeds. */
  async deleteQueue(
    command: QueueAddress & { readonly actor: Actor },
  ): Promise<Outcome<"deleted" | "absent">> {
    const { directory, runtime } = this.#context;
    const found = await directory.find(command);
    if (!found.ok) return found.refusal.code === "QUEUE_NOT_FOUND" ? accepted("absent") : found;
    const { refusal } = await runtime.dispatch(found.value.id, {
      type: "delete_queue",
      actor: command.actor,
    });
    return refusal ? refused(refusal) : accepted("deleted");
  }

  async readQueue(address: QueueAddress): Promise<Outcome<QueueView>> {
    const { directory, runtime } = this.#context;
    const found = await directory.find(address);
    if (!found.ok) return found;
    const { id, installationId } = found.value;
    return accepted(await readQueueView(this.#context, await runtime.state(id), installationId));
  }

  /** The queues of the repositories that somebody may read, the oldest first. Throws a failure of the code host. */
  async listQueues(mayRead: (repo: RepositoryRef) => Promise<boolean>) {
    const { visible, isComplete } = await keepVisible(await this.#context.directory.list(), mayRead);
    const states = await Promise.all(visible.map(({ id }) => this.#context.runtime.state(id)));
    return accepted({ states, isComplete });
  }

  /** Whether anyone may read the queue's page; false when there is no such queue. */
  async isPagePublic(address: QueueAddress): Promise<boolean> {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return false;
    return lookForPublicPage(this.#context, found.value, await this.#context.runtime.state(found.value.id));
  }

  /** The repository is examined when a setting changes that its rules may conflict with. */
  async configureQueue(
    command: QueueAddress & { readonly changes: QueueChanges; readonly actor: Actor },
  ): Promise<Outcome<ExaminedQueue>> {
    const { directory, runtime } = this.#context;
    const { changes: asked, actor } = command;
    const found = await directory.find(command);
    if (!found.ok) return found;
    const before = await runtime.state(found.value.id);
    const changes = { ...asked, ...commandsTurnedOff(asked, before.settings, actor) };
    // Pausing a queue must not wait for GitHub.
    const diagnosis = isToExamine(changes)
      ? await this.#doctor.look(before, { ...before.settings, ...changes }, found.value.installationId)
      : healthy;
    // A queue that already cannot merge may still change its other settings.
    const { mergeMethod = before.settings.mergeMethod } = changes;
    const fatal = diagnosis.findings.find(({ isFatal }) => isFatal);
    if (fatal && mergeMethod !== before.settings.mergeMethod)
      return refused({ code: "QUEUE_CANNOT_WORK", branch: before.branch, finding: fatal });
    const decided = await runtime.dispatch(found.value.id, { type: "configure", changes, actor });
    if (decided.refusal) return refused(decided.refusal);
    const view = await readQueueView(this.#context, decided.state, found.value.installationId);
    return accepted({ view, diagnosis });
  }

  /** Durable when the promise resolves. `wasQueued`: this head was queued already, and kept its place. */
  async submit(submission: Submission): Promise<Outcome<EntryView & { readonly wasQueued: boolean }>> {
    const { directory, runtime } = this.#context;
    const { pr, repo: _repo, branch: _branch, ...rest } = submission;
    const found = await directory.find(submission);
    if (!found.ok) return found;
    const queue = found.value;
    return answeringOutages(async () => {
      const read = await readInTime(() => this.#pullRequests.readToSubmit(queue, pr, rest));
      if (!read.ok) return read;
      const pullRequest = read.value;
      const entryId = await this.#entryId(queue.id, pr);
      const targets = await this.#targets.read(queue, pr, pullRequest.headSha);
      const command = { type: "submit", entryId, pullRequest, targets, ...rest } as const;
      const { refusal, state, events } = await runtime.dispatch(queue.id, command);
      const wasQueued = !events.some(({ data }) => data.type === "entry_admitted");
      // An entry that is not ready may keep its submission, depending on who pushed. The next reading finds that out.
      const isUnready = state.entries.get(pr)?.state === "not_ready";
      if (refusal?.code === "HEAD_MISMATCH" && !isUnready) {
        await runtime.dispatch(queue.id, { type: "pull_request_observed", pullRequest });
      }
      if (refusal) return refused(refusal);
      // An upload during the submission found no entry to update.
      const told = await this.#targets.report(queue, pr, pullRequest.headSha, targets);
      const view = await this.#viewIn(told ?? state, pr);
      return view.ok ? accepted({ ...view.value, wasQueued }) : view;
    });
  }

  /** Tests a pull request on the base without queueing it. Durable when the promise resolves. */
  askForTry(request: TryRequest): Promise<Outcome<Try>> {
    return this.#tries.ask(request);
  }

  /** Returns whether there was a try to cancel. */
  cancelTry(request: EntryCommand): Promise<Outcome<boolean>> {
    return this.#tries.cancel(request);
  }

  /** For a pull request that already ended, returns its last entry unchanged. */
  async cancel(command: EntryCommand): Promise<Outcome<EntryView>> {
    const { pr, actor, via } = command;
    const { directory, runtime } = this.#context;
    const found = await directory.find(command);
    if (!found.ok) return found;
    const { refusal } = await runtime.dispatch(found.value.id, { type: "cancel", pr, actor, via });
    // For an ended entry, returns how it ended: cancelling twice is no error.
    if (refusal && refusal.code !== "NOT_QUEUED") return refused(refusal);
    return this.#viewIn(await runtime.state(found.value.id), pr);
  }

  async restart(command: Omit<EntryCommand, "via">): Promise<Outcome<EntryView>> {
    const { pr, actor } = command;
    const found = await this.#context.directory.find(command);
    if (!found.ok) return found;
    const { refusal } = await this.#context.runtime.dispatch(found.value.id, { type: "restart", pr, actor });
    if (refusal?.code === "NOT_QUEUED") return this.#notTesting(found.value.id, pr);
    return refusal ? refused(refusal) : this.#viewIn(await this.#context.runtime.state(found.value.id), pr);
  }

  /** What actions would do to the queue in its current state. Nothing is carried out. */
  async price({ actions, ...address }: QueueAddress & { readonly actions: readonly PricedAction[] }) {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return found;
    const state = await this.#context.runtime.state(found.value.id);
    return accepted(priceActions(state, actions, this.#context.clock.now()));
  }

  /** What somebody needs to queue, cancel and restart; null = there is no such queue. Throws a failure of the code host. */
  async permissionToSubmit(address: QueueAddress): Promise<"write" | "admin" | null> {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return null;
    const file = await this.#context.files.read(installed(found.value), found.value.branch);
    return file.ok ? file.file.permission : "admin";
  }

  async readEntry(address: EntryAddress): Promise<Outcome<EntryView>> {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return found;
    if ("pr" in address) return this.#viewIn(await this.#context.runtime.state(found.value.id), address.pr);
    const entry = await this.#context.stores.queues.lastEntryOfBranch(found.value.id, address.headRef);
    if (!entry) return refused({ code: "NEVER_SUBMITTED", pr: address.headRef });
    return this.#viewIn(await this.#context.runtime.state(found.value.id), entry.pr);
  }

  /** What happened to a pull request so far. Costs the same in a queue of any length and age. */
  async readStory({ pr, ...address }: QueueAddress & { readonly pr: number }) {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return found;
    const read = await this.#viewIn(await this.#context.runtime.state(found.value.id), pr);
    return read.ok ? accepted(await this.#stories.read(found.value, read.value)) : read;
  }

  /** The pull requests that were ever submitted, in the requested order, and the numbers of the others. */
  async readEntries({ prs, ...address }: QueueAddress & { readonly prs: readonly number[] }) {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return found;
    const state = await this.#context.runtime.state(found.value.id);
    const entries: EntryView[] = [];
    const notFound: number[] = [];
    for (const pr of new Set(prs)) {
      const view = await this.#reader.entryView(state, pr);
      if (view) entries.push(view);
      else notFound.push(pr);
    }
    return accepted({ entries, notFound });
  }

  /**
   * The last entry of each pull request, the last submitted first. `next` is the start of the following page.
   */
  async listEntries({ query, ...address }: QueueAddress & { readonly query: EntryQuery }) {
    const found = await this.#context.directory.find(address);
    if (!found.ok) return found;
    // One entry more than requested shows whether another page follows.
    const more = { ...query, limit: query.limit + 1 };
    const listed = await this.#context.stores.queues.listEntries(found.value.id, more);
    const entries = listed.slice(0, query.limit);
    const last = entries.at(-1);
    const next = listed.length > query.limit && last ? { submittedAt: last.submittedAt, pr: last.pr } : null;
    return accepted({ entries, next });
  }

  /** The test runs in progress, oldest first. */
  async readRuns(address: QueueAddress): Promise<Outcome<readonly RunRecord[]>> {
    const found = await this.#context.directory.find(address);
    return found.ok ? accepted(await this.#runs.active(found.value)) : found;
  }

  /** A test run, in progress or ended. */
  async readRun({ runId, ...address }: QueueAddress & { readonly runId: string }) {
    const found = await this.#context.directory.find(address);
    return found.ok ? this.#runs.find(found.value, runId) : found;
  }

  /** Ended entries, the last ended first. */
  async recentlyEnded(address: QueueAddress, limit: number): Promise<readonly Entry[]> {
    const found = await this.#context.directory.find(address);
    return found.ok ? this.#context.stores.queues.endedEntries(found.value.id, 0, limit) : [];
  }

  async setImpactedTargets(upload: TargetsUpload): Promise<Outcome<StoredTargets>> {
    const found = await this.#context.directory.find(upload);
    if (!found.ok) return found;
    const head = await this.#heads.find(found.value, upload);
    if (!head.ok) return head;
    return accepted(await this.#targets.upload(found.value, { ...upload, headSha: head.value }));
  }

  /** A pull request keeps its entry id when it is submitted again. */
  async #entryId(queueId: string, pr: number): Promise<string> {
    const { stores, ids } = this.#context;
    return (await stores.queues.lastEntry(queueId, pr))?.id ?? ids.next();
  }

  async #viewIn(state: QueueState, pr: number): Promise<Outcome<EntryView>> {
    const view = await this.#reader.entryView(state, pr);
    return view ? accepted(view) : refused({ code: "NEVER_SUBMITTED", pr });
  }

  async #notTesting(queueId: string, pr: number): Promise<Outcome<EntryView>> {
    const last = await this.#context.stores.queues.lastEntry(queueId, pr);
    return refused(last ? { code: "NOT_TESTING", pr, state: last.state } : { code: "NEVER_SUBMITTED", pr });
  }
}
