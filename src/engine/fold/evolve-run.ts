import type { CheckMemory } from "../model/checks/required-checks.ts";
import type { EventData, EventOf } from "../model/event.ts";
import type { QueueState } from "../model/queue.ts";
import { findRun, purposeOf, requireTry } from "../model/queue.ts";
import type { StartedRun, TestRun } from "../model/test-run.ts";
import type { BaseTestEvent, TryEvent } from "../model/tries/try.ts";
import { withRun } from "./run-index.ts";

/** An event about an existing run. */
export type RunEvent = EventOf<
  | "run_built"
  | "run_checked"
  | "run_missing_checks"
  | "run_requirements_changed"
  | "run_retried"
  | "run_retry_refused"
  | "run_forgiven"
  | "run_concluded"
  | "run_discarded"
>;

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
    case "run_missing_checks": {
      const { names, brokenWorkflows } = data;
      const missing = { names, since: at, ...(brokenWorkflows ? { brokenWorkflows } : {}) };
      return { ...run, missing: names.length > 0 ? missing : undefined };
    }
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

export function isTryEvent(data: EventData): data is TryEvent {
  return data.type.startsWith("try_");
}

export function afterTryEvent(state: QueueState, data: TryEvent, at: number): QueueState {
  const { tries } = state;
  switch (data.type) {
    case "try_asked": {
      const { type: _type, actor, via, ...facts } = data;
      const asked = { askedBy: actor, askedVia: via, askedAt: at, run: null, attempts: 0, retryAt: null };
      return { ...state, tries: tries.with(data.pr, { ...facts, ...asked }) };
    }
    case "try_built":
      return withChangedRun(state, { ...data, type: "run_built" }, at);
    case "try_ended":
      return { ...state, tries: tries.without(data.pr) };
  }
  const tried = tries.get(data.pr);
  if (!tried) throw new Error(`#${data.pr} is not being tried`);
  const changes =
    data.type === "try_started"
      ? { run: begunRun(data.run, at), retryAt: null }
      : { run: null, attempts: data.attempts, retryAt: data.retryAt };
  return { ...state, tries: tries.with(data.pr, { ...tried, ...changes }) };
}

export function isBaseTestEvent(data: EventData): data is BaseTestEvent {
  return data.type.startsWith("base_test_");
}

export function afterBaseTestEvent(state: QueueState, data: BaseTestEvent, at: number): QueueState {
  switch (data.type) {
    case "base_test_wanted":
      return state;
    case "base_test_started":
      return { ...state, baseTest: begunRun(data.run, at) };
    case "base_test_built":
      return withChangedRun(state, { ...data, type: "run_built" }, at);
    case "base_test_checked":
      return withChangedRun(state, { ...data, type: "run_checked" }, at);
    case "base_test_ended":
      return { ...state, baseTest: null };
  }
}

/** The state after an event about a run, whatever the run is for. An event about an unknown run changes nothing. */
export function withChangedRun(state: QueueState, data: RunEvent, at: number): QueueState {
  const run = findRun(state, data.runId);
  if (!run) return state;
  const changed = runAfter(run, data, at);
  switch (purposeOf(state, run)) {
    case "entries":
      return withRun(state, changed);
    case "base":
      return { ...state, baseTest: changed };
    case "try": {
      const tried = requireTry(state, run);
      return { ...state, tries: state.tries.with(tried.pr, { ...tried, run: changed }) };
    }
  }
}

/** The check memory after an event. Names that are no longer required are removed when the next test branch is built. */
export function checkMemoryAfter(memory: CheckMemory, data: EventData): CheckMemory {
  switch (data.type) {
    case "run_built": {
      const isRequired = (name: string) => data.required.some((check) => check.name === name);
      return replaced(memory, memory.heard.filter(isRequired), memory.silent.filter(isRequired));
    }
    case "run_checked": {
      const names = new Set(data.checks.map(({ name }) => name));
      const silent = memory.silent.filter((name) => !names.has(name));
      return replaced(memory, [...new Set([...memory.heard, ...names])], silent);
    }
    case "entry_moved": {
      if (data.reason.code !== "REQUIRED_CHECK_MISSING") return memory;
      return replaced(memory, memory.heard, [...new Set([...memory.silent, ...data.reason.names])]);
    }
    default:
      return memory;
  }
}

function replaced(memory: CheckMemory, heard: readonly string[], silent: readonly string[]): CheckMemory {
  const isSame = heard.length === memory.heard.length && silent.length === memory.silent.length;
  return isSame ? memory : { heard, silent };
}
