import type { Entry } from "../../engine/model/entry.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { Try } from "../../engine/model/tries/try.ts";
import type { Clock, Ids } from "../../ports/code-host/runtime.ts";
import type { RunRecord } from "../../ports/run-record.ts";
import type { QueueStore } from "../../store/queue/queue-store.ts";
import type { TargetStore } from "../../store/queue/target-store.ts";
import type { Diagnosis } from "../doctor/doctor.ts";
import type { BranchPrefixes } from "../observation/own-branches.ts";
import type { PullRequestReadings } from "../observation/readings.ts";
import type { RepositoryAccess } from "../observation/repository-access.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import type { WebhookChecks } from "../observation/webhook-checks.ts";
import { type Directory, installed, type QueueAddress } from "../runtime/directory.ts";
import type { Forecasts } from "../runtime/forecasts.ts";
import { ImpactedTargets, type StoredTargets } from "../runtime/impacted-targets.ts";
import { accepted, type Outcome, refused } from "../runtime/outcome.ts";
import type { QueueRuntime } from "../runtime/queue-runtime.ts";
import type { EntryReader, EntryView, QueueView } from "../runtime/views.ts";
import { answeringOutages, readInTime } from "./answering-outages.ts";
import { EntryStories } from "./entry-stories.ts";
import { HeadExistence } from "./head-existence.ts";
import { priceActions } from "./price-action.ts";
import { lookForPublicPage } from "./public-pages.ts";
import { QueueCreation } from "./queue-creation.ts";
import type { QueueDoctor } from "./queue-doctor.ts";
import type { EntryAddress, ExaminedQueue, QueueService, Submission, TryRequest } from "./queue-service.ts";
import { commandsTurnedOff } from "./queue-settings.ts";
import { readQueueView } from "./read-queue-view.ts";
import { TestRuns } from "./test-runs.ts";
import { TestablePullRequests } from "./testable-pull-requests.ts";
import { Tries } from "./tries.ts";

export interface MergeQueueParts {
  readonly runtime: QueueRuntime;
  readonly directory: Directory;
  readonly store: QueueStore;
  readonly targets: TargetStore;
  readonly forecasts: Forecasts;
  readonly reader: EntryReader;
  readonly files: RepositoryFiles;
  readonly webhookChecks: Pick<WebhookChecks, "addTo">;
  readonly reach: Pick<RepositoryAccess, "check" | "checkDue" | "isPublic" | "suspect" | "suspectFailure">;
  readonly readings: Pick<PullRequestReadings, "expectNews">;
  readonly doctor: Pick<QueueDoctor, "look">;
  readonly branches: BranchPrefixes;
  /** The label that submits where neither the queue nor the repository file names one. */
  readonly submitLabel: string;
  /** Whether queues of public repositories have public pages unless their setting says otherwise. */
  readonly publicPages: boolean;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Settings whose change can keep the queue from working. */
const examinedSettings = ["mergeMethod", "requiredStatuses", "submitByAutoMerge"] as const;
const healthy: Diagnosis = { findings: [], unexamined: [] };
type Given<Name extends keyof QueueService> = Parameters<QueueService[Name]>[0];

/**
 * The use cases of the merge queue. Each finds the queue, reads what the decision needs, dispatches, and
 * returns a view.
 */
export class MergeQueues implements QueueService {
  readonly #parts: MergeQueueParts;
  readonly #reader: EntryReader;
  readonly #targets: ImpactedTargets;
  readonly #pullRequests: TestablePullRequests;
  readonly #creation: QueueCreation;
  readonly #heads: HeadExistence;
  readonly #runs: TestRuns;
  readonly #stories: EntryStories;
  readonly #tries: Tries;

  constructor(parts: MergeQueueParts) {
    this.#parts = parts;
    this.#reader = parts.reader;
    this.#pullRequests = new TestablePullRequests(parts);
    this.#creation = new QueueCreation(parts);
    this.#heads = new HeadExistence(parts);
    this.#runs = new TestRuns(parts);
    this.#stories = new EntryStories(parts.store, this.#runs);
    this.#tries = new Tries(parts, this.#pullRequests);
    this.#targets = new ImpactedTargets(parts.targets, parts.runtime, parts.clock);
  }

