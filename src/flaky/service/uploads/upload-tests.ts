import { hash } from "node:crypto";
import { nameKey } from "../../../engine/model/names.ts";
import { type Digest, type TestScope, testIdOf } from "../../identity.ts";
import type { CaseName, KnownTests, TestKey } from "../../report/collect-runs.ts";
import { NewPasses, PassedTests } from "../../report/passed-tests.ts";

import { detached } from "../../report/test-execution.ts";
import type { TestNumbers, TestRepository } from "../../store/uploads/upload-records.ts";

/** The objects that the reports of one upload are read into. */
export interface UploadTests extends KnownTests {
  readonly newPasses: NewPasses;
  readonly idOf: (test: CaseName) => string;
  /** Combines the variant of the job and that of the report. */
  readonly variantOf: (test: Pick<CaseName, "variant">) => string;
}

/** @param variant the variant of the job. */
export function uploadTests(
  ids: TestIds,
  repository: TestRepository,
  variant: string,
  seen: TestNumbers,
): UploadTests {
  const known = ids.of(identityScopeOf(repository));
  const variantOf = (test: Pick<CaseName, "variant">) => variantWithin(variant, test.variant);
  const keyOf = (test: CaseName) => known.keyOf(test, variantOf(test));
  return {
    keyOf,
    idOf: (test) => keyOf(test).id,
    placesOf: (test) => known.placesOf(test, variantOf(test)),
    numberOf: (id) => seen.get(id),
    variantOf,
    passed: new PassedTests(),
    newPasses: new NewPasses(keyOf),
  };
}

function variantWithin(job: string, report: string): string {
  if (report === "") return job;
  return job === "" ? report : `${job}/${report}`;
}

/**
 * The maximum cache size, in characters of names plus overhead: some 200,000 tests, the maximum of one
 * upload. A limit on the number of tests alone would let a few long names fill the memory.
 */
const most = 33_000_000;
/**
 * The maximum number of cached tests of one suite. When a larger map grows, it blocks the event loop for 20 ms, in addition to the map of
 * the report.
 */
const mostOfSuite = 100_000;
/** The memory per name and per suite besides its text, in characters. */
const besides = 100;

/** Tests that differ only in their names. */
type Suite = Map<string, TestKey>;

/** "" where the report gives no value; the test id is the same. */
interface Common {
  readonly file: string;
  readonly parent: string;
  readonly variant: string;
  readonly classname: string;
  /**
   * jest-junit uses the test's name as its class. Such classes are not compared, because each would form a
   * suite of its own.
   */
  readonly isNamedAsClass: boolean;
}

/** The test ids of one upload, in their variants. */
export interface UploadTestIds {
  readonly keyOf: (test: CaseName, variant: string) => TestKey;
  /** See `KnownTests`. Null for suites with cached ids. */
  readonly placesOf: (test: CaseName, variant: string) => Map<string, number> | null;
}

/**
 * Caches the ids of tests. Hashing their names takes longer than reading them, and the tests of an upload are
 * nearly always those of the job's previous upload.
 */
export class TestIds {
  readonly #suites = new Map<string, Suite>();
  #size = 0;

  /** The ids for one upload to a repository. */
  of(scope: Omit<TestScope, "variant">): UploadTestIds {
    const unidentified = new Map<string, Map<string, number> | null>();
    let last: Common | null = null;
    let suiteKey = "";
    let suite: Suite | null = null;
    let places: Map<string, number> | null | undefined;

    const compute = (test: CaseName, variant: string): TestKey => ({
      id: testIdOf(test, { ...scope, variant }, digest, test.givenId),
      name: detached(test.name),
    });

    const enter = (test: CaseName, variant: string) => {
      if (last && isWithin(last, test, variant)) return;
      last = commonOf(test, variant);
      suiteKey = JSON.stringify([scope, last]);
      suite = null;
      places = unidentified.get(suiteKey);
    };

    return {
      keyOf: (test, variant) => {
        if (test.givenId !== null) return compute(test, variant);
        enter(test, variant);
        suite ??= this.#suite(suiteKey);
        const known = suite.get(test.name);
        if (known !== undefined) return known;
        const key = compute(test, variant);
        if (suite.size >= mostOfSuite) return key;
        this.#add(test.name.length);
        suite.set(key.name, key);
        return key;
      },
      placesOf: (test, variant) => {
        if (test.givenId !== null) return null;
        enter(test, variant);
        // Decided once per upload, because cached ids may be dropped meanwhile, and the test would then be counted twice.
        if (places === undefined) {
          places = this.#suites.has(suiteKey) ? null : new Map();
          unidentified.set(suiteKey, places);
        }
        return places;
      },
    };
  }

  #suite(key: string): Suite {
    const known = this.#suites.get(key);
    if (known) return known;
    this.#add(key.length);
    const suite: Suite = new Map();
    this.#suites.set(key, suite);
    return suite;
  }

  #add(characters: number): void {
    if (this.#size > most) {
      this.#suites.clear();
      this.#size = 0;
    }
    this.#size += characters + besides;
  }
}

function commonOf({ file, parent, classname, name }: CaseName, variant: string): Common {
  const isNamedAsClass = classname === name;
  return {
    ...{ file: file ?? "", parent: parent ?? "", variant, isNamedAsClass },
    classname: isNamedAsClass ? "" : (classname ?? ""),
  };
}

function isWithin(last: Common, { file, parent, classname, name }: CaseName, variant: string): boolean {
  const isNamedAsClass = classname === name;
  return (
    last.isNamedAsClass === isNamedAsClass &&
    (isNamedAsClass || last.classname === (classname ?? "")) &&
    last.file === (file ?? "") &&
    last.parent === (parent ?? "") &&
    last.variant === variant
  );
}

/** The parts of a test id that come from the repository. */
export function identityScopeOf({ repo }: Pick<TestRepository, "repo">): Omit<TestScope, "variant"> {
  return {
    organization: nameKey(repo.owner),
    repository: `${repo.host}/${repo.owner}/${repo.name}`,
  };
}

export const digest: Digest = (algorithm, bytes) => hash(algorithm, bytes);
