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

interface Common {
  readonly file: string | null;
  readonly parent: string | null;
  readonly variant: string;
  readonly classname: string | null;
  /** jest-junit gives each case a class of its own, which would be a suite of its own. */
  readonly isNamedAsClass: boolean;
}

/**
 * Remembers the ids of tests: to hash their names takes longer than to read them, and the tests of an upload are nearly always those of
 * the job's upload before.
 */
export class TestIds {
  readonly #suites = new Map<string, Suite>();
  #size = 0;

  /** Answers what a case in a variant is known by, of one repository. */
  of(scope: Omit<TestScope, "variant">): (test: CaseName, variant: string) => TestKey {
    let last: Common | null = null;
    let suite: Suite = new Map();

    const keyOf = (test: CaseName, variant: string): TestKey => ({
      id: testIdOf(test, { ...scope, variant }, digest, test.givenId),
      name: detached(test.name),
    });

    return (test, variant) => {
      if (test.givenId !== null) return keyOf(test, variant);
      if (!last || !isWithin(last, test, variant)) {
        last = commonOf(test, variant);
        suite = this.#suite(JSON.stringify([scope, last]));
      }
      const known = suite.get(test.name);
      if (known !== undefined) return known;
      const key = keyOf(test, variant);
      if (suite.size >= mostOfSuite) return key;
      this.#add(test.name.length);
      suite.set(key.name, key);
      return key;
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
  return { file, parent, variant, classname: isNamedAsClass ? null : classname, isNamedAsClass };
}

function isWithin(last: Common, { file, parent, classname, name }: CaseName, variant: string): boolean {
  const isNamedAsClass = classname === name;
  return (
    last.isNamedAsClass === isNamedAsClass &&
    (isNamedAsClass || last.classname === classname) &&
    last.file === file &&
    last.parent === parent &&
    last.variant === variant
  );
}
