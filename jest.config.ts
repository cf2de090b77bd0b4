import type { Config } from "jest";

/** Jest runs ESM natively (`--experimental-vm-modules`), and TypeScript as Node does. */
const config: Config = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: { "\\.ts$": "<rootDir>/test/strip-types.ts" },
  testSequencer: "<rootDir>/test/longest-first.ts",
  // Half of the tests wait for children and timers: so four at once, even where there are only two cores.
  maxWorkers: 4,
  // Far more than any test takes: a busy machine is no failure.
  testTimeout: 120_000,
};

export default config;
