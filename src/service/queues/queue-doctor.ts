import { noQueue, type QueueState } from "../../engine/model/queue.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import { scratchName, testBranchName } from "../../engine/model/test-run.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import type { OwnBranchNames } from "../../ports/code-host/doctor-facts.ts";
import { allExaminations, type Diagnosis, Doctor, queueExaminations } from "../doctor/doctor.ts";
import type { BranchPrefixes } from "../observation/own-branches.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import type { QueueAddress } from "../runtime/directory.ts";
import { accepted, type Outcome } from "../runtime/outcome.ts";

/** What the last examination of a queue found. */
export interface KnownDiagnosis extends Diagnosis {
  readonly at: number;
}

/** How long the creation of a queue waits for the examination. */
const patienceMs = 5_000;

/** Finds problems that keep queues from working as they should. */
export class QueueDoctor {
  readonly #context: QueueContext;
  readonly #doctor: Doctor;

  constructor(context: QueueContext) {
    this.#context = context;
    this.#doctor = new Doctor(context.directory.codeHost, context.clock, context.log);
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
