import { parseStored } from "../../../store/queries/corrupt-row.ts";
import type { TestHistory } from "../../detection/history.ts";
import { newLineHistory } from "../../detection/line-history.ts";
import { unpackResults } from "../packing/packed-results.ts";
import { unpackDay } from "../packing/stored-days.ts";
import type { TestDayTable, TestUploadTable } from "../test-schema.ts";
import type { DamagedEvidence, NumberedResult, UnreadableEvidence } from "./test-evaluation-rows.ts";

class UnreadableEvidenceError extends Error implements UnreadableEvidence {
  override readonly name = "UnreadableEvidence";
  readonly evidence: DamagedEvidence;

  constructor(evidence: DamagedEvidence, cause: unknown) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    super(`the database is damaged: ${nameOf(evidence)} cannot be read: ${problem}`, { cause });
    this.evidence = evidence;
  }
}

function nameOf(evidence: DamagedEvidence): string {
  switch (evidence.kind) {
    case "upload":
      return `upload ${evidence.id}`;
    case "history":
      return `the history of test ${evidence.sk}`;
    case "counts":
      return `block ${evidence.block} of the counts of day ${evidence.day} on ${evidence.branch} branches`;
  }
}

export function unreadableUpload(id: number, cause: unknown): UnreadableEvidence {
  return new UnreadableEvidenceError({ kind: "upload", id }, cause);
}

type StoredResults = Pick<TestUploadTable, "results" | "passed" | "failed" | "skipped"> & {
  readonly id: number;
};

/** @throws UnreadableEvidence when the bytes are no results, or their counts differ from the stored ones. */
export function* readResults({ id, results, ...stored }: StoredResults): Generator<NumberedResult> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    // SQLite does not enforce column types.
    if (!(results instanceof Uint8Array)) throw new Error("its results are no bytes");
    for (const result of unpackResults(results)) {
      counts[result.last] += 1;
      yield result;
    }
    if (Object.entries(counts).some(([last, count]) => stored[last as keyof typeof counts] !== count))
      throw new Error("its results are not as many as it counts");
  } catch (error) {
    throw unreadableUpload(id, error);
  }
}

/** Older shapes have been migrated, so any other shape is damage. @throws UnreadableEvidence */
export function readHistory(text: string, sk: number): TestHistory {
  try {
    const stored = parseStored<TestHistory>(text, `the history of test ${sk}`);
    if (!isHistory(stored)) throw new Error("it is none");
    return stored;
  } catch (error) {
    throw new UnreadableEvidenceError({ kind: "history", sk }, error);
  }
}

function isHistory({ changes, lines }: Partial<TestHistory>): boolean {
  if (!Array.isArray(changes) || !changes[0] || typeof lines !== "object" || lines === null) return false;
  const keys = Object.keys(newLineHistory(0));
  return Object.values(lines).every(
    (line) => keys.every((key) => key in line) && Array.isArray(line.episodes),
  );
}

/** The counts of a block on a day. @throws UnreadableEvidence when they cannot be decoded */
export function readCounts({ block, day, kind, counts }: TestDayTable): Uint8Array {
  const read = unpackDay(counts);
  if (read) return read;
  const problem = new Error("its bytes are no counts");
  throw new UnreadableEvidenceError({ kind: "counts", block, day, branch: kind }, problem);
}
