import { jestExpect } from "@jest/expect";
import { ModuleMocker } from "jest-mock";

/** What `@jest/globals` stands for in a test that `run-test-file.ts` reads. */
export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from "jest-circus";
export const expect = jestExpect;
export const jest = new ModuleMocker(globalThis);
