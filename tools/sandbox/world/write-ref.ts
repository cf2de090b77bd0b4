import type { Account } from "./account.ts";
import { recordActivity } from "./activity.ts";
import { requestSuites } from "./checks/checks.ts";
import { forgetMergeability } from "./pulls/mergeability.ts";
import { closePull, editPull, markMerged, recordEvent, synchronizePull } from "./pulls/pull-lifecycle.ts";
import { comesFrom, isFromFork, isOpen, type PullRequest } from "./pulls/pull-request.ts";
import type { Repository } from "./repository.ts";
import { refusalOfPush, type Writer } from "./rules/branch-rules.ts";
import { dismissStaleApprovals } from "./rules/review-rules.ts";
import type { World } from "./world.ts";

export interface RefWrite {
  /** A full name such as `refs/heads/main`. */
  ref: string;
  /** The expected value of the ref; null = absent. */
  before: string | null;
  /** The new value of the ref; null = delete it. The object must exist. */
  after: string | null;
  writer: Writer;
  /** The pull request that this write merges. Its rules were already checked, and rules for pushes do not apply. */
  merging?: PullRequest;
}

/**
 * The outcome of a write.
 * - `written`
 * - `stale`: the ref is not at `before`, or the pull request to merge is no longer open.
 * - `refused`: a rule or a permission forbids it.
 * - `obstructed`: another ref's name is a directory of this one's, or the reverse.
 */
export type RefWriteResult =
  | { outcome: "written" }
  | { outcome: "stale" }
  | { outcome: "refused"; refusal: RefRefusal }
  | { outcome: "obstructed"; by: string };

/**
 * Changes a branch or tag. All pushes, REST calls, and merges go through here. Checks the rules, swaps the ref, and does all
 * follow-up work of GitHub.
 */
export function writeRef(world: World, repository: Repository, write: RefWrite): Promise<RefWriteResult> {
  return repository.changing.exclusive(
    async () => (await refusalOf(repository, write)) ?? carryOut(world, repository, write),
  );
}

/** Performs all writes or none. Returns the outcome of the first one that is not possible. */
export function writeRefs(
  world: World,
  repository: Repository,
  writes: readonly RefWrite[],
): Promise<RefWriteResult> {
  return repository.changing.exclusive(async () => {
    for (const write of writes) {
      const refusal = await refusalOf(repository, write);
      if (refusal !== null) return refusal;
    }
    for (const write of writes) {
      const { outcome } = await carryOut(world, repository, write);
      if (outcome !== "written") throw new Error(`${write.ref} was changed in the middle of a transaction`);
    }
    return { outcome: "written" };
  });
}

/** Returns why a write is not possible now; null = it is possible. */
async function refusalOf(repository: Repository, write: RefWrite): Promise<RefWriteResult | null> {
  const { ref, before, after, writer, merging } = write;
  const { refs } = repository.git;
  if (refs.get(ref) !== before) return { outcome: "stale" };
  if (merging !== undefined && !isOpen(merging)) return { outcome: "stale" };
  const branch = branchOf(ref);
  if (branch !== null && merging === undefined) {
    const refusal = await refusalOfPush(repository, branch, { before, after }, writer);
    if (refusal !== null) return { outcome: "refused", refusal };
  }
  const by = before === null ? refs.obstacle(ref) : null;
  return by === null ? null : { outcome: "obstructed", by };
}

async function carryOut(world: World, repository: Repository, write: RefWrite): Promise<RefWriteResult> {
  const { ref, before, after } = write;
  const { refs, graph } = repository.git;
  if (!refs.swap(ref, before, after)) return { outcome: "stale" };
  if (before === after) return { outcome: "written" };
  if (before === null) repository.renamedBranches.delete(branchOf(ref) ?? "");
  const forced = before !== null && after !== null && !(await graph.contains(after, before));
  await followUp(world, repository, write, { branch: branchOf(ref), forced });
  return { outcome: "written" };
}

const branchOf = (ref: string): string | null =>
  ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;

