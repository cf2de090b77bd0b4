import type { TestHistory } from "../../../src/flaky/detection/history.ts";
import type { RunCount } from "../../../src/flaky/detection/recovery.ts";
import { day } from "../../../src/flaky/detection/settings.ts";
import type { RenameReads } from "../../../src/flaky/store/history/rename-reads.ts";
import type {
  SharedPlace,
  TestEvaluationStore,
} from "../../../src/flaky/store/history/test-evaluation-store.ts";
import type { NumberedResult } from "../../../src/flaky/store/packing/packed-results.ts";
import type { StoredUpload } from "../../../src/flaky/store/uploads/stored-uploads.ts";
import type { NamedTest } from "../../../src/flaky/store/uploads/upload-records.ts";
import { hasRun, type SimulatedUpload } from "./rule.ts";

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
  /** By variant and day. */
  readonly #runs = new Map<string, Map<number, number>>();
  readonly #failures = new Map<number, Map<number, number>>();
  readonly #variantOf = new Map<number, string>();

  async beforeOnTree(upload: StoredUpload, limit: number): Promise<readonly StoredUpload[]> {
    const onTree = this.#onTree.get(upload.treeSha) ?? [];
    return onTree.filter(({ id, variant }) => id < upload.id && variant === upload.variant).slice(0, limit);
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
    const runs = this.#runs.get(this.#variantOf.get(sk) ?? "") ?? new Map();
    return { runs: sum(runs), failures: sum(this.#failures.get(sk) ?? new Map()) };
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

  keep(upload: MemoryUpload, changed: ReadonlyMap<number, TestHistory>): void {
    for (const [sk, history] of changed) this.tests.set(sk, history);
    for (const { test, message } of upload.of.failed)
      this.#messages.set(test, (this.#messages.get(test) ?? new Set()).add(message));
    if (upload.isSuspect) return;
    this.#onTree.set(upload.treeSha, [upload, ...(this.#onTree.get(upload.treeSha) ?? [])]);
    const on = Math.floor(upload.at / day);
    const runs = this.#runs.get(upload.variant) ?? new Map<number, number>();
    this.#runs.set(upload.variant, runs.set(on, (runs.get(on) ?? 0) + 1));
    for (const { sk, first } of upload.results) {
      if (upload.variant !== "") this.#variantOf.set(sk, upload.variant);
      if (first !== "failed") continue;
      const days = this.#failures.get(sk) ?? new Map<number, number>();
      this.#failures.set(sk, days.set(on, (days.get(on) ?? 0) + 1));
    }
  }
}

/** Yields the results of an upload. A test that is not among the failures has passed. A renamed test has another number. */
export function* resultsOf(upload: SimulatedUpload, names: number, tests: number): Generator<NumberedResult> {
  const failures = new Map(upload.failed.map((failure) => [failure.test, failure]));
  for (let sk = (upload.variant ?? 0) * tests; sk < names; sk += 1) {
    if (!hasRun(upload, sk, tests)) continue;
    const first = failures.has(sk) ? "failed" : "passed";
    const flipped = failures.get(sk)?.passedOnRetry ?? false;
    yield { sk, first, last: flipped ? "passed" : first, flipped, durationMs: 0 };
  }
}

const testsPerFile = 12;
const syllables = ["ba", "ko", "mi", "tu", "re", "sa", "lo", "ne", "vi", "du"];

/** The data for detecting renames, without a database. Numbers from `tests` on belong to renamed tests. */
export class MemoryRenames implements Pick<RenameReads, keyof RenameReads> {
  readonly #tests: number;
  readonly #greens = new Map<string, StoredUpload>();
  readonly #newest = new Map<string, StoredUpload>();
  readonly #runs = new Map<string, number>();
  readonly #onStable = new Set<number>();

  constructor(tests: number) {
    this.#tests = tests;
  }

  async greenBefore(upload: StoredUpload): Promise<StoredUpload | null> {
    return this.#greens.get(placeOf(upload)) ?? null;
  }

  async hasSiblings(upload: StoredUpload): Promise<boolean> {
    const place = placeOf(upload);
    const isKept = this.#newest.get(place)?.id === upload.id || this.#greens.get(place)?.id === upload.id;
    return (this.#runs.get(runOf(upload)) ?? 0) > (isKept ? 1 : 0);
  }

  async newestElsewhere(upload: StoredUpload, since: number): Promise<readonly StoredUpload[]> {
    const isElsewhere = ({ line, variant }: StoredUpload) =>
      line !== upload.line && variant === upload.variant;
    return [...this.#newest.values()].filter((one) => isElsewhere(one) && one.at >= since);
  }

  async knownBefore(_upload: StoredUpload, sks: readonly number[]): Promise<ReadonlySet<number>> {
    return new Set(sks.filter((sk) => this.#onStable.has(sk)));
  }

  async named(sks: readonly number[]): Promise<ReadonlyMap<number, NamedTest & { readonly sk: number }>> {
    return new Map(sks.map((sk) => [sk, this.#test(sk)]));
  }

  /** Stores an evaluated upload. */
  keep(upload: MemoryUpload): void {
    if (upload.kind !== "stable" || upload.isSuspect) return;
    this.#runs.set(runOf(upload), (this.#runs.get(runOf(upload)) ?? 0) + 1);
    this.#newest.set(placeOf(upload), upload);
    if (upload.of.failed.length === 0) this.#greens.set(placeOf(upload), upload);
    for (const { sk } of upload.results) this.#onStable.add(sk);
  }

  #test(sk: number): NamedTest & { readonly sk: number } {
    const test = sk % this.#tests;
    const words = String(test)
      .padStart(4, "0")
      .split("")
      .map((digit, at) => `${syllables[Number(digit)]}${syllables[at]}`);
    const name = [...words, ...(sk < this.#tests ? [] : ["again"])].join(" ");
    const file = `${Math.floor(test / testsPerFile)}.test.ts`;
    return { sk, id: String(sk), name, file, parent: null, classname: null, variant: "", owners: null };
  }
}

function placeOf({ line, variant }: StoredUpload): string {
  return `${line} ${variant}`;
}

function runOf({ runId, runAttempt, variant }: StoredUpload): string {
  return `${runId} ${runAttempt} ${variant}`;
}
