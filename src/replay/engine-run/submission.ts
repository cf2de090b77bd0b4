import type { Actor } from "../../engine/model/actor.ts";
import { parsePriority } from "../../engine/model/entry.ts";
import type { Command } from "../../engine/model/input.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { Targets } from "../../engine/model/targets.ts";
import type { SimulatedPullRequest } from "../workload/workload.ts";
import { readyPullRequest } from "./ready-pull-request.ts";

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
