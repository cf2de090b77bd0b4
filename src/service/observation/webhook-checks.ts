import type { CheckFact } from "../../engine/model/checks/required-checks.ts";
import { nameKey } from "../../engine/model/names.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";

interface Told {
  readonly check: CheckFact;
  readonly at: number;
}

type BroadcastCheck = (repo: RepositoryRef, sha: string, check: CheckFact) => void;

/** The maximum number of commits to remember webhook checks for, and of checks for each commit. */
const mostCommits = 2_000;
const mostChecks = 1_000;
/** The maximum delay of what a reading shows: the code host's replicas lag. */
const lagMs = 10_000;

/**
 * Checks that webhooks reported, kept until a reading shows them too. They are only for display: nothing is
 * decided by them, and a restart loses them.
 */
export class WebhookChecks {
  readonly #clock: Pick<Clock, "now">;
  readonly #broadcast: BroadcastCheck;
  readonly #commits = new Map<string, Map<string, Told>>();

  /** @param broadcast sends a check to the other replicas */
  constructor(clock: Pick<Clock, "now">, broadcast: BroadcastCheck = () => {}) {
    this.#clock = clock;
    this.#broadcast = broadcast;
  }

  /** Remembers a check that a webhook reported here. */
  note(repo: RepositoryRef, sha: string, check: CheckFact): void {
    this.#broadcast(repo, sha, check);
    this.receive(repo, sha, check);
  }

  /** Remembers a check that a webhook reported to another replica. */
  receive(repo: RepositoryRef, sha: string, check: CheckFact): void {
    const commit = commitKey(repo, sha);
    const told = this.#commits.get(commit) ?? new Map<string, Told>();
    const known = told.get(checkKey(check));
    // Webhooks arrive in any order.
    if (known && stage(known.check) > stage(check)) return;
    if (told.size < mostChecks || known) told.set(checkKey(check), { check, at: this.#clock.now() });
    this.#commits.delete(commit);
    this.#commits.set(commit, told);
    const [oldest] = this.#commits.keys();
    if (this.#commits.size > mostCommits && oldest !== undefined) this.#commits.delete(oldest);
  }

  /**
   * Removes checks that a reading shows at the same or a later stage, and checks that were reported long
   * before the reading began.
   */
  forget(repo: RepositoryRef, sha: string, reading: readonly CheckFact[], beganAt: number): void {
    const told = this.#commits.get(commitKey(repo, sha));
    if (!told) return;
    const stages = new Map(reading.map((check) => [checkKey(check), stage(check)]));
    for (const [key, { check, at }] of told) {
      if (at < beganAt - lagMs || (stages.get(key) ?? -1) >= stage(check)) told.delete(key);
    }
  }

  /** Returns the checks of a reading and those reported since. For a status, only the last report is kept. */
  addTo(repo: RepositoryRef, sha: string, reading: readonly CheckFact[]): readonly CheckFact[] {
    const told = this.#commits.get(commitKey(repo, sha));
    if (!told || told.size === 0) return reading;
    const checks = new Map<string, CheckFact>();
    for (const check of [...reading, ...[...told.values()].map(({ check }) => check)]) {
      const key = check.kind === "status" ? `status/${check.name}` : checkKey(check);
      const known = checks.get(key);
      const isNewer = !known || known.id < check.id || (known.id === check.id && stage(known) < stage(check));
      if (isNewer) checks.set(key, check);
    }
    return [...checks.values()];
  }
}

/** Another repository may have the same commit. Its reports must not appear here. */
function commitKey({ host, owner, name }: RepositoryRef, sha: string): string {
  return nameKey(`${host}/${owner}/${name}@${sha}`);
}

function checkKey({ kind, id }: CheckFact): string {
  return `${kind}/${id}`;
}

/** The stage of a check never decreases, because a re-run is another check. */
function stage({ status }: CheckFact): number {
  if (status === "completed") return 2;
  return status === "in_progress" ? 1 : 0;
}
