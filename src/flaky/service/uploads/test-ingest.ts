import { accepted, type Outcome } from "../../../service/runtime/outcome.ts";
import { isSuspect, rememberedUploads } from "../../detection/infrastructure.ts";
import { maskGenerated } from "../../generated-parts.ts";
import { areRetries, judgeUpload, type Upload, type UploadVerdict } from "../../quarantine/judge-upload.ts";
import type { TestExecution } from "../../report/test-execution.ts";
import type {
  HeldQuarantine,
  NewTestUpload,
  TestNumbers,
  TestRepository,
  TestResult,
} from "../../store/uploads/upload-records.ts";
import type { TestContext } from "../test-context.ts";
import { BranchLines } from "./branch-lines.ts";
import { type CollectedResults, collectResults } from "./collect-results.ts";
import type { LateResults } from "./late-results.ts";
import { type ReadReport, type ReadReports, readReports } from "./read-reports.ts";
import {
  caseCountOf,
  digestOf,
  factsOf,
  idsThatFailed,
  isCodeKnown,
  isUploadGreen,
  type ResultsUpload,
  testRunsOf,
} from "./results-upload.ts";
import { identityScopeOf, type UploadTests, uploadTests } from "./upload-tests.ts";

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

interface ReadUpload extends ReadReports {
  readonly repository: TestRepository;
  readonly upload: ResultsUpload;
  readonly at: number;
  readonly line: string;
  readonly tests: UploadTests;
}

/** Which failures do not count, and which ones count although their test is quarantined. */
interface Forgiveness {
  readonly quarantines: ReadonlyMap<string, HeldQuarantine>;
  readonly isQuarantined: (id: string) => boolean;
  readonly hasNamesake: (run: TestExecution) => boolean;
}

type Judgement = Pick<JudgedUpload, "verdict" | "isSuspect">;

/** The passes of new tests that are not stored yet, and the reports that they are read from later. */
type SetAside = NonNullable<NewTestUpload["late"]>;

/** The delay after which the verdict has been sent. Evaluating a large upload then blocks the process and the store for some time. */
const answeredMs = 20;

/** Receives test results, stores them, and judges them. */
export class TestIngest {
  readonly #context: TestContext;
  readonly #lines: BranchLines;
  readonly #late: LateResults;
  readonly #onUpload: () => void;

  /** @param onUpload called when there is something to complete or to evaluate. */
  constructor(context: TestContext, late: LateResults, onUpload: () => void) {
    this.#context = context;
    this.#lines = new BranchLines(context);
    this.#late = late;
    this.#onUpload = onUpload;
  }

  /** The upload is stored when the promise resolves. */
  async upload(upload: ResultsUpload): Promise<Outcome<JudgedUpload>> {
    const found = await this.#context.repositories.findOrAdd(upload.repo);
    if (!found.ok) return found;
    return accepted(
      await this.#context.reading.take(() => this.#ingest(found.value, withoutGenerated(upload), true)),
    );
  }

