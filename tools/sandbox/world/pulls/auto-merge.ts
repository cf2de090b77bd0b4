import type { Account, Writer } from "../account.ts";
import type { MergeMethod, Repository } from "../repository.ts";
import type { World } from "../world.ts";
import type { WorldEvent } from "../world-event.ts";
import { mergePull } from "./merge-pull.ts";
import { mergeableState } from "./mergeability.ts";
import { setAutoMerge } from "./pull-lifecycle.ts";
import { isOpen, type PullRequest } from "./pull-request.ts";

/** States in which a pull request can be merged at once, so auto-merge is refused. */
const mergeable: ReadonlySet<string> = new Set(["clean", "unstable"]);

/**
 * Enables auto-merge: GitHub merges the pull request as soon as its rules are met. Returns why that is refused, or null.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request
 */
export async function enableAutoMerge(
  world: World,
  pull: PullRequest,
  by: Account,
  method: MergeMethod,
): Promise<string | null> {
  if (!isOpen(pull)) return "Pull request is closed";
  const state = await mergeableState(pull, writerFor(world, pull, by));
  if (mergeable.has(state)) return `Pull request Pull request is in ${state} status`;
  await setAutoMerge(world, pull, by, { by, method, at: world.now() });
  return null;
}

/** Tries to merge pull requests with auto-merge after every event of their repository, because their rules may be met then. */
export function watchAutoMerges(world: World): void {
  world.subscribe(async (event) => {
    const repository = repositoryOf(event);
    for (const pull of repository?.openPulls(({ autoMerge }) => autoMerge !== null) ?? []) {
      world.background.after(world.delays.indirectMerge, () => mergeIfMet(world, pull));
    }
  });
}

async function mergeIfMet(world: World, pull: PullRequest): Promise<void> {
  const { autoMerge } = pull;
  if (autoMerge === null) return;
  const writer = writerFor(world, pull, autoMerge.by);
  if (!mergeable.has(await mergeableState(pull, writer))) return;
  const request = { method: autoMerge.method, sha: pull.head.sha, title: null, message: null };
  // If the merge is refused, the pull request waits for the next event.
  await mergePull(world, pull, writer, request);
}

function writerFor(world: World, { repository }: PullRequest, account: Account): Writer {
  const role = world.roleIn(repository, account);
  return { account, app: null, role, via: "api", mayChangeWorkflows: true };
}

function repositoryOf(event: WorldEvent): Repository | null {
  if ("pull" in event) return event.pull.repository;
  if (event.type === "comment") return event.comment.pull.repository;
  return "repository" in event ? event.repository : null;
}
