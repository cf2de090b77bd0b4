import { randomUUID } from "node:crypto";
import type { Writer } from "../rules/branch-rules.ts";
import type { World } from "../world.ts";
import { type MergeOutcome, type MergeRequest, mergePull } from "./merge-pull.ts";
import type { PullRequest } from "./pull-request.ts";

/** A merge that GitHub performs asynchronously. */
export interface AsyncMerge {
  readonly uuid: string;
  readonly request: MergeRequest & { readonly sha: string };
  /** Null = the merge is not over. */
  result: { status: "merged"; sha: string } | { status: "failed"; message: string } | null;
}

/** All requested merges, by UUID. GitHub forgets them after a day. */
const known = new WeakMap<PullRequest, Map<string, AsyncMerge>>();

const ofPull = (pull: PullRequest): ReadonlyMap<string, AsyncMerge> => known.get(pull) ?? new Map();

export const asyncMerge = (pull: PullRequest, uuid: string): AsyncMerge | null =>
  ofPull(pull).get(uuid) ?? null;

/** Returns the merge that is not over. There is at most one for each pull request. */
export const pendingMerge = (pull: PullRequest): AsyncMerge | null =>
  [...ofPull(pull).values()].find(({ result }) => result === null) ?? null;

const MODIFIED_BASE = "Base branch was modified. Review and try the merge again.";

/** Starts an asynchronous merge. The rules and the head are checked only when it runs. It is retried if the base was modified. */
export function requestMerge(
  world: World,
  pull: PullRequest,
  writer: Writer,
  request: AsyncMerge["request"],
): AsyncMerge {
  const merge: AsyncMerge = { uuid: randomUUID(), request, result: null };
  known.set(pull, new Map([...ofPull(pull), [merge.uuid, merge]]));
  const run = async () => {
    const outcome = await mergePull(world, pull, { ...writer, via: "async" }, request);
    if (outcome.outcome === "refused" && outcome.message === MODIFIED_BASE) return later();
    merge.result = resultOf(outcome);
  };
  const later = () => void world.background.after(world.delays.asyncMerge, run);
  later();
  return merge;
}

function resultOf(outcome: MergeOutcome): NonNullable<AsyncMerge["result"]> {
  switch (outcome.outcome) {
    case "merged":
      return { status: "merged", sha: outcome.sha };
    case "head_moved":
      return { status: "failed", message: "Head branch was modified. Review and try the merge again." };
    default:
      return { status: "failed", message: outcome.message };
  }
}
