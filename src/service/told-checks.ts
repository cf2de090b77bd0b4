import type { RepositoryRef } from "../engine/model/queue.ts";
import type { CheckFact } from "../engine/model/checks/required-checks.ts";
import type { Clock } from "../ports/runtime.ts";

interface Told {
  readonly check: CheckFact;
  readonly at: number;
}

/** Commits of which it is remembered what webhooks told, and checks of each. */
const mostCommits = 2_000;
const mostChecks = 1_000;
/** A reading may be as old as this: the code host's replicas lag. */
const lagMs = 10_000;

/**
 * Checks as webhooks tell of them, until a reading tells of them too. For answers only: nothing is decided by them, and a restart
 * forgets them.
 */
export class ToldChecks {
  readonly #clock: Pick<Clock, "now">;
  readonly #commits = new Map<string, Map<string, Told>>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  note(repo: RepositoryRef, sha: string, check: CheckFact): void {
    const commit = commitKey(repo, sha);
    const told = this.#commits.get(commit) ?? new Map<string, Told>();
    const known = told.get(checkKey(check));
    // Webhooks come in any order.
    if (known && stage(known.check) > stage(check)) return;
    if (told.size < mostChecks || known) told.set(checkKey(check), { check, at: this.#clock.now() });
    this.#commits.delete(commit);
    this.#commits.set(commit, told);
    const [oldest] = this.#commits.keys();
    if (this.#commits.size > mostCommits && oldest !== undefined) this.#commits.delete(oldest);
  }

  /** Forgets what a reading has told, and what it does not tell of although it was told long before the reading began. */
  forget(repo: RepositoryRef, sha: string, reading: readonly CheckFact[], beganAt: number): void {
    const told = this.#commits.get(commitKey(repo, sha));
    if (!told) return;
    const stages = new Map(reading.map((check) => [checkKey(check), stage(check)]));
    for (const [key, { check, at }] of told) {
      if (at < beganAt - lagMs || (stages.get(key) ?? -1) >= stage(check)) told.delete(key);
    }
  }

  /** The checks of a reading with what was told since; of a status, the last one told. */
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

/** Another repository may have the same commit, and must not report on it here. */
function commitKey({ host, owner, name }: RepositoryRef, sha: string): string {
  return `${host}/${owner}/${name}@${sha}`.toLowerCase();
}

function checkKey({ kind, id }: CheckFact): string {
  return `${kind}/${id}`;
}

/** A check only goes forward; another try is another check. */
function stage({ status }: CheckFact): number {
  if (status === "completed") return 2;
  return status === "in_progress" ? 1 : 0;
}
