import { noQueue, type QueueState } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import { scratchName, testBranchName } from "../../engine/model/test-run.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import type { OwnBranchNames } from "../../ports/code-host/doctor-facts.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import { allExaminations, type Diagnosis, Doctor, queueExaminations } from "../doctor/doctor.ts";
import { severities } from "../doctor/finding.ts";
import type { BranchPrefixes } from "../observation/own-branches.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import type { QueueAddress } from "../runtime/directory.ts";
import { accepted, type Outcome } from "../runtime/outcome.ts";
import { PeriodicTask } from "../workers/periodic-task.ts";

/** What the last examination of a queue found. */
export interface KnownDiagnosis extends Diagnosis {
  readonly at: number;
}

/** How long the creation of a queue waits for the examination. */
const patienceMs = 5_000;
/** How long an examination that nobody asked for may take. The end of the service waits for it. */
const roundPatienceMs = 10_000;
const dayMs = 86_400_000;
/** One queue in this time is examined without being asked, so that many queues do not use up the calls to GitHub. */
const everyMs = 2 * 60_000;

/** Finds problems that keep queues from working as they should. Once a day it examines each queue without being asked. */
export class QueueDoctor {
  readonly #context: QueueContext;
  readonly #doctor: Doctor;
  readonly #rounds: PeriodicTask;
  /** When each queue was last taken, in milliseconds since the epoch: a queue whose examination fails must not hold up the others. */
  readonly #tried = new Map<string, number>();

  constructor(context: QueueContext) {
    this.#context = context;
    const { directory, clock, log } = context;
    this.#doctor = new Doctor(directory.codeHost, clock, log);
    const purpose = "examine a queue";
    this.#rounds = new PeriodicTask({ run: () => this.#examineNext(), everyMs, purpose, log, level: "warn" });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Runs all examinations on a branch. A branch without a queue is examined with the default settings. */
  async examine(address: QueueAddress): Promise<Outcome<Diagnosis>> {
    const { directory, runtime } = this.#context;
    const unserved = directory.checkHost(address.repo);
    if (unserved) return unserved;
    const found = await directory.find(address);
    const state = found.ok ? await runtime.state(found.value.id) : noQueue;
    const diagnosis = await this.#doctor.examine(this.#patient(address, state), allExaminations);
    if (found.ok) await this.#keep(found.value.id, { ...diagnosis, at: this.#context.clock.now() });
    return accepted(diagnosis);
  }

  /** Returns what the last whole examination of each queue found, by the queue's id. Queues that were never examined are missing. */
  async lastOf(queueIds: readonly string[]): Promise<ReadonlyMap<string, KnownDiagnosis>> {
    const stored = await this.#context.stores.cursors.list(queueIds.map(cursorOf));
    const known = queueIds.flatMap((id) => {
      const text = stored.get(cursorOf(id));
      const diagnosis = text === undefined ? null : (JSON.parse(text) as Partial<KnownDiagnosis> | null);
      // Another version may have stored other fields. The next examination replaces them.
      return diagnosis?.findings && diagnosis.at ? [[id, diagnosis as KnownDiagnosis] as const] : [];
    });
    return new Map(known);
  }

  /**
   * Examines the rules and workflows of a repository for a queue with these settings, with few calls. Never
   * fails.
   */
  look(address: QueueAddress, settings: QueueSettings, installationId: number): Promise<Diagnosis> {
    const patient = { ...this.#patient(address, { ...noQueue, settings }), installationId };
    return this.#doctor.examine(patient, queueExaminations, patienceMs);
  }

  /** Examines the queue whose last examination is the longest ago. What GitHub does not tell now, as in an outage, stays as it was found. */
  async #examineNext(): Promise<void> {
    const { directory, runtime, clock } = this.#context;
    const queues = await directory.list();
    const last = await this.lastOf(queues.map(({ id }) => id));
    const lookedAt = ({ id, createdAt }: QueueRecord) =>
      Math.max(last.get(id)?.at ?? createdAt, this.#tried.get(id) ?? 0);
    const [next] = queues.toSorted((a, b) => lookedAt(a) - lookedAt(b));
    if (!next || clock.now() < lookedAt(next) + dayMs) return;
    this.#tried.set(next.id, clock.now());
    const patient = this.#patient(next, await runtime.state(next.id));
    const { findings, unexamined } = await this.#doctor.examine(patient, allExaminations, roundPatienceMs);
    const unread = new Set(unexamined.map(({ code }) => code));
    const known = last.get(next.id)?.findings.filter(({ code }) => unread.has(code)) ?? [];
    const all = Object.groupBy([...findings, ...known], ({ severity }) => severity);
    const sorted = severities.flatMap((one) => all[one] ?? []);
    await this.#keep(next.id, { findings: sorted, unexamined, at: clock.now() });
  }

  async #keep(queueId: string, diagnosis: KnownDiagnosis): Promise<void> {
    const { stores, log } = this.#context;
    try {
      await stores.cursors.put(cursorOf(queueId), JSON.stringify(diagnosis));
    } catch (error) {
      // A database that cannot be written to is a reason to examine.
      log.warn({ code: "DIAGNOSIS_NOT_KEPT", err: error }, "what doctor found is shown, but not kept");
    }
  }

  #patient({ repo, branch }: QueueAddress, queue: QueueState) {
    const ownBranches = ownBranchNames(this.#context.settings.branches, branch);
    return {
      repo,
      branch,
      ...knownOf(queue),
      ownBranches,
      ...this.#context.settings.doctor,
      databaseDamage: this.#context.stores.damage.found,
    };
  }
}

function cursorOf(queueId: string): string {
  return `diagnosis/${queueId}`;
}

/** What the doctor has to know about a queue. */
export function knownOf({ settings, statusReason, resumes }: QueueState) {
  const { mergeMethod, requiredStatuses, submitByAutoMerge, directMergeMode } = settings;
  const isStopped = resumes !== null && statusReason.code === "OLDER_INSTANCE";
  return {
    mergeMethod,
    requiredStatuses,
    submitByAutoMerge,
    directMergeMode,
    olderInstance: isStopped ? renderReason(statusReason) : null,
  };
}

const anyRun = { id: "00000000-0000-4000-8000-000000000000", members: [1] } as const;

/** Example names for the branches of a queue. */
export function ownBranchNames({ test, scratch }: BranchPrefixes, branch: string): OwnBranchNames {
  return { testPrefix: test, test: testBranchName(test, anyRun), scratch: scratch + scratchName(branch) };
}
