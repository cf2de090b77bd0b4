import { type TestScope, testIdOf } from "../../flaky/identity.ts";
import type { CaseName, TestKey } from "../../flaky/report/collect-runs.ts";
import { detached } from "../../flaky/report/detached.ts";
import { digest } from "./digest.ts";

/** Some two hundred bytes each, most of them the name. */
const mostRemembered = 300_000;
/** What a suite takes beside its tests, in tests. */
const suiteSize = 4;

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

    return (test, variant) => {
      const newKey = () => ({
        id: testIdOf(test, { ...scope, variant }, digest, test.givenId),
        name: detached(test.name),
      });
      if (test.givenId !== null) return newKey();
      if (!last || !isWithin(last, test, variant)) {
        last = commonOf(test, variant);
        suite = this.#suite(JSON.stringify([scope, last]));
      }
      const known = suite.get(test.name);
      if (known !== undefined) return known;
      const key = newKey();
      this.#add(1);
      suite.set(key.name, key);
      return key;
    };
  }

  #suite(key: string): Suite {
    const known = this.#suites.get(key);
    if (known) return known;
    this.#add(suiteSize);
    const suite: Suite = new Map();
    this.#suites.set(key, suite);
    return suite;
  }

  #add(size: number): void {
    if (this.#size + size > mostRemembered) {
      this.#suites.clear();
      this.#size = 0;
    }
    this.#size += size;
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
