import { type AssertionResult, createEmptyTestResult, type TestResult } from "@jest/test-result";
import type { Circus, Config } from "@jest/types";
import { formatExecError, formatResultsErrors } from "jest-message-util";

/** Jest's result of a test file, from what its test runner (`jest-circus`) says. */
export function toTestResult(
  ran: Circus.RunResult,
  path: string,
  config: Config.ProjectConfig,
  globalConfig: Config.GlobalConfig,
): TestResult {
  const results = ran.testResults.map(toAssertionResult);
  const count = (status: AssertionResult["status"]) => results.filter((one) => one.status === status).length;
  const result: TestResult = {
    ...createEmptyTestResult(),
    failureMessage: formatResultsErrors(results, config, globalConfig, path),
    numFailingTests: count("failed"),
    numPassingTests: count("passed"),
    numPendingTests: count("pending"),
    numTodoTests: count("todo"),
    testFilePath: path,
    testResults: results,
  };
  const errors = ran.unhandledErrors;
  if (errors.length === 0) return result;
  const messages = errors.map((error) => formatExecError(error, config, globalConfig, path));
  return {
    ...result,
    testExecError: { message: "", stack: errors.join("\n") },
    failureMessage: [result.failureMessage ?? "", ...messages].join("\n\n"),
  };
}

function toAssertionResult(test: Circus.TestResult): AssertionResult {
  // The first name is that of the file's own block.
  const names = test.testPath.slice(1).map(String);
  return {
    ancestorTitles: names.slice(0, -1),
    duration: test.duration ?? null,
    failing: test.failing ?? false,
    failureDetails: test.errorsDetailed,
    failureMessages: [...test.errors],
    fullName: names.join(" "),
    invocations: test.invocations,
    location: test.location ?? null,
    numPassingAsserts: test.numPassingAsserts,
    retryReasons: [...test.retryReasons],
    status: statusOf(test),
    title: names.at(-1) ?? "",
  };
}

function statusOf(test: Circus.TestResult): AssertionResult["status"] {
  if (test.status === "skip") return "pending";
  if (test.status === "todo") return "todo";
  return test.errors.length > 0 ? "failed" : "passed";
}
