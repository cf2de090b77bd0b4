import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { inBatches } from "../../../engine/collections/in-batches.ts";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import { accepted, type Outcome } from "../../../service/runtime/outcome.ts";
import { maskGenerated } from "../../generated-parts.ts";
import { testIdOf } from "../../identity.ts";
import type { TestRepository } from "../../store/uploads/upload-records.ts";
import type { TestContext } from "../test-context.ts";
import { BranchLines } from "./branch-lines.ts";
import { type BundleMeta, bundleFacts } from "./bundle-facts.ts";
import type { SentReport } from "./read-reports.ts";
import type { JudgedUpload, TestIngest } from "./test-ingest.ts";
import { digest, identityScopeOf } from "./upload-tests.ts";

/** A test as the uploader identifies it. */
export interface TestIdentifier {
  readonly id: string;
  readonly name: string;
  readonly parent: string | null;
  readonly classname: string | null;
  readonly file: string | null;
  readonly variant: string;
}

export interface SentBundle {
  readonly meta: BundleMeta;
  /** The number of reports according to the metadata. */
  readonly expectedReports: number;
  readonly reports: AsyncIterable<SentReport>;
}

const validMs = 60 * 60_000;
/** Other work runs after each portion, because a hundred thousand tests would block for a second. */
const testsAtOnce = 250;

/** Serves the requests of Trunk's uploader, and receives its bundles. */
export class Bundles {
  readonly #context: TestContext;
  readonly #ingest: Pick<TestIngest, "upload">;

  constructor(context: TestContext, ingest: Pick<TestIngest, "upload">) {
    this.#context = context;
    this.#ingest = ingest;
  }

  /** Creates an address where a bundle of a repository can be uploaded for an hour with the secret. */
  async open(repo: RepositoryRef): Promise<Outcome<{ id: string; secret: string }>> {
    const { stores, repositories, clock, ids } = this.#context;
    const found = await repositories.findOrAdd(repo);
    if (!found.ok) return found;
    const secret = randomBytes(32).toString("base64url");
    const now = clock.now();
    const id = ids.next();
    const address = { id, secretSha256: sha256(secret), repositoryId: found.value.id };
    await stores.bundles.add({ ...address, expiresAt: now + validMs }, now);
    return accepted({ id, secret });
  }

  /**
   * The repository whose bundle can be uploaded at an address; null when the address is unknown, expired, or
   * the secret is wrong.
   */
  async admit(id: string, secret: string): Promise<Pick<TestRepository, "repo"> | null> {
    const { stores, clock } = this.#context;
    const found = await stores.bundles.find(id, clock.now());
    if (!found) return null;
    const [shown, known] = [Buffer.from(sha256(secret)), Buffer.from(found.address.secretSha256)];
    return shown.length === known.length && timingSafeEqual(shown, known) ? found.repository : null;
  }

  async leave({ repo }: Pick<TestRepository, "repo">, bundle: SentBundle): Promise<Outcome<JudgedUpload>> {
    const { directory, testBranchPrefix } = this.#context;
    const stable = (await directory.ofRepository(repo)).map(({ branch }) => branch);
    return this.#ingest.upload({
      ...bundleFacts(bundle.meta, { stable, testPrefix: testBranchPrefix }),
      repo,
      baseSha: null,
      // The uploader does not send this. With `false`, later runs would be compared with this one, and a crash would count as a success.
      stepFailed: true,
      expectedReports: bundle.expectedReports,
      quarantine: true,
      reports: bundle.reports,
    });
  }

  /** Returns the given ids of the tests whose failures are forgiven. `isOff`: quarantining is disabled. */
  async quarantined(
    repo: RepositoryRef,
    tests: Iterable<TestIdentifier>,
  ): Promise<Outcome<{ isOff: boolean; ids: readonly string[] }>> {
    const { repositories, stores, clock } = this.#context;
    const found = await repositories.findOrAdd(repo);
    if (!found.ok) return found;
    const repository = found.value;
    if (!repository.quarantining) return accepted({ isOff: true, ids: [] });
    const scope = identityScopeOf(repository);
    // Nested suites and other organisation slugs give other ids for the same names.
    const ownId = (test: TestIdentifier) =>
      testIdOf(test, { ...scope, variant: maskGenerated(test.variant) }, digest);
    // The uploader asks before the tests run, without naming the branch.
    const line = await new BranchLines(this.#context).lineOf(repository, {
      kind: "pr",
      branch: "",
      baseBranch: null,
    });
    const place = { at: clock.now(), line, pullRequests: [] };
    const ids: string[] = [];
    for (const some of inBatches(tests, testsAtOnce)) {
      const named = some.map((test) => ({ given: test.id, ids: [test.id.toLowerCase(), ownId(test)] }));
      const asked = [...new Set(named.flatMap((test) => test.ids))];
      const held = await stores.testResults.quarantined(repository.id, asked, place);
      ids.push(...named.filter((test) => test.ids.some((id) => held.has(id))).map(({ given }) => given));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return accepted({ isOff: false, ids });
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
