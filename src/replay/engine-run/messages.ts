import type { Actor } from "../../engine/model/actor.ts";
import { type PullRequestFacts, parsePriority } from "../../engine/model/entry.ts";
import type { Command, Observation } from "../../engine/model/input.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { Targets } from "../../engine/model/targets.ts";
import type { SimulatedPullRequest } from "../workload/workload.ts";
import type { CiRun } from "./ci.ts";
import type { Repository } from "./repository.ts";

const checkName = "ci";

/** Reports that the run's test commit was created and pushed. */
export function commitBuilt({ id, composition }: CiRun, repository: Repository): Observation {
  return {
    type: "test_commit_concluded",
    runId: id,
    outcome: {
      kind: "built",
      branch: `simulated/${id}`,
      ...repository.build(composition, headOf),
      required: [{ name: checkName, appId: null }],
      requiredSource: "repo_provider_branch_protection",
    },
  };
}

/** Reports the result of the run's only check. */
export function checksReported({ id }: CiRun, number: number, passed: boolean): Observation {
  return {
    type: "checks_observed",
    runId: id,
    checks: [
      {
        kind: "check_run",
        name: checkName,
        appId: null,
        suiteId: number,
        id: number,
        status: "completed",
        conclusion: passed ? "success" : "failure",
        url: null,
      },
    ],
  };
}

const author: Actor = { kind: "user", name: "author", permission: "write" };

/** Returns the only head of a pull request; nothing is ever pushed to it. */
export function headOf(n: number): string {
  return n.toString(16).padStart(40, "0");
}

/** Returns a UUID that depends only on the number. */
export function numberedId(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

export function creation(settings: QueueSettings, baseSha: string): Command {
  return {
    type: "create_queue",
    queueId: numberedId(0),
    repo: { host: "github.com", owner: "acme", name: "simulated" },
    branch: "main",
    settings,
    baseSha,
    actor: author,
  };
}

export function submission(
  { n, priority, noBatch, risk }: SimulatedPullRequest,
  targets: Targets | null,
): Command {
  return {
    type: "submit",
    entryId: numberedId(n),
    pullRequest: readyPullRequest(n, { headSha: headOf(n), author: author.name }),
    expectedHead: null,
    seenHead: null,
    priority: parsePriority(priority),
    noBatch: noBatch ?? null,
    targets,
    ...(risk === null ? {} : { risk }),
    actor: author,
    via: "api",
  };
}

export function cancellation(n: number): Command {
  return { type: "cancel", pr: n, actor: author, via: "api" };
}

/** Returns a pull request as the code host would report it: open, and ready from the start. */
export function readyPullRequest(number: number, facts: Partial<PullRequestFacts> = {}): PullRequestFacts {
  return {
    number,
    headSha: `head-${number}`,
    headRef: `change-${number}`,
    baseBranch: "main",
    title: `Change ${number}`,
    author: "alice",
    url: `https://github.com/acme/simulated/pull/${number}`,
    state: "open",
    mergedSha: null,
    draft: false,
    fromFork: false,
    mergeability: "mergeable",
    blockers: [],
    objections: [],
    ...facts,
  };
}
