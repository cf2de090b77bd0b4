import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { jestExpect } from "@jest/expect";
import type { TestResult } from "@jest/test-result";
import type { Config } from "@jest/types";
import { getState, resetState, run } from "jest-circus";
import { cpuTime } from "./cpu-time.ts";
import { toTestResult } from "./test-result.ts";

const globals = new URL("./jest-globals.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "@jest/globals") return { url: globals, shortCircuit: true };
    const found = next(specifier, context);
    // `@actions/workflow-parser` imports JSON as bundlers allow it.
    const isJson = found.url.endsWith(".json") && context.parentURL?.includes("/@actions/");
    return isJson ? { ...found, importAttributes: { type: "json" } } : found;
  },
});

/** Less than `workerIdleMemoryLimit` in Jest's configuration. */
const collectFromBytes = 300_000_000;

/**
 * Runs a test file for Jest (`testRunner` in its configuration) as a module of Node.js. Jest's own runner reads
 * every module again for every test file, in a separate context; here, a process reads each module once.
 *
 * Nothing isolates the files that one process runs from each other: a test must restore what it changes in
 * the process, and a module that tests share must not register hooks when it is read.
 */
export default async function runTestFile(
  globalConfig: Config.GlobalConfig,
  config: Config.ProjectConfig,
  _environment: unknown,
  _runtime: unknown,
  path: string,
): Promise<TestResult & { readonly cpuMs: number }> {
  const before = cpuTime();
  resetState();
  const state = getState();
  if (globalConfig.testTimeout !== undefined) state.testTimeout = globalConfig.testTimeout;
  if (globalConfig.testNamePattern) state.testNamePattern = new RegExp(globalConfig.testNamePattern, "i");
  jestExpect.setState({ expand: globalConfig.expand, testPath: path });

  const remember = (error: unknown) => state.unhandledErrors.push([error, new Error(path)]);
  process.on("uncaughtException", remember).on("unhandledRejection", remember);
  try {
    await import(pathToFileURL(path).href);
    const result = toTestResult(await run(), path, config, globalConfig);
    return { ...result, cpuMs: cpuTime() - before };
  } finally {
    process.off("uncaughtException", remember).off("unhandledRejection", remember);
    // Jest would replace the process, and the next one would read every module again. Most of the memory is garbage.
    if (process.memoryUsage().heapUsed > collectFromBytes) globalThis.gc?.();
  }
}
