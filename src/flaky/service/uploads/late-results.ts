import { PeriodicTask } from "../../../service/workers/periodic-task.ts";
import type { NumberedResult } from "../../store/packing/packed-results.ts";
import type { IncompleteUpload, KeptReport } from "../../store/uploads/late-result-store.ts";
import type { NamedTest, TestNumbers } from "../../store/uploads/upload-records.ts";
import { UnreadableEvidence } from "../../unreadable-evidence.ts";
import { orGiveUp } from "../evaluation/test-evaluator.ts";
import type { TestContext } from "../test-context.ts";
import { type ReadReports, readReports, type SentReport } from "./read-reports.ts";
import { type UploadTests, uploadTests } from "./upload-tests.ts";

/**
 * From this number of passed tests without a known id, their results are added later. Looking up fewer takes
 * less than half a second.
 */
const lateFrom = 20_000;
/**
 * The maximum number of uploads that may lack results. Further ones are completed before they are answered;
 * otherwise uploads would arrive faster than they are completed.
 */
const mostIncomplete = 10;
/** How often to look for uploads that failed, or that another process left incomplete. */
const everyMs = 5_000;

/**
 * Completes uploads with many new tests, which are answered before the passed tests have ids and numbers. It
 * reads their reports again. It can be stopped at any time, and continues after the next start.
 */
export class LateResults {
  readonly #context: TestContext;
  readonly #onComplete: () => void;
  readonly #rounds: PeriodicTask;

  /** @param onComplete called when there is something to evaluate. */
  constructor(context: TestContext, onComplete: () => void) {
    this.#context = context;
    this.#onComplete = onComplete;
    const purpose = "look for uploads that lack results";
    this.#rounds = new PeriodicTask({ run: () => this.#look(), everyMs, purpose, log: context.log });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Looks for incomplete uploads now. */
  wake(): void {
    this.#rounds.wake();
  }

  /** Incomplete uploads stay incomplete until the next start. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /**
   * The reports from which an upload's results can be completed later; null when its results must be stored
   * with it.
   */
  async reportsOf(tests: UploadTests, sent: readonly SentReport[]): Promise<readonly KeptReport[] | null> {
    if (!this.#rounds.isRunning || tests.newPasses.unidentified < lateFrom) return null;
    if ((await this.#context.stores.lateResults.incomplete()).length >= mostIncomplete) return null;
    const kept: KeptReport[] = [];
    for (const { keep } of sent) {
      if (!keep) return null;
      kept.push(await keep());
    }
    return kept;
  }

  async #look(): Promise<void> {
    for (const id of await this.#context.stores.lateResults.incomplete()) await this.#tryToComplete(id);
  }

  /** An error of one upload does not affect the others. */
  async #tryToComplete(id: number): Promise<void> {
    const { reading, log } = this.#context;
    try {
      await reading.take(() => orGiveUp(this.#context, () => this.#complete(id)));
    } catch (error) {
      log.error({ err: error, upload: id }, "could not complete the results of an upload; trying again");
    }
  }

  async #complete(id: number): Promise<void> {
    const { stores, owners, testIds } = this.#context;
    const { lateResults: store, testResults: results } = stores;
    const upload = this.#rounds.isRunning ? await store.find(id) : null;
    const repository = upload && (await results.repository(upload.repo));
    if (!upload || !repository) return;
    const { at, variant, cases } = upload;
    const tests = uploadTests(testIds, repository, variant, results.seen(repository.id, at));
    const { reports } = await this.#read(upload, tests);
    if (!this.#rounds.isRunning) return;
    if (reports.reduce((sum, one) => sum + one.cases, 0) !== cases)
      throw damagedReports(id, "they hold another number of cases");
    const ownersOf = await owners.finder(repository.id);
    const numbers = await results.know(
      repository.id,
      { [Symbol.iterator]: () => namedTests(tests, ownersOf) },
      at,
    );
    await store.complete(id, passesOf(tests, numbers));
    this.#onComplete();
  }

  async #read(upload: IncompleteUpload, tests: UploadTests): Promise<ReadReports> {
    try {
      return await readReports(this.#reports(upload), tests);
    } catch (error) {
      throw damagedReports(upload.id, error);
    }
  }

  async *#reports({ reports }: IncompleteUpload): AsyncGenerator<SentReport> {
    for (const kept of reports) {
      const report = await this.#context.readKept(kept);
      yield { ...report, pieces: this.#untilStopped(report.pieces) };
    }
  }

  async *#untilStopped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      if (!this.#rounds.isRunning) return;
      yield piece;
    }
  }
}

/** The error for kept reports that differ from those that the verdict was based on. */
function damagedReports(id: number, cause: unknown): UnreadableEvidence {
  return new UnreadableEvidence({ kind: "upload", id }, cause);
}

function* namedTests(
  { newPasses, variantOf }: UploadTests,
  ownersOf: (test: Pick<NamedTest, "file" | "classname">) => readonly string[] | null,
): Generator<NamedTest> {
  for (const { key, suite } of newPasses) {
    const { parent, file, classname } = suite;
    yield { ...key, parent, file, classname, variant: variantOf(suite), owners: ownersOf(suite) };
  }
}

/** The passed tests. The results of all other tests were stored with the upload. */
function* passesOf({ passed, newPasses }: UploadTests, numbers: TestNumbers): Generator<NumberedResult> {
  for (const { number, durationMs } of passed) yield passedResult(number, durationMs);
  for (const { key, durationMs } of newPasses) {
    const sk = numbers.get(key.id);
    if (sk === undefined) throw new Error(`test ${key.id} is not known`);
    yield passedResult(sk, durationMs);
  }
}

function passedResult(sk: number, durationMs: number | null): NumberedResult {
  return { sk, first: "passed", last: "passed", flipped: false, durationMs: durationMs ?? 0 };
}
