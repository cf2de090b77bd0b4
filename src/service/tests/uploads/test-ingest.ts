import { createHash } from "node:crypto";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { RunPlace } from "../../../flaky/detection/history.ts";
import { isSuspect, rememberedUploads } from "../../../flaky/detection/infrastructure.ts";
import { pullRequestName } from "../../../flaky/detection/source.ts";
import { areRetries, judgeUpload, type UploadVerdict } from "../../../flaky/quarantine/judge-upload.ts";
import type { TestExecution } from "../../../flaky/report/test-execution.ts";
import type { Clock } from "../../../ports/code-host/runtime.ts";
import type {
  HeldQuarantine,
  NamedTest,
  TestNumbers,
  TestRepository,
  TestResultStore,
  TestUploadFacts,
} from "../../../ports/tests/test-result-store.ts";
import { accepted, type Outcome } from "../../outcome.ts";
import type { BranchLines } from "../evaluation/branch-lines.ts";
import type { Semaphore } from "../semaphore.ts";
import type { TestOwners } from "../test-owners.ts";
import type { TestRepositories } from "../test-repositories.ts";
import { collectResults } from "./collect-results.ts";
import type { LateResults } from "./late-results.ts";
import { type ReadReport, type ReadReports, readReports, type SentReports } from "./read-reports.ts";
import type { TestIds } from "./test-ids.ts";
import { uploadTests } from "./upload-tests.ts";

/** The test results that a job uploads. */
export interface ResultsUpload extends Omit<TestUploadFacts, "at" | "line"> {
  /** The base branch of the change; null when not given. */
  readonly baseBranch: string | null;
  readonly repo: RepositoryRef;
  /** Whether the step that ran the tests failed. */
  readonly stepFailed: boolean;
  /** The number of reports; null when unknown. */
  readonly expectedReports: number | null;
  /** When false, failures of quarantined tests count. */
  readonly quarantine: boolean;
  readonly reports: SentReports;
}

/** The verdict on an upload. */
export interface JudgedUpload {
  /** Null when nothing of it is stored. */
  readonly id: number | null;
  /** False when the same content was uploaded before. */
  readonly isNew: boolean;
  readonly verdict: UploadVerdict;
  readonly isSuspect: boolean;
  readonly reports: readonly ReadReport[];
  readonly tests: { readonly passed: number; readonly failed: number; readonly skipped: number };
  /** The quarantines that forgive failures, by test id. */
  readonly quarantines: ReadonlyMap<string, HeldQuarantine>;
  readonly variantOf: (run: TestExecution) => string;
}

export interface TestIngestParts {
  readonly store: TestResultStore;
  readonly repositories: TestRepositories;
  readonly owners: Pick<TestOwners, "finder">;
  readonly lines: Pick<BranchLines, "lineOf">;
  readonly turns: Semaphore;
  readonly ids: TestIds;
  readonly late: Pick<LateResults, "reportsOf">;
  readonly clock: Clock;
  /** Called when there is something to complete or to evaluate. */
  readonly onUpload: () => void;
}

/**
 * The delay until the verdict has been sent. Evaluating a large upload occupies the process and the store for
 * a while.
 */
const answeredMs = 20;

/** Receives test results, stores them, and judges them. */
export class TestIngest {
  readonly #parts: TestIngestParts;

  constructor(parts: TestIngestParts) {
    this.#parts = parts;
  }

