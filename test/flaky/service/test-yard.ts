import { randomUUID } from "node:crypto";
import type { RunPlace } from "../../../src/flaky/detection/flaky-failures.ts";
import { day, defaultDetectionSettings, minute } from "../../../src/flaky/detection/settings.ts";
import { readKeptReport } from "../../../src/flaky/endpoints/decode-report.ts";
import { TestEvaluator } from "../../../src/flaky/service/evaluation/test-evaluator.ts";
import type { TestContext, TestServiceOptions } from "../../../src/flaky/service/test-context.ts";
import { TestOwners } from "../../../src/flaky/service/test-owners.ts";
import { TestRepositories } from "../../../src/flaky/service/test-repositories.ts";
import { Semaphore } from "../../../src/flaky/service/uploads/read-reports.ts";
import { TestIds } from "../../../src/flaky/service/uploads/upload-tests.ts";
import type { NewTestUpload } from "../../../src/flaky/store/uploads/upload-records.ts";
import { Directory, type ServedHost } from "../../../src/service/runtime/directory.ts";
import { openStore, type Store } from "../../../src/store/sqlite/open-store.ts";
import {
  buildNamedTest,
  buildResult,
  buildTestFailure,
  buildTestUpload,
  testRepo,
} from "../../contract/build-test-upload.ts";

/** The outcomes of each test's attempts, one letter each: passed, failed, skipped. */
export type Outcomes = Readonly<Record<string, string>>;

const words = { P: "passed", F: "failed", S: "skipped" } as const;
const wordOf = (letter = "S") => words[letter as keyof typeof words];

/** A repository whose tests run, on a real store and with its own clock. */
export class TestYard {
  readonly store: Store;
  readonly repositoryId: number;
  readonly warnings: string[] = [];
  readonly errors: object[] = [];
  /** The commits of a head that the code host names as the first ones that no stable branch has. */
  firstCommits = (head: string): readonly string[] => [head];
  now = Date.UTC(2026, 0, 5, 9);

  private constructor(store: Store, repositoryId: number) {
    this.store = store;
    this.repositoryId = repositoryId;
  }

  static async open(database = ":memory:"): Promise<TestYard> {
    const store = await openStore(database);
    return new TestYard(store, (await store.testResults.addRepository(testRepo)).id);
  }

  /** What the services of tests need, with a code host that only knows commits. */
  get context(): TestContext {
    const api = {
      findInstallation: async () => 1,
      firstCommits: async (_place: object, _branch: string, head: string) => this.firstCommits(head),
    } as Partial<ServedHost["api"]> as ServedHost["api"];
    const host = { name: testRepo.host, api };
    const addresses = { test: (_repo: object, id: string) => `https://yard.example/tests/${id}` };
    const options: TestServiceOptions = {
      stores: this.store,
      directory: new Directory(this.store.queues, host),
      stateOf: async (queueId) => {
        throw new Error(`there is no queue ${queueId}`);
      },
      keys: { obtain: async (_name, fresh) => fresh },
      clock: { now: () => this.now },
      ids: { next: randomUUID },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      addresses: { ...addresses, repository: ({ owner, name }) => `https://github.com/${owner}/${name}` },
      onAnnounce: () => {},
      testBranchPrefix: "trainyard-test/",
      retentionMs: 45 * day,
      leaseMs: 1_000,
      readKept: readKeptReport,
    };
    return {
      ...options,
      repositories: new TestRepositories(options),
      owners: new TestOwners(options),
      reading: new Semaphore(2),
      testIds: new TestIds(),
    };
  }

  /** An evaluator that evaluates uploads on request. `onBatch` is called for each repository of a batch. */
  newEvaluator(onBatch: () => void = () => {}): TestEvaluator {
    const log = {
      ...{ debug: () => {}, info: () => {} },
      warn: (_fields: object, message: string) => void this.warnings.push(message),
      error: (fields: object) => void this.errors.push(fields),
    };
    const owners = { refresh: async () => onBatch(), finder: async () => () => null };
    return new TestEvaluator({ ...this.context, owners, log }, () => {});
  }

  /** Records a run of some tests, ten minutes after the previous one. Returns the upload's id. */
  async ran(tree: string, outcomes: Outcomes, more: Partial<NewTestUpload> = {}): Promise<number> {
    this.now += 10 * minute;
    const { testResults } = this.store;
    const names = Object.keys(outcomes);
    await testResults.know(this.repositoryId, names.map(buildNamedTest), this.now);
    const results = Object.entries(outcomes).map(([name, letters]) => {
      const [first, last] = [wordOf(letters[0]), wordOf(letters.at(-1))];
      return buildResult(name, { first, last, flipped: letters.includes("P") && letters.includes("F") });
    });
    const failing = Object.entries(outcomes).filter(([, letters]) => letters.includes("F"));
    const failures = failing.map(([name, letters]) =>
      buildTestFailure(name, { isFinal: letters.endsWith("F") }),
    );
    const upload = { at: this.now, treeSha: tree, isGreen: failing.length === 0, results, failures };
    return (await testResults.record(this.repositoryId, buildTestUpload({ ...upload, ...more }))).id;
  }

  async test(name: string) {
    const found = await this.store.quarantines.find(this.repositoryId, `id-of-${name}`);
    if (!found) throw new Error(`there is no test ${name}`);
    return found;
  }

  /** The place of a run at the current time. */
  place(more: Partial<RunPlace> = {}): RunPlace {
    return { at: this.now, line: "main", pullRequests: [], ...more };
  }

  async statusOf(name: string): Promise<string> {
    return (await this.test(name)).status.status;
  }

  async history(name: string) {
    const { sk } = await this.test(name);
    return (await this.store.testEvaluations.histories(this.repositoryId)).get(sk);
  }

  /** The counts of the last 14 days. */
  async counts(name: string) {
    const { sk } = await this.test(name);
    const since = this.now - defaultDetectionSettings.flips.window;
    return (await this.store.testEvaluations.countRuns([sk], since)).get(sk);
  }
}