async function followUp(
  world: World,
  repository: Repository,
  { ref, before, after, writer, merging }: RefWrite,
  { branch, forced }: { branch: string | null; forced: boolean },
): Promise<void> {
  const sender = writer.account;
  repository.pushedAt = world.now();
  if (branch !== null) {
    const merged = merging !== undefined;
    recordActivity(world, repository, { ref, before, after, actor: sender, forced, merging: merged });
  }
  await world.emit({ type: "push", repository, sender, ref, before, after, forced });
  if (branch === null) return;
  if (after !== null) {
    const push = { before, after, sender, merging: merging ?? null };
    await recordReferences(world, repository, push);
  }
  if (after !== null) await requestSuites(world, repository, { sha: after, branch, before, sender });
  if (merging !== undefined && after !== null) {
    await markMerged(world, merging, sender, after);
    await deleteMergedBranch(world, merging, writer);
  }
  await followHead(world, repository, repository, branch, after, sender);
  const { parent } = repository;
  if (parent !== null) {
    await parent.changing.exclusive(() => followHead(world, parent, repository, branch, after, sender));
  }
  const targeting = repository.openPulls(({ base }) => base.ref === branch);
  for (const pull of targeting) {
    forgetMergeability(pull);
    if (after === null) await closePull(world, pull, sender);
    else await dismissStaleApprovals(world, pull, sender);
  }
  if (after !== null && targeting.length > 0) {
    world.background.after(world.delays.indirectMerge, () =>
      repository.changing.exclusive(() =>
        mergeIndirectly(world, repository, { branch, before, after, writer }),
      ),
    );
  }
}

/** Updates the pull requests of `repository` whose head is this branch of `from`, which is the repository itself or a fork. */
async function followHead(
  world: World,
  repository: Repository,
  from: Repository,
  branch: string,
  after: string | null,
  sender: Account,
): Promise<void> {
  for (const pull of repository.openPulls((one) => comesFrom(one, from, branch))) {
    if (after === null) await closeOrphan(world, pull, sender);
    else {
      if (from !== repository) await repository.git.copyFrom(from.git, after);
      await moveHead(world, pull, sender, after);
    }
  }
}

/**
 * Updates the head of a pull request. GitHub closes the pull request when its head branch is reset to a commit that the base
 * already contains.
 */
async function moveHead(world: World, pull: PullRequest, sender: Account, after: string): Promise<void> {
  const tip = pull.repository.branch(pull.base.ref);
  const { graph } = pull.repository.git;
  const nothingLeft =
    tip !== null && (await graph.contains(tip, after)) && !(await graph.contains(after, pull.head.sha));
  await synchronizePull(world, pull, sender, after);
  if (nothingLeft) await closePull(world, pull, sender);
}

/**
 * Closes a pull request whose head branch was deleted. If the base already contains the head, it counts as merged, because only its
 * indirect merge is late.
 */
async function closeOrphan(world: World, pull: PullRequest, sender: Account): Promise<void> {
  const tip = pull.repository.branch(pull.base.ref);
  if (tip !== null && (await pull.repository.git.graph.contains(tip, pull.head.sha))) {
    await markMerged(world, pull, sender, pull.head.sha);
  } else await closePull(world, pull, sender);
}

/**
 * Marks pull requests as merged whose head the push made reachable from their base, regardless of the pusher and the rules.
 * https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#indirect-merges
 */
async function mergeIndirectly(
  world: World,
  repository: Repository,
  { branch, before, after, writer }: { branch: string; before: string | null; after: string; writer: Writer },
): Promise<void> {
  const { graph } = repository.git;
  const candidates: PullRequest[] = [];
  for (const pull of repository.openPulls(({ base }) => base.ref === branch)) {
    if (await graph.contains(after, pull.head.sha)) candidates.push(pull);
  }
  if (candidates.length === 0) return;
  const pushed = await graph.range(before, after);
  for (const pull of candidates) {
    const merge = pushed.find((commit) => commit.parents.slice(1).includes(pull.head.sha));
    await markMerged(world, pull, writer.account, merge?.sha ?? pull.head.sha);
    await deleteMergedBranch(world, pull, writer);
  }
}