  /**
   * Judges results without storing them, because the sender is not trusted and the results are no evidence.
   * Quarantine owners and reasons are not disclosed.
   */
  async judge(upload: ResultsUpload): Promise<Outcome<JudgedUpload>> {
    const found = await this.#context.repositories.find(upload.repo);
    if (!found.ok) return found;
    const judged = await this.#context.reading.take(() =>
      this.#ingest(found.value, withoutGenerated(upload), false),
    );
    return accepted({ ...judged, quarantines: none });
  }

  async #ingest(repository: TestRepository, upload: ResultsUpload, isKept: boolean): Promise<JudgedUpload> {
    const read = await this.#read(repository, upload);
    const forgiveness = await this.#forgivenessOf(read);
    const late = isKept ? await this.#setAside(read) : null;
    const collected = await this.#collect(read, forgiveness, isKept);
    const judgement = await this.#judge(read, forgiveness, collected, late);
    const recorded = isKept
      ? await this.#record(read, collected, judgement, late)
      : { id: null, isNew: false };
    if (recorded.isNew) setTimeout(this.#onUpload, answeredMs);
    const { passed, failed, skipped } = collected.counts;
    return {
      ...recorded,
      ...judgement,
      reports: read.reports,
      tests: { passed: passed + (late?.passed ?? 0), failed, skipped },
      quarantines: forgiveness.quarantines,
      variantOf: read.tests.variantOf,
    };
  }

  async #read(repository: TestRepository, upload: ResultsUpload): Promise<ReadUpload> {
    const { stores, testIds, clock } = this.#context;
    const at = clock.now();
    const line = await this.#lines.lineOf(repository, upload);
    const tests = uploadTests(
      testIds,
      repository,
      upload.variant,
      stores.testResults.seen(repository.id, at),
    );
    const read = await readReports(upload.reports, tests);
    return { repository, upload, at, line, tests, ...read };
  }

  async #forgivenessOf({ repository, upload, at, line, tests, reports }: ReadUpload): Promise<Forgiveness> {
    const mayForgive = repository.quarantining && upload.quarantine && isCodeKnown(upload);
    const quarantines = mayForgive
      ? await this.#context.stores.testResults.quarantined(
          repository.id,
          idsThatFailed(reports, tests.idOf),
          { at, line, pullRequests: await this.#lines.pullRequestsOf(upload) },
        )
      : none;
    const namesakes = await this.#namesakes(repository, reports, tests.idOf);
    return {
      quarantines,
      isQuarantined: (id) => quarantines.has(id),
      hasNamesake: (run) => namesakes.has(tests.idOf(run)),
    };
  }

  /** Postpones the passes of many new tests. Their reports are kept until then. */
  async #setAside({ tests, sent }: ReadUpload): Promise<SetAside | null> {
    const reports = await this.#late.reportsOf(tests, sent);
    return reports && { passed: tests.newPasses.takeUnidentified(), reports };
  }

  async #collect(
    { repository, upload, at, tests, reports }: ReadUpload,
    { isQuarantined, hasNamesake }: Forgiveness,
    isKept: boolean,
  ): Promise<CollectedResults> {
    const { stores, owners } = this.#context;
    const areRetried = areRetries({ stepFailed: upload.stepFailed, reports });
    return collectResults({
      ...tests,
      runs: testRunsOf(reports),
      ownersOf: await owners.finder(repository.id),
      isQuarantined,
      isRetried: (run) => areRetried && !hasNamesake(run),
      know: async (named) => (isKept ? await stores.testResults.know(repository.id, named, at) : noNumbers),
    });
  }

  async #judge(
    read: ReadUpload,
    { isQuarantined, hasNamesake }: Forgiveness,
    { results, counts }: CollectedResults,
    late: SetAside | null,
  ): Promise<Judgement> {
    const { repository, upload, tests, reports } = read;
    const { stepFailed, expectedReports } = upload;
    const judge = (missingTests: Upload["missingTests"]) =>
      judgeUpload(
        { stepFailed, expectedReports, missingTests, reports },
        { idOf: tests.idOf, isQuarantined, hasNamesake },
      );
    const first = judge(null);
    const isComplete = first.verdict === "passed" || first.verdict === "quarantined";
    const verdict = isComplete ? judge(await this.#missingTests(read, late ? null : results)) : first;
    const suspicion = { tests: counts.tests + (late?.passed ?? 0), failed: counts.failedAtFirst };
    const recent = await this.#context.stores.testResults.recentFailures(repository.id, rememberedUploads);
    const isOutlier = isSuspect(suspicion, recent, repository.detection);
    return { verdict, isSuspect: !isCodeKnown(upload) || isOutlier };
  }

  async #missingTests(
    { repository, upload, line, at, reports }: ReadUpload,
    results: Iterable<TestResult> | null,
  ) {
    const { kind, repo, branch } = upload;
    const tested = kind === "queue" ? await this.#lines.testedOn(repo, branch) : null;
    return await this.#context.stores.testResults.missingTests({
      repositoryId: repository.id,
      scope: identityScopeOf(repository),
      upload: { ...upload, line, at, queued: tested?.map(({ pr }) => pr) ?? null },
      cases: caseCountOf(reports),
      results,
    });
  }

  #record(read: ReadUpload, collected: CollectedResults, judgement: Judgement, late: SetAside | null) {
    const { results, failures, counts } = collected;
    const { verdict, isSuspect } = judgement;
    const { repository, upload, line, at, reports } = read;
    return this.#context.stores.testResults.record(repository.id, {
      ...factsOf(upload),
      line,
      at,
      digest: digestOf(upload, read),
      cases: caseCountOf(reports),
      isGreen: isUploadGreen(upload, reports) && counts.failed === 0,
      isSuspect,
      verdict: verdict.verdict,
      results,
      failures,
      late,
    });
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
    const known = await this.#context.stores.testResults.known(id, [...seconds.keys()]);
    return new Set([...known].map((second) => seconds.get(second) ?? second));
  }
}

/** Without this, a matrix value that changes in every run would start a new history each time. */
function withoutGenerated(upload: ResultsUpload): ResultsUpload {
  return { ...upload, job: maskGenerated(upload.job), variant: maskGenerated(upload.variant) };
}

/** The name that the second of two tests of one name has. */
function secondOf(run: TestExecution): TestExecution {
  return { ...run, name: `${run.name} (2)`, givenId: null };
}

const none: ReadonlyMap<string, HeldQuarantine> = new Map();
const noNumbers: TestNumbers = new Map();