  /** The upload is stored when the promise resolves. */
  async upload(upload: ResultsUpload): Promise<Outcome<JudgedUpload>> {
    const found = await this.#parts.repositories.findOrAdd(upload.repo);
    if (!found.ok) return found;
    return accepted(await this.#parts.turns.take(() => this.#ingest(found.value, upload, true)));
  }

  /**
   * Judges results without storing them, because the sender is not trusted and the results are no evidence.
   * Quarantine owners and reasons are not disclosed.
   */
  async judge(upload: ResultsUpload): Promise<Outcome<JudgedUpload>> {
    const found = await this.#parts.repositories.find(upload.repo);
    if (!found.ok) return found;
    const judged = await this.#parts.turns.take(() => this.#ingest(found.value, upload, false));
    return accepted({ ...judged, quarantines: none });
  }

  async #ingest(repository: TestRepository, upload: ResultsUpload, isKept: boolean): Promise<JudgedUpload> {
    const { store, owners, lines, ids, late, clock, onUpload } = this.#parts;
    const at = clock.now();
    const line = await lines.lineOf(repository, upload);
    const tests = uploadTests(ids, repository, upload.variant, store.seen(repository.id, at));
    const { idOf, variantOf } = tests;
    const read = await readReports(upload.reports, tests);
    const { reports } = read;
    const isKnown = upload.kind !== "unknown";
    const mayForgive = repository.quarantining && upload.quarantine && isKnown;
    const suspects = mayForgive
      ? await store.quarantined(repository.id, idsThatFailed(reports, idOf), placeOf(upload, line, at))
      : none;
    const isQuarantined = (id: string) => suspects.has(id);
    const namesakes = await this.#namesakes(repository, reports, idOf);
    const hasNamesake = (run: TestExecution) => namesakes.has(idOf(run));
    const retried = areRetries({ stepFailed: upload.stepFailed, reports });
    const ownersOf = await owners.finder(repository.id);
    const runs = runsOf(reports);
    const know = async (tests: Iterable<NamedTest>) =>
      isKept ? await store.know(repository.id, tests, at) : noNumbers;
    const lateReports = isKept ? await late.reportsOf(tests, read.sent) : null;
    const latePasses = lateReports ? tests.newPasses.takeUnidentified() : 0;
    const { results, failures, counts } = await collectResults({
      ...{ ...tests, runs, ownersOf, isQuarantined, know },
      isRetried: (run) => retried && !hasNamesake(run),
    });
    const { workflow, job, variant, step } = upload;
    const of = { workflow, job, variant, step, line, limit: rememberedUploads };
    const background = await store.background(repository.id, of);
    const verdict = judgeUpload(
      {
        stepFailed: upload.stepFailed,
        expectedReports: upload.expectedReports,
        expectedTests: background.expectedTests,
        reports,
      },
      { idOf, isQuarantined, hasNamesake },
    );
    const suspicion = { tests: counts.tests + latePasses, failed: counts.failedAtFirst };
    const isUploadSuspect = !isKnown || isSuspect(suspicion, background.recentFailures, repository.detection);
    const keep = () =>
      store.record(repository.id, {
        ...factsOf(upload),
        line,
        at,
        digest: digestOf(upload, read),
        cases: casesOf(reports),
        isGreen: isGreen(upload, reports) && counts.failed === 0,
        isSuspect: isUploadSuspect,
        verdict: verdict.verdict,
        results,
        failures,
        late: lateReports && { passed: latePasses, reports: lateReports },
      });
    const recorded = isKept ? await keep() : { id: null, isNew: false };
    if (recorded.isNew) setTimeout(onUpload, answeredMs);
    return {
      ...recorded,
      verdict,
      isSuspect: isUploadSuspect,
      reports,
      tests: { passed: counts.passed + latePasses, failed: counts.failed, skipped: counts.skipped },
      quarantines: suspects,
      variantOf,
    };
  }

  /** The ids of tests with repeated cases for which a second test of the same name is known. */
  async #namesakes(
    { id }: TestRepository,
    reports: readonly ReadReport[],
    idOf: (run: TestExecution) => string,
  ): Promise<ReadonlySet<string>> {
    const seconds = new Map<string, string>();
    for (const { failing } of reports)
      for (const run of failing) if (run.isRepeated) seconds.set(idOf(secondOf(run)), idOf(run));
    const known = await this.#parts.store.known(id, [...seconds.keys()]);
    return new Set([...known].map((second) => seconds.get(second) ?? second));
  }
}

/** The name that the second of two tests of one name has. */
function secondOf(run: TestExecution): TestExecution {
  return { ...run, name: `${run.name} (2)`, givenId: null };
}

const none: ReadonlyMap<string, HeldQuarantine> = new Map();
const noNumbers: TestNumbers = new Map();

function* runsOf(reports: readonly ReadReport[]): Generator<TestExecution> {
  for (const { runs } of reports) yield* runs;
}

/** The ids of all tests with a failed attempt, because even a pass may then be in doubt. */
function idsThatFailed(reports: readonly ReadReport[], idOf: (run: TestExecution) => string): string[] {
  const ids = new Set<string>();
  for (const { failing } of reports) for (const run of failing) ids.add(idOf(run));
  return [...ids];
}

function casesOf(reports: readonly ReadReport[]): number {
  return reports.reduce((sum, { cases }) => sum + cases, 0);
}

/** Whether later uploads may be compared with it. */
function isGreen({ stepFailed, expectedReports }: ResultsUpload, reports: readonly ReadReport[]): boolean {
  if (stepFailed || reports.length === 0) return false;
  if (expectedReports !== null && expectedReports !== reports.length) return false;
  return reports.every(({ fault }) => fault === null);
}

function factsOf(upload: ResultsUpload): Omit<TestUploadFacts, "at" | "line"> {
  const { headSha, treeSha, branch, kind, pr, runId, runAttempt, workflow, job, variant, step } = upload;
  return { headSha, treeSha, branch, kind, pr, runId, runAttempt, workflow, job, variant, step };
}

/**
 * In the queue, flakiness that a pull request itself introduces is not forgiven, because the pull request
 * would merge.
 */
function placeOf({ kind, pr }: ResultsUpload, line: string, at: number): RunPlace {
  return { at, line, pullRequest: kind === "pr" && pr !== null ? pullRequestName(pr) : null };
}

function digestOf(
  { runId, runAttempt, workflow, job, variant, step }: ResultsUpload,
  { digest: content }: ReadReports,
): string {
  const key = JSON.stringify([
    runId,
    runAttempt,
    workflow,
    job,
    variant,
    ...(step === "" ? [] : [step]),
    content,
  ]);
  return createHash("sha256").update(key).digest("hex");
}
