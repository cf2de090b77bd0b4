import type { EventData } from "../model/event.ts";
import type { StartedRun, TestRun } from "../model/test-run.ts";

/** An event about an existing run. */
export type RunEvent = Extract<
  EventData,
  {
    readonly type:
      | "run_built"
      | "run_checked"
      | "run_missing_checks"
      | "run_requirements_changed"
      | "run_retried"
      | "run_retry_refused"
      | "run_forgiven"
      | "run_concluded"
      | "run_discarded";
  }
>;

/** A run that has just started. */
export function begunRun(started: StartedRun, at: number): TestRun {
  return {
    ...started,
    state: "building",
    startedAt: at,
    builtAt: null,
    deadline: null,
    branch: null,
    parentSha: null,
    commits: [],
    required: [],
    requiredSource: null,
    checks: [],
    failure: null,
    vouchedBy: null,
  };
}

/** A run after an event about it. A discarded run stays unchanged. */
export function runAfter(run: TestRun, data: RunEvent, at: number): TestRun {
  switch (data.type) {
    case "run_built": {
      const { branch, parentSha, commits, required, requiredSource, deadline } = data;
      const built = { branch, parentSha, commits, required, requiredSource, deadline };
      return { ...run, ...built, state: "running", builtAt: at };
    }
    case "run_checked":
      return { ...run, checks: data.checks };
    case "run_missing_checks":
      return { ...run, missing: data.names.length > 0 ? { names: data.names, since: at } : undefined };
    case "run_requirements_changed":
      return changedRun(run, data, at);
    case "run_retried": {
      const { attempt, outdated, reason } = data;
      const { tests = [], newTests = [] } = run.retried ?? {};
      const retried = { attempt, outdated, refused: false };
      if (reason.code === "NEW_TESTS_RETRIED")
        return { ...run, retried: { ...retried, tests, newTests: union(newTests, reason.tests) } };
      const told = newTests.length > 0 ? { newTests } : {};
      return { ...run, retried: { ...retried, tests: union(tests, reason.tests), ...told } };
    }
    case "run_retry_refused":
      return run.retried ? { ...run, retried: { ...run.retried, outdated: [], refused: true } } : run;
    case "run_forgiven":
      return { ...run, forgiven: data.tests };
    case "run_concluded": {
      const failure = data.verdict === "failed" ? data.reason : null;
      return { ...run, state: data.verdict, failure, vouchedBy: data.vouchedBy ?? null };
    }
    case "run_discarded":
      return run;
  }
}

function changedRun(
  { missing: _missing, passesBefore, whileBaseFailed, ...run }: TestRun,
  data: Extract<RunEvent, { type: "run_requirements_changed" }>,
  at: number,
): TestRun {
  const { required, requiredSource, added, removed, deadline, reopens } = data;
  const isRequired = (name: string) => required.some((check) => check.name === name);
  const before = run.changed?.added.filter(isRequired) ?? [];
  const isReopened = reopens || run.changed?.reopened;
  const changed = {
    added: union(before, added),
    removed,
    at,
    ...(isReopened ? { reopened: true as const } : {}),
  };
  const next = { ...run, required, requiredSource, deadline, changed };
  if (reopens) return { ...next, state: "running", failure: null, vouchedBy: null };
  return {
    ...next,
    ...(passesBefore === undefined ? {} : { passesBefore }),
    ...(whileBaseFailed ? { whileBaseFailed } : {}),
  };
}

function union(some: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...some, ...more])];
}
