import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import type { Observation, TestCommitOutcome } from "../../../src/engine/model/input.ts";
import type { Freeze } from "../../../src/engine/model/order/delay.ts";
import { type TestRun, testedSha } from "../../../src/engine/model/test-run.ts";
import type { Try } from "../../../src/engine/model/tries/try.ts";
import type { Objection } from "../../../src/engine/reasons/objection.ts";
import type { CodeHost } from "./code-host.ts";
import type { QueueUnderSoak } from "./queue-under-soak.ts";

/** Performs the next step of the test of the base at the code host or in CI. Returns false if there is none. */
export function advanceBaseTest(queue: QueueUnderSoak, host: CodeHost, n: number): boolean {
  const run = queue.state.baseTest;
  if (!run) return false;
  if (run.state === "building")
    queue.takeTwice({ type: "test_commit_concluded", runId: run.id, outcome: buildBase(host, run, n) });
  else queue.takeTwice({ type: "checks_observed", runId: run.id, checks: reportOnBase(host, run, n) });
  return true;
}

function buildBase(host: CodeHost, run: TestRun, n: number): TestCommitOutcome {
  if (n % 11 === 3) return { kind: "infrastructure_error", message: "out of order" };
  return n % 11 === 5 ? { kind: "no_required_checks" } : host.buildBase(run);
}

/** In some cases CI has not finished, is cancelled, or fails although the base is good. */
function reportOnBase(host: CodeHost, run: TestRun, n: number): CheckFact[] {
  const isGood = host.isGreen(host.contentOf(testedSha(run) ?? run.base));
  const conclusion = isGood && n % 7 !== 2 ? "success" : n % 7 === 4 ? "cancelled" : "failure";
  if (n % 7 === 6) return [check("build", null)];
  return [check("build", conclusion), check("lint", "success")];
}

function check(name: string, conclusion: string | null): CheckFact {
  const status = conclusion === null ? "in_progress" : "completed";
  return { kind: "check_run", name, appId: null, suiteId: 1, id: 1, status, conclusion, url: null };
}

const alice = { kind: "user", name: "alice" } as const;

/** Requests a try, as a person does. */
export function askForTry(queue: QueueUnderSoak, host: CodeHost, pr: number): void {
  const pullRequest = host.pullRequest(pr);
  const heads = { expectedHead: null, seenHead: pullRequest.headSha };
  queue.take({ type: "try", pullRequest, ...heads, actor: alice, via: "api" });
}

export function cancelTry(queue: QueueUnderSoak, pr: number): void {
  queue.take({ type: "cancel_try", pr, actor: alice, via: "api" });
}

/** Performs the next step of a try at the code host or in CI, if there is one. */
export function advanceTry(queue: QueueUnderSoak, host: CodeHost, n: number): void {
  const started = [...queue.state.tries.values()].filter(({ run }) => run !== null);
  const tried = started[n % Math.max(1, started.length)];
  const observation =
    tried && (tried.run?.state === "building" ? buildTry(host, tried, n) : reportOnTry(host, tried));
  if (observation) queue.takeTwice(observation);
}

function buildTry(host: CodeHost, { run, headSha }: Try, n: number): Observation | null {
  if (!run) return null;
  const outcome =
    n % 7 === 3
      ? ({ kind: "infrastructure_error", message: "out of order" } as const)
      : host.build(run, () => headSha);
  return { type: "test_commit_concluded", runId: run.id, outcome };
}

function reportOnTry(host: CodeHost, { run }: Try): Observation | null {
  const sha = run && testedSha(run);
  if (!sha) return null;
  const conclusion = host.isGreen(host.contentOf(sha)) ? "success" : "failure";
  return {
    type: "checks_observed",
    runId: run.id,
    checks: [check("build", conclusion), check("lint", "success")],
  };
}

/** Possible objections of reviewers and descriptions to a pull request; often none. */
export const objections: readonly (readonly Objection[])[] = [
  [],
  [{ code: "REVIEW_REQUIRED" }],
  [],
  [
    { code: "CHANGES_REQUESTED", by: ["bob"] },
    { code: "CONVERSATIONS_OPEN", count: 2 },
  ],
  [],
  [{ code: "CONVERSATIONS_OPEN", count: 1 }],
  [],
  [{ code: "DEPENDS_ON", open: [1, 2], closed: [], elsewhere: [], absent: [], cycle: [] }],
];

/** Returns a freeze that begins now. The drawn number determines its end, minutes or hours from now. */
export function freezeFrom(now: number, n: number): Freeze {
  const until = now + (1 + (n % 9) ** 2) * 10 * 60_000;
  return { reason: `Freeze ${n}`, since: now, until, timeZone: "UTC" };
}
