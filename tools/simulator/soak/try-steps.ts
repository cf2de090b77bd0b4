import type { CheckFact } from "../../../src/engine/model/checks/required-checks.ts";
import type { Observation } from "../../../src/engine/model/input.ts";
import { testedSha } from "../../../src/engine/model/test-run.ts";
import type { Try } from "../../../src/engine/model/tries/try.ts";
import type { CodeHost } from "./code-host.ts";
import type { QueueUnderSoak } from "./queue-under-soak.ts";

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
    tried && (tried.run?.state === "building" ? built(host, tried, n) : reported(host, tried));
  if (observation) queue.takeTwice(observation);
}

function built(host: CodeHost, { run, headSha }: Try, n: number): Observation | null {
  if (!run) return null;
  const outcome =
    n % 7 === 3
      ? ({ kind: "infrastructure_error", message: "out of order" } as const)
      : host.build(run, () => headSha);
  return { type: "test_commit_concluded", runId: run.id, outcome };
}

function reported(host: CodeHost, { run }: Try): Observation | null {
  const sha = run && testedSha(run);
  if (!sha) return null;
  const conclusion = host.isGreen(host.contentOf(sha)) ? "success" : "failure";
  return {
    type: "checks_observed",
    runId: run.id,
    checks: [check("build", conclusion), check("lint", "success")],
  };
}

function check(name: string, conclusion: string): CheckFact {
  return {
    kind: "check_run",
    name,
    appId: null,
    suiteId: 1,
    id: 1,
    status: "completed",
    conclusion,
    url: null,
  };
}
