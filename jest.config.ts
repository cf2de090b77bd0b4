import type { Config } from "jest";

/** The tests of what only tests and demos use: the local GitHub, and its comparison with the real one. */
const tools = "sandbox|live";

/**
 * Which files a run takes (`test/runner/main.ts`). A name ends with `.long.test.ts` if the file is a long proof, and with
 * `.sampled.test.ts` if `npm test` plays a sample of it, and `npm run test:long` all of it (`test/sampled.ts`).
 */
const testMatch = {
  behaviour: ["!(*.long).test.ts", `!(${tools})/**/!(*.long).test.ts`],
  long: ["**/*.@(long|sampled).test.ts", `@(${tools})/**/*.test.ts`],
  // Those of the others choose their databases themselves.
  postgres: ["scenarios/!(*.long|demo).test.ts"],
  all: ["**/*.test.ts"],
}[process.env.TRAINYARD_TESTS ?? "all"];

/** Node.js itself reads the tests and what they test (ADR 9). */
const config: Config = {
  testEnvironment: "node",
  testMatch: testMatch?.map((pattern) => `<rootDir>/test/${pattern}`) ?? [],
  extensionsToTreatAsEsm: [".ts"],
  testRunner: "<rootDir>/test/runner/run-test-file.ts",
  reporters: ["default", "<rootDir>/test/runner/reporter.ts"],
  transform: {},
  testSequencer: "<rootDir>/test/runner/longest-first.ts",
  globalSetup: "<rootDir>/test/runner/set-up.ts",
  globalTeardown: "<rootDir>/test/runner/tear-down.ts",
  // Half of the tests wait for children and timers: so six at once, even where there are only two cores.
  maxWorkers: 6,
  // To start a process takes long in a process of a gigabyte. See also `test/runner/run-test-file.ts`.
  workerIdleMemoryLimit: "500MB",
  // A worker of half a gigabyte takes longer to exit than Jest's half a second, above all on a busy machine.
  workerGracefulExitTimeout: 20_000,
  // Far more than any test takes: a busy machine is no failure.
  testTimeout: 600_000,
};

export default config;
