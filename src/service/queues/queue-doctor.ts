import { defaultSettings, type QueueSettings } from "../../engine/model/settings.ts";
import { scratchName, testBranchName } from "../../engine/model/test-run.ts";
import type { OwnBranchNames } from "../../ports/code-host/doctor-facts.ts";
import { allExaminations, type Diagnosis, Doctor, queueExaminations } from "../doctor/doctor.ts";
import type { BranchPrefixes } from "../observation/own-branches.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import type { QueueAddress } from "../runtime/directory.ts";
import { accepted, type Outcome } from "../runtime/outcome.ts";

/** What the last examination of a queue found. It is forgotten when the service stops. */
export interface KnownDiagnosis extends Diagnosis {
  readonly at: number;
}

/** How long the creation of a queue waits for the examination. */
const patienceMs = 5_000;

/** Finds problems that keep queues from working as they should. */
export class QueueDoctor {
  readonly #context: QueueContext;
  readonly #doctor: Doctor;
  /** By the id of the queue. */
  readonly #known = new Map<string, KnownDiagnosis>();

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
    const settings = found.ok ? (await runtime.state(found.value.id)).settings : defaultSettings;
    const diagnosis = await this.#doctor.examine(this.#patient(address, settings), allExaminations);
    if (found.ok) this.#known.set(found.value.id, { ...diagnosis, at: this.#context.clock.now() });
    return accepted(diagnosis);
  }

  /** Returns what the last whole examination of a queue found; null when this service has not examined it. Costs nothing. */
  lastOf(queueId: string): KnownDiagnosis | null {
    return this.#known.get(queueId) ?? null;
  }

  /**
   * Examines the rules and workflows of a repository for a queue with these settings, with few calls. Never
   * fails.
   */
  look(address: QueueAddress, settings: QueueSettings, installationId: number): Promise<Diagnosis> {
    const patient = { ...this.#patient(address, settings), installationId };
    return this.#doctor.examine(patient, queueExaminations, patienceMs);
  }

  #patient({ repo, branch }: QueueAddress, settings: QueueSettings) {
    const { mergeMethod, requiredStatuses, submitByAutoMerge } = settings;
    const ownBranches = ownBranchNames(this.#context.settings.branches, branch);
    return {
      repo,
      branch,
      mergeMethod,
      requiredStatuses,
      submitByAutoMerge,
      ownBranches,
      ...this.#context.settings.doctor,
      databaseDamage: this.#context.stores.damage.found,
    };
  }
}

const anyRun = { id: "00000000-0000-4000-8000-000000000000", members: [1] } as const;

/** Example names for the branches of a queue. */
export function ownBranchNames({ test, scratch }: BranchPrefixes, branch: string): OwnBranchNames {
  return { testPrefix: test, test: testBranchName(test, anyRun), scratch: scratch + scratchName(branch) };
}
