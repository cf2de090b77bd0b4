import { setImmediate as nextRound } from "node:timers/promises";
import type { Writes } from "../../../store/sqlite/group-commit.ts";
import type { Tx } from "../../../store/sqlite/schema.ts";
import { blockOf, testsPerBlock } from "../packing/packed-days.ts";
import type { NumberedResult } from "../packing/packed-results.ts";
import type { StoredUpload } from "../uploads/stored-uploads.ts";
import type { TestBranchKind } from "../uploads/upload-records.ts";
import { addRuns } from "./run-counts.ts";

/** Counts uploads. Counting begins in the transaction that evaluates them, and continues after it. */
export interface Counting {
  readonly begin: (tx: Tx) => Promise<void>;
  /** Counts the rest. */
  readonly end: () => Promise<void>;
}

/**
 * Adds the first attempts of uploads to the counts of their hours. Counting that needs more than one step continues after the evaluation.
 * Each step also stores the test at which the next one begins, so that every run is counted exactly once, even if the process dies or two
 * processes count. Until the last step, the counts lack some runs, as they do before an upload is evaluated.
 */
export async function countingOf(writes: Writes, uploads: readonly StoredUpload[]): Promise<Counting> {
  const ids = uploads.map(({ id }) => id);
  const steps = countSteps(uploads, 0);
  const { value: first } = await steps.next();
  if (!first) throw new Error("there is always a step, if only of nothing");
  if (first.next === null) return { begin: (tx) => addRuns(tx, first.days), end: async () => {} };
  return {
    begin: async (tx) => {
      const values = ids.map((upload_id) => ({ upload_id, next_sk: 0 }));
      await tx.insertInto("test_uncounted_uploads").values(values).execute();
    },
    end: async () => {
      const next = await countStep(writes, ids, 0, first);
      if (next !== null) await countOn(writes, ids, next, steps);
    },
  };
}

/** Continues counting uploads that have all been counted up to the same test. Stops when another process has continued. */
export async function countFrom(
  writes: Writes,
  uploads: readonly StoredUpload[],
  from: number,
): Promise<void> {
  const ids = uploads.map(({ id }) => id);
  await countOn(writes, ids, from, countSteps(uploads, from));
}

async function countOn(
  writes: Writes,
  ids: readonly number[],
  from: number,
  steps: AsyncIterable<CountStep>,
): Promise<void> {
  let at: number | null = from;
  for await (const step of steps) {
    at = await countStep(writes, ids, at, step);
    if (at === null) return;
  }
}

/**
 * Returns the test at which the next step begins; null after the last one, or when another process has taken
 * over.
 */
async function countStep(
  writes: Writes,
  ids: readonly number[],
  from: number,
  step: CountStep,
): Promise<number | null> {
  return (await writes.run((tx) => count(tx, ids, from, step))) ? step.next : null;
}

/** Returns false when one of the uploads was removed, or another process has continued counting it. */
async function count(tx: Tx, ids: readonly number[], from: number, step: CountStep): Promise<boolean> {
  const open = await tx
    .selectFrom("test_uncounted_uploads")
    .select("upload_id")
    .where("upload_id", "in", ids)
    .where("next_sk", "=", from)
    .execute();
  if (open.length < ids.length) return false;
  if (step.next === null)
    await tx.deleteFrom("test_uncounted_uploads").where("upload_id", "in", ids).execute();
  else
    await tx
      .updateTable("test_uncounted_uploads")
      .set({ next_sk: step.next })
      .where("upload_id", "in", ids)
      .execute();
  await addRuns(tx, step.days);
  return true;
}

const hourMs = 3_600_000;

/** The number of blocks per transaction, some 2 MB: committing 1 MB blocks the event loop for some 10 ms. */
const blocksOfStep = 640;
/** The number of blocks to process before other work runs. */
const blocksAtATime = 32;
/** The number of results to skip before other work runs. */
const atATime = 4_000;

/** A first attempt that was not skipped. */
interface Run {
  readonly sk: number;
  /** The hour of its day. */
  readonly hour: number;
  readonly failed: boolean;
}

/** The runs of one day on one kind of branch, by block. */
export interface DayRuns {
  readonly kind: TestBranchKind;
  readonly day: number;
  readonly blocks: Map<number, Run[]>;
}

/** The runs of a range of tests, to be added to the counts in one transaction. */
export interface CountStep {
  readonly days: readonly DayRuns[];
  /** The test number at which the next step begins; null after the last step. */
  readonly next: number | null;
}

/**
 * The counts to add for uploads, in steps of ascending test numbers from `from` on. Suspect uploads add
 * nothing.
 */
export async function* countSteps(uploads: readonly StoredUpload[], from: number): AsyncGenerator<CountStep> {
  let open: OpenUpload[] = [];
  for (const upload of uploads) if (!upload.isSuspect) open.push(await OpenUpload.at(upload, from));
  let days = new Map<string, DayRuns>();
  let [blocks, seen] = [0, 0];
  for (;;) {
    open = open.filter(({ block }) => block !== null);
    const block = Math.min(...open.map((one) => one.block ?? Number.POSITIVE_INFINITY));
    if (open.length === 0) break;
    if (blocks >= blocksOfStep) {
      yield { days: [...days.values()], next: block * testsPerBlock };
      days = new Map();
      blocks = 0;
    }
    for (const upload of open) if (upload.block === block && addBlock(days, upload, block)) blocks += 1;
    seen += 1;
    if (seen % blocksAtATime === 0) await nextRound();
  }
  yield { days: [...days.values()], next: null };
}

/** Adds the runs of a block; true when the block is new. */
function addBlock(days: Map<string, DayRuns>, upload: OpenUpload, block: number): boolean {
  const { kind, day } = upload;
  const runs = upload.takeBlock(block);
  if (runs.length === 0) return false;
  const key = `${kind} ${day}`;
  const known = days.get(key) ?? { kind, day, blocks: new Map() };
  days.set(key, known);
  const before = known.blocks.get(block);
  if (before) for (const run of runs) before.push(run);
  else known.blocks.set(block, runs);
  return !before;
}

/** A position in the results of an upload. */
class OpenUpload {
  readonly kind: TestBranchKind;
  readonly day: number;
  readonly #hour: number;
  readonly #results: Iterator<NumberedResult>;
  #next: NumberedResult | null = null;

  private constructor({ kind, at, results }: StoredUpload) {
    this.kind = kind;
    this.day = Math.floor(at / (24 * hourMs));
    this.#hour = Math.floor(at / hourMs) % 24;
    this.#results = results[Symbol.iterator]();
    this.#goOn();
  }

  /** Opens an upload at the first result whose test number is at least `from`. */
  static async at(upload: StoredUpload, from: number): Promise<OpenUpload> {
    const opened = new OpenUpload(upload);
    for (let left = 1; opened.#next !== null && opened.#next.sk < from; left += 1) {
      opened.#goOn();
      if (left % atATime === 0) await nextRound();
    }
    return opened;
  }

  /** The block of the next result; null at the end. */
  get block(): number | null {
    return this.#next && blockOf(this.#next.sk);
  }

  takeBlock(block: number): Run[] {
    const runs: Run[] = [];
    for (let result = this.#next; result && blockOf(result.sk) === block; result = this.#next) {
      const { sk, first } = result;
      if (first !== "skipped") runs.push({ sk, hour: this.#hour, failed: first === "failed" });
      this.#goOn();
    }
    return runs;
  }

  #goOn(): void {
    const { done, value } = this.#results.next();
    this.#next = done ? null : value;
  }
}
