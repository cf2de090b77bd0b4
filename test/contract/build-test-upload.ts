import { flakyPlacesOf } from "../../src/flaky/detection/flaky-failures.ts";
import { newHistory, type TestHistory } from "../../src/flaky/detection/history.ts";
import { newLineHistory } from "../../src/flaky/detection/line-history.ts";
import { defaultDetectionSettings } from "../../src/flaky/detection/settings.ts";
import type { StatusChange } from "../../src/flaky/detection/status.ts";
import type {
  NewTestUpload,
  TestFailureRecord,
  TestResult,
} from "../../src/flaky/store/uploads/upload-records.ts";

export const testRepo = { host: "github.com", owner: "Acme", name: "Widgets" };

export function buildNamedTest(name: string) {
  return {
    id: `id-of-${name}`,
    name,
    parent: "suite",
    file: null,
    classname: null,
    variant: "",
    owners: null,
  };
}

export function buildResult(name: string, outcomes: Partial<TestResult> = {}): TestResult {
  const { last = "passed" } = outcomes;
  return { id: `id-of-${name}`, first: last, last, flipped: false, durationMs: 7, ...outcomes };
}

export function buildTestFailure(name: string, more: Partial<TestFailureRecord> = {}): TestFailureRecord {
  const fingerprint = { id: "00112233aabbccdd", version: 1, summary: "expected %, got %" };
  return {
    ...{ id: `id-of-${name}`, attempt: 1, isFinal: true, isQuarantined: false },
    ...{ fingerprint, durationMs: null, ...more },
  };
}

/** Evaluated tests by number, from their histories. */
export function buildEvaluated(histories: Iterable<readonly [number, TestHistory]>) {
  const evaluated = (history: TestHistory) => ({
    history,
    places: flakyPlacesOf(history, defaultDetectionSettings),
  });
  return new Map([...histories].map(([sk, history]) => [sk, evaluated(history)]));
}

/** A history with a status, on the line `main`. */
export function buildHistory(status: StatusChange, provenAt: number | null = null): TestHistory {
  const { changes } = newHistory(0);
  return { changes: [...changes, status], lines: { main: { ...newLineHistory(0), status, provenAt } } };
}

let uploads = 0;

/** An upload of the job `test` on `main`, green by default. */
export function buildTestUpload(more: Partial<NewTestUpload> = {}): NewTestUpload {
  uploads += 1;
  return {
    at: 1_000,
    headSha: "a".repeat(40),
    treeSha: "b".repeat(40),
    branch: "main",
    line: "main",
    kind: "stable",
    pr: null,
    runId: String(uploads),
    runAttempt: 1,
    workflow: "",
    job: "test",
    variant: "",
    step: "",
    digest: `digest-${uploads}`,
    cases: 2,
    isGreen: true,
    isSuspect: false,
    verdict: "passed",
    results: [],
    failures: [],
    ...more,
  };
}