/**
 * Deletes the branch of a merged pull request, if the repository's settings say so. Pull requests into that branch get the base
 * of the merged one first.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-the-automatic-deletion-of-branches
 */
async function deleteMergedBranch(world: World, merged: PullRequest, writer: Writer): Promise<void> {
  const { repository, head } = merged;
  const before = repository.branch(head.ref);
  const sha = repository.branch(merged.base.ref);
  if (!repository.deleteBranchOnMerge || isFromFork(merged) || before === null || sha === null) return;
  for (const child of repository.openPulls(({ base }) => base.ref === head.ref))
    await editPull(world, child, writer.account, { base: { ref: merged.base.ref, sha } });
  await carryOut(world, repository, { ref: `refs/heads/${head.ref}`, before, after: null, writer });
}

/**
 * The reasons why a ref may not change, in GitHub's words.
 * - `protection`: classic branch protection
 * - `ruleset`: a rule of a ruleset
 * - `permission`: the App lacks a permission
 */
export interface RefRefusal {
  by: "protection" | "ruleset" | "permission";
  reasons: string[];
}

/** Returns the message for responses of the REST and GraphQL APIs. */
export function refusalMessage({ by, reasons }: RefRefusal): string {
  if (by !== "ruleset") return reasons.join(" ");
  return `Repository rule violations found\n\n${reasons.map((reason) => `${reason}\n\n`).join("")}`;
}

/** Returns the messages that git shows for a refused push, and its reason for the ref. */
export function pushReport(
  { by, reasons }: RefRefusal,
  ref: string,
  repositoryUrl: string,
): { failure: string; messages: string[] } {
  const bullets = reasons.map((reason) => `- ${reason}`);
  if (by === "permission") return { failure: reasons.join(" "), messages: [] };
  if (by === "protection") {
    const messages = [`error: GH006: Protected branch update failed for ${ref}.`, "", ...bullets];
    return { failure: "protected branch hook declined", messages };
  }
  return {
    failure: "push declined due to repository rule violations",
    messages: [
      `error: GH013: Repository rule violations found for ${ref}.`,
      `Review all repository rules at ${repositoryUrl}/rules?ref=${encodeURIComponent(ref)}`,
      "",
      ...bullets.flatMap((bullet) => [bullet, ""]),
    ],
  };
}

/** `#12`, `GH-12`, `owner/name#12`, and the URLs of issues and pull requests. */
const patterns = [
  /(?<![\w/#])(?:([\w.-]+\/[\w.-]+)?#|GH-)(\d+)(?!\w)/gi,
  /https?:\/\/[^/\s]+\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)/gi,
];

interface Push {
  before: string | null;
  after: string;
  sender: Account;
  /** The pull request that the push merges; null = none. */
  merging: PullRequest | null;
}

/**
 * Records on pull requests that commits refer to them. Each commit is recorded once, when it is first pushed to any branch. The
 * commit that merges a pull request is not recorded as a reference to it.
 * https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls#issues-and-pull-requests
 */
async function recordReferences(
  world: World,
  repository: Repository,
  { before, after, sender, merging }: Push,
): Promise<void> {
  const known = before ?? repository.branch(repository.defaultBranch);
  for (const { sha, message } of await repository.git.graph.range(known, after)) {
    if (repository.readForReferences.has(sha)) continue;
    repository.readForReferences.add(sha);
    for (const number of referencesIn(message, repository.fullName)) {
      const pull = repository.pulls.get(number);
      if (pull && pull !== merging) recordEvent(world, pull, "referenced", sender, { commit: sha });
    }
  }
}

function referencesIn(message: string, fullName: string): Set<number> {
  const found = patterns.flatMap((pattern) => [...message.matchAll(pattern)]);
  const here = found.filter(([, name]) => (name ?? fullName) === fullName);
  return new Set(here.map(([, , number]) => Number(number)));
}
