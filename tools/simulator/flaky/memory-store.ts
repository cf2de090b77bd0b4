import type { TestHistory } from "../../../src/flaky/detection/history.ts";
import type { RunCount } from "../../../src/flaky/detection/recovery.ts";
import { day } from "../../../src/flaky/detection/settings.ts";
import type {
  NumberedResult,
  SharedPlace,
  StoredUpload,
} from "../../../src/flaky/store/history/test-evaluation-rows.ts";
import type { TestEvaluationStore } from "../../../src/flaky/store/history/test-evaluation-store.ts";
import type { SimulatedUpload } from "./upload.ts";

/** An upload as the service stores it. */
export interface MemoryUpload extends StoredUpload {
  readonly of: SimulatedUpload;
}

/** The data that the service's rules read, without a database. */
export class MemoryStore
  implements
    Pick<TestEvaluationStore, "beforeOnTree" | "histories" | "countRuns" | "sharedPlaces" | "newMessages">
{
  readonly tests = new Map<number, TestHistory>();
  shared: readonly SharedPlace[] = [];
  readonly #onTree = new Map<string, MemoryUpload[]>();
  readonly #messages = new Map<number, Set<string>>();
  readonly #runs = new Map<number, number>();
  readonly #failures = new Map<number, Map<number, number>>();

  async beforeOnTree(upload: StoredUpload, limit: number): Promise<readonly StoredUpload[]> {
    return (this.#onTree.get(upload.treeSha) ?? []).filter(({ id }) => id < upload.id).slice(0, limit);
  }

  async histories(): Promise<ReadonlyMap<number, TestHistory>> {
    return this.tests;
  }

  async countRuns(sks: readonly number[], since: number): Promise<ReadonlyMap<number, RunCount>> {
    return new Map(sks.map((sk) => [sk, this.countsOf(sk, since)]));
  }

  /** Counts by whole days. */
  countsOf(sk: number, since: number): RunCount {
    const from = Math.floor(since / day);
    const sum = (days: ReadonlyMap<number, number>) =>
      [...days].reduce((all, [on, count]) => all + (on >= from ? count : 0), 0);
    return { runs: sum(this.#runs), failures: sum(this.#failures.get(sk) ?? new Map()) };
  }

  async sharedPlaces(): Promise<readonly SharedPlace[]> {
    return this.shared;
  }

  async newMessages(upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>> {
    const { failed } = (upload as MemoryUpload).of;
    const isNew = (sk: number) => {
      const known = this.#messages.get(sk);
      return known !== undefined && failed.some(({ test, message }) => test === sk && !known.has(message));
    };
    return new Set(sks.filter(isNew));
  }

  /** Stores an evaluated upload and the changed histories. */
  keep(upload: MemoryUpload, changed: ReadonlyMap<number, TestHistory>): void {
    for (const [sk, history] of changed) this.tests.set(sk, history);
    for (const { test, message } of upload.of.failed)
      this.#messages.set(test, (this.#messages.get(test) ?? new Set()).add(message));
    if (upload.isSuspect) return;
    this.#onTree.set(upload.treeSha, [upload, ...(this.#onTree.get(upload.treeSha) ?? [])]);
    const on = Math.floor(upload.at / day);
    this.#runs.set(on, (this.#runs.get(on) ?? 0) + 1);
    for (const { sk, first } of upload.results) {
      if (first !== "failed") continue;
      const days = this.#failures.get(sk) ?? new Map<number, number>();
      this.#failures.set(sk, days.set(on, (days.get(on) ?? 0) + 1));
    }
  }
}

/** Yields the results of an upload. A test that is not among the failures has passed. A renamed test has another number. */
export function* resultsOf(
  { failed, renamed }: SimulatedUpload,
  names: number,
  tests: number,
): Generator<NumberedResult> {
  const failures = new Set(failed.map(({ test }) => test));
  for (let sk = 0; sk < names; sk += 1) {
    if ((renamed?.has(sk % tests) ?? false) !== sk >= tests) continue;
    const outcome = failures.has(sk) ? "failed" : "passed";
    yield { sk, first: outcome, last: outcome, flipped: false, durationMs: 0 };
  }
}
