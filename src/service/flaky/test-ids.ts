import { type TestScope, testIdOf } from "../../flaky/identity.ts";
import type { CaseName, TestKey } from "../../flaky/report/collect-runs.ts";
import { detached } from "../../flaky/report/detached.ts";
import { digest } from "./digest.ts";

/** In characters of names, and what is kept with them: of some 200,000 tests, as many as an upload may have. By their number alone, a few long names would fill the memory. */
const most = 33_000_000;
/** Tests remembered of one suite: a larger map would block the event loop for 20 ms when it grows, together with that of the report. */
const mostOfSuite = 100_000;
/** What is kept with a name, and with what a suite has in common. */
const besides = 100;

/** Tests that have all in common but their names. */
type Suite = Map<string, TestKey>;

/** "" where nothing is said: the id is the same. */
interface Common {
  readonly file: string;
  readonly parent: string;
  readonly variant: string;
  readonly classname: string;
  /** jest-junit gives each case a class of its own, which would be a suite of its own. */
  readonly isNamedAsClass: boolean;
}

/** What the tests of an upload are known by, in their variants. */
export interface UploadTestIds {
  readonly keyOf: (test: CaseName, variant: string) => TestKey;
  /** See `KnownTests`. Null for suites of which ids are remembered. */
  readonly placesOf: (test: CaseName, variant: string) => Map<string, number> | null;
}

/**
 * Remembers the ids of tests: to hash their names takes longer than to read them, and the tests of an upload are nearly always those of
 * the job's upload before.
 */
export class TestIds {
  readonly #suites = new Map<string, Suite>();
  #size = 0;

  /** Those of one upload to a repository. */
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
        // Once for each upload: what is remembered may be forgotten meanwhile, and a test would be two.
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