  async createQueue(command: Given<"createQueue">): Promise<Outcome<ExaminedQueue>> {
    const created = await this.#creation.create(command);
    if (!created.ok) return created;
    const { state, installationId, diagnosis } = created.value;
    return accepted({ view: await readQueueView(this.#parts, state, installationId), diagnosis });
  }

  async deleteQueue(command: Given<"deleteQueue">): Promise<Outcome<"deleted" | "absent">> {
    const found = await this.#parts.directory.find(command);
    if (!found.ok) return found.refusal.code === "QUEUE_NOT_FOUND" ? accepted("absent") : found;
    const { refusal } = await this.#parts.runtime.dispatch(found.value.id, {
      type: "delete_queue",
      actor: command.actor,
    });
    return refusal ? refused(refusal) : accepted("deleted");
  }

  async readQueue(address: QueueAddress): Promise<Outcome<QueueView>> {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    const { id, installationId } = found.value;
    return accepted(await readQueueView(this.#parts, await this.#parts.runtime.state(id), installationId));
  }

  async listQueues(organisation: string): Promise<readonly QueueState[]> {
    const records = await this.#parts.directory.ofOrganisation(organisation);
    return Promise.all(records.map(({ id }) => this.#parts.runtime.state(id)));
  }

  async isPagePublic(address: QueueAddress): Promise<boolean> {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return false;
    return lookForPublicPage(this.#parts, found.value, await this.#parts.runtime.state(found.value.id));
  }

  async configureQueue(command: Given<"configureQueue">): Promise<Outcome<ExaminedQueue>> {
    const found = await this.#parts.directory.find(command);
    if (!found.ok) return found;
    const { actor } = command;
    const before = await this.#parts.runtime.state(found.value.id);
    const changes = { ...command.changes, ...commandsTurnedOff(command.changes, before.settings, actor) };
    // Pausing a queue must not wait for GitHub.
    const isExamined = examinedSettings.some((name) => changes[name] !== undefined);
    const { status: _status, ...settings } = changes;
    const wanted = { ...before.settings, ...settings };
    const diagnosis = isExamined
      ? await this.#parts.doctor.look(before, wanted, found.value.installationId)
      : healthy;
    // A queue that cannot merge already may still be changed otherwise.
    const isOtherMethod = wanted.mergeMethod !== before.settings.mergeMethod;
    const fatal = isOtherMethod ? diagnosis.findings.find(({ isFatal }) => isFatal) : undefined;
    if (fatal) return refused({ code: "QUEUE_CANNOT_WORK", branch: before.branch, finding: fatal });
    const decided = await this.#parts.runtime.dispatch(found.value.id, { type: "configure", changes, actor });
    if (decided.refusal) return refused(decided.refusal);
    const { state } = decided;
    return accepted({ view: await readQueueView(this.#parts, state, found.value.installationId), diagnosis });
  }

  async submit(submission: Submission): Promise<Outcome<EntryView & { readonly wasQueued: boolean }>> {
    const { directory, runtime } = this.#parts;
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
      // An entry that is not ready may keep its submission. That depends on who pushed, which the next reading finds out.
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

  askForTry(request: TryRequest): Promise<Outcome<Try>> {
    return this.#tries.ask(request);
  }

  cancelTry(request: Given<"cancelTry">): Promise<Outcome<boolean>> {
    return this.#tries.cancel(request);
  }

  async cancel(command: Given<"cancel">): Promise<Outcome<EntryView>> {
    const { pr, actor, via } = command;
    const found = await this.#parts.directory.find(command);
    if (!found.ok) return found;
    const { refusal } = await this.#parts.runtime.dispatch(found.value.id, {
      type: "cancel",
      pr,
      actor,
      via,
    });
    // For an ended entry, returns how it ended: cancelling twice is no error.
    if (refusal && refusal.code !== "NOT_QUEUED") return refused(refusal);
    return this.#viewIn(await this.#parts.runtime.state(found.value.id), pr);
  }

  async restart(command: Given<"restart">): Promise<Outcome<EntryView>> {
    const { pr, actor } = command;
    const found = await this.#parts.directory.find(command);
    if (!found.ok) return found;
    const { refusal } = await this.#parts.runtime.dispatch(found.value.id, { type: "restart", pr, actor });
    if (refusal?.code === "NOT_QUEUED") return this.#notTesting(found.value.id, pr);
    return refusal ? refused(refusal) : this.#viewIn(await this.#parts.runtime.state(found.value.id), pr);
  }

  async price({ actions, ...address }: Given<"price">) {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    const state = await this.#parts.runtime.state(found.value.id);
    return accepted(priceActions(state, actions, this.#parts.clock.now()));
  }

  async permissionToSubmit(address: QueueAddress): Promise<"write" | "admin"> {
    const found = await this.#parts.directory.find(address);
    const file = found.ok ? await this.#parts.files.read(installed(found.value), found.value.branch) : null;
    return file?.ok ? file.file.permission : "admin";
  }

  async readEntry(address: EntryAddress): Promise<Outcome<EntryView>> {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    if ("pr" in address) return this.#viewIn(await this.#parts.runtime.state(found.value.id), address.pr);
    const entry = await this.#parts.store.lastEntryOfBranch(found.value.id, address.headRef);
    if (!entry) return refused({ code: "NEVER_SUBMITTED", pr: address.headRef });
    return this.#viewIn(await this.#parts.runtime.state(found.value.id), entry.pr);
  }

  async readStory({ pr, ...address }: Given<"readStory">) {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    const read = await this.#viewIn(await this.#parts.runtime.state(found.value.id), pr);
    return read.ok ? accepted(await this.#stories.read(found.value, read.value)) : read;
  }

  async readEntries({ prs, ...address }: Given<"readEntries">) {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    const state = await this.#parts.runtime.state(found.value.id);
    const entries: EntryView[] = [];
    const notFound: number[] = [];
    for (const pr of new Set(prs)) {
      const view = await this.#reader.entryView(state, pr);
      if (view) entries.push(view);
      else notFound.push(pr);
    }
    return accepted({ entries, notFound });
  }

  async listEntries({ query, ...address }: Given<"listEntries">) {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    // One entry more than requested shows whether another page follows.
    const more = { ...query, limit: query.limit + 1 };
    const listed = await this.#parts.store.listEntries(found.value.id, more);
    const entries = listed.slice(0, query.limit);
    const last = entries.at(-1);
    const next = listed.length > query.limit && last ? { submittedAt: last.submittedAt, pr: last.pr } : null;
    return accepted({ entries, next });
  }

  async readRuns(address: QueueAddress): Promise<Outcome<readonly RunRecord[]>> {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    return accepted(await this.#runs.active(found.value));
  }

  async readRun({ runId, ...address }: Given<"readRun">) {
    const found = await this.#parts.directory.find(address);
    if (!found.ok) return found;
    return this.#runs.find(found.value, runId);
  }

  async recentlyEnded(address: QueueAddress, limit: number): Promise<readonly Entry[]> {
    const found = await this.#parts.directory.find(address);
    return found.ok ? this.#parts.store.endedEntries(found.value.id, 0, limit) : [];
  }

  async setImpactedTargets(upload: Given<"setImpactedTargets">): Promise<Outcome<StoredTargets>> {
    const found = await this.#parts.directory.find(upload);
    if (!found.ok) return found;
    const head = await this.#heads.find(found.value, upload);
    if (!head.ok) return head;
    return accepted(await this.#targets.upload(found.value, { ...upload, headSha: head.value }));
  }

  /** A pull request keeps its entry id when it is submitted again. */
  async #entryId(queueId: string, pr: number): Promise<string> {
    const { store, ids } = this.#parts;
    return (await store.lastEntry(queueId, pr))?.id ?? ids.next();
  }

  async #viewIn(state: QueueState, pr: number): Promise<Outcome<EntryView>> {
    const view = await this.#reader.entryView(state, pr);
    return view ? accepted(view) : refused({ code: "NEVER_SUBMITTED", pr });
  }

  async #notTesting(queueId: string, pr: number): Promise<Outcome<EntryView>> {
    const last = await this.#parts.store.lastEntry(queueId, pr);
    return refused(last ? { code: "NOT_TESTING", pr, state: last.state } : { code: "NEVER_SUBMITTED", pr });
  }
}
