import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { AggregatedResult, AssertionResult, TestResult } from "@jest/test-result";
import type { Config } from "@jest/types";
import { browserMissing, findBrowser } from "./browser.ts";

const slowest = 20;
/** More failures than these do not fit on a screen. */
const failuresShown = 12;

/** Says what a run is at its start, and at its end what one would otherwise have to scroll for. */
export default class Reporter {
  readonly #config: Config.GlobalConfig;

  constructor(config: Config.GlobalConfig) {
    this.#config = config;
  }

  onRunStart({ numTotalTestSuites: files }: AggregatedResult): void {
    const kind = process.env.TRAINYARD_TESTS;
    if (kind === "behaviour")
      write(`${files} files with tests of behaviour. The long proofs are \`npm run test:long\`.`);
    if (kind === "long") write(`${files} files with long proofs. The tests of behaviour are \`npm test\`.`);
    if (kind === "postgres") write(`${files} files with scenarios, on PostgreSQL.`);
  }

  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    if (this.#config.verbose) this.#writeSlowest(results.testResults);
    this.#writeFailures(results);
    const skipped = results.testResults.some((file) => file.testResults.some(needsBrowser));
    if (skipped && findBrowser() === null) write(`Tests were skipped. ${browserMissing}`);
    const { TRAINYARD_TEST_COUNTS: counts } = process.env;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    if (counts) appendFileSync(counts, `${results.numPassedTests} ${failed}\n`);
  }

  #writeSlowest(files: readonly TestResult[]): void {
    const cpuMs = (file: TestResult) => (file as TestResult & { readonly cpuMs?: number }).cpuMs ?? 0;
    const total = files.reduce((sum, file) => sum + cpuMs(file), 0);
    write(`\nThe files used ${seconds(total)} of processor, their child processes included. The most:`);
    for (const file of [...files].sort((a, b) => cpuMs(b) - cpuMs(a)).slice(0, slowest))
      write(`${seconds(cpuMs(file))}  ${this.#name(file)} (${seconds(file.perfStats.runtime)} on the wall)`);
  }

  #writeFailures({ testResults, numFailedTests }: AggregatedResult): void {
    const failures = testResults.flatMap((file) =>
      file.testResults.filter(({ status }) => status === "failed").map((test) => ({ file, test })),
    );
    const broken = testResults.filter((file) => file.testExecError !== undefined);
    if (failures.length + broken.length === 0) return;
    write("\nFailed:");
    for (const file of broken)
      write(`${this.#name(file)} could not be run: ${firstLine(file.testExecError?.stack)}`);
    for (const { file, test } of failures.slice(0, failuresShown))
      write(`${this.#name(file)}: ${test.fullName}\n    ${firstLine(test.failureMessages[0])}`);
    if (numFailedTests > failuresShown) write(`and ${numFailedTests - failuresShown} more`);
  }

  #name({ testFilePath }: TestResult): string {
    return relative(this.#config.rootDir, testFilePath);
  }
}

function needsBrowser({ status, fullName }: AssertionResult): boolean {
  return status === "pending" && fullName.includes("browser");
}

function write(line: string): void {
  process.stderr.write(`${line}\n`);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1).padStart(6)} s`;
}

function firstLine(message: string | null | undefined): string {
  const lines = stripVTControlCharacters(message ?? "").split("\n");
  return (lines.find((line) => line.trim() !== "") ?? "without a message").trim().slice(0, 200);
}
