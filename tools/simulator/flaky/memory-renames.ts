import type { StoredUpload } from "../../../src/flaky/store/history/test-evaluation-rows.ts";
import type { TestEvaluationStore } from "../../../src/flaky/store/history/test-evaluation-store.ts";
import type { NamedTest } from "../../../src/flaky/store/uploads/test-result-rows.ts";
import type { MemoryUpload } from "./memory-store.ts";

/** Number of tests per file. */
const testsPerFile = 12;
const syllables = ["ba", "ko", "mi", "tu", "re", "sa", "lo", "ne", "vi", "du"];

/** The data for detecting renames, without a database. Numbers from `tests` on belong to renamed tests. */
export class MemoryRenames
  implements
    Pick<TestEvaluationStore, "greenBefore" | "hasSiblings" | "newestElsewhere" | "knownBefore" | "named">
{
  readonly #tests: number;
  readonly #greens = new Map<string, StoredUpload>();
  readonly #newest = new Map<string, StoredUpload>();
  readonly #runs = new Map<string, number>();
  readonly #onStable = new Set<number>();

  constructor(tests: number) {
    this.#tests = tests;
  }

  async greenBefore({ line }: StoredUpload): Promise<StoredUpload | null> {
    return this.#greens.get(line) ?? null;
  }

  async hasSiblings(upload: StoredUpload): Promise<boolean> {
    const isKept =
      this.#newest.get(upload.line)?.id === upload.id || this.#greens.get(upload.line)?.id === upload.id;
    return (this.#runs.get(runOf(upload)) ?? 0) > (isKept ? 1 : 0);
  }

  async newestElsewhere(upload: StoredUpload, since: number): Promise<readonly StoredUpload[]> {
    return [...this.#newest.values()].filter(({ line, at }) => line !== upload.line && at >= since);
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
    this.#newest.set(upload.line, upload);
    if (upload.of.failed.length === 0) this.#greens.set(upload.line, upload);
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

function runOf({ runId, runAttempt }: StoredUpload): string {
  return `${runId} ${runAttempt}`;
}
