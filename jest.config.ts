import type { Config } from "jest";

/** Jest runs ESM natively (`--experimental-vm-modules`); SWC only strips types. */
const config: Config = {
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "\\.ts$": [
      "@swc/jest",
      {
        jsc: { target: "es2024", parser: { syntax: "typescript" } },
        module: { type: "es6" },
        sourceMaps: "inline",
      },
    ],
  },
  // Half of the tests wait for children and timers: so four at once, even where there are only two cores.
  maxWorkers: 4,
  // Far more than any test takes: a busy machine is no failure.
  testTimeout: 120_000,
};

export default config;
