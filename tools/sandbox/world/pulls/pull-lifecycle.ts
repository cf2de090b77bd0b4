import type { Account } from "../account.ts";
import { nextNumber } from "../issue.ts";
import type { Repository } from "../repository.ts";
import { dismissStaleApprovals } from "../rules/review-rules.ts";
import type { World } from "../world.ts";
import type { PullRequestChanges } from "../world-event.ts";
import { forgetMergeability, scheduleMergeability } from "./mergeability.ts";
import { headRef, isOpen, type Label, type PullRequest } from "./pull-request.ts";

interface NewPullRequest {
  author: Account;
  title: string;
  body: string | null;
  draft: boolean;
  head: { ref: string; sha: string; repository: Repository };
  base: { ref: string; sha: string };
}

export function recordEvent(
  world: World,
  pull: PullRequest,
  event: PullRequest["events"][number]["event"],
  actor: Account,
  details: { label?: Label; commit?: string } = {},
): void {
  const { label = null, commit = null } = details;
  pull.events.push({ id: world.nextId(), event, actor, label, commit, at: world.now() });
  pull.updatedAt = world.now();
}

export async function openPull(
  world: World,
  repository: Repository,
  options: NewPullRequest,
): Promise<PullRequest> {
  const now = world.now();
  const pull: PullRequest = {
    ...options,
    id: world.nextId(),
    issueId: world.nextId(),
    number: nextNumber(repository),
    repository,
    pushedBy: lastPusherOf(options),
    autoMerge: null,
    locked: false,
    state: "open",
    labels: [],
    comments: [],
    reviews: [],
    threads: [],
    events: [],
    mergeability: { state: "unknown" },
    mergeCommitSha: null,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    merged: null,
  };
  // Stored before the first await, so that the next pull request gets the next number.
  repository.pulls.set(pull.number, pull);
  repository.git.refs.swap(headRef(pull), null, pull.head.sha);
  await world.emit({ type: "pull_request", pull, sender: pull.author, change: { action: "opened" } });
  scheduleMergeability(world, pull);
  return pull;
}

export async function closePull(world: World, pull: PullRequest, sender: Account): Promise<void> {
  if (!isOpen(pull)) return;
  pull.state = "closed";
  pull.closedAt = world.now();
  recordEvent(world, pull, "closed", sender);
  await world.emit({ type: "pull_request", pull, sender, change: { action: "closed" } });
}

/** Closes a pull request as merged, with `commit` as its merge commit. */
export async function markMerged(
  world: World,
  pull: PullRequest,
  sender: Account,
  commit: string,
): Promise<void> {
  if (!isOpen(pull)) return;
  const now = world.now();
  pull.state = "closed";
  pull.closedAt = now;
  pull.merged = { at: now, by: sender };
  pull.mergeCommitSha = commit;
  recordEvent(world, pull, "merged", sender, { commit });
  recordEvent(world, pull, "closed", sender);
  await world.emit({ type: "pull_request", pull, sender, change: { action: "closed" } });
}

export async function reopenPull(world: World, pull: PullRequest, sender: Account): Promise<void> {
  pull.state = "open";
  pull.closedAt = null;
  forgetMergeability(pull);
  recordEvent(world, pull, "reopened", sender);
  await world.emit({ type: "pull_request", pull, sender, change: { action: "reopened" } });
  scheduleMergeability(world, pull);
}

/** Updates a pull request after a push to its head branch. */
export async function synchronizePull(
  world: World,
  pull: PullRequest,
  sender: Account,
  after: string,
): Promise<void> {
  const before = pull.head.sha;
  pull.head = { ...pull.head, sha: after };
  pull.base = { ...pull.base, sha: pull.repository.branch(pull.base.ref) ?? pull.base.sha };
  pull.pushedBy = sender;
  pull.updatedAt = world.now();
  forgetMergeability(pull);
  pull.repository.git.refs.swap(headRef(pull), before, after);
  await world.emit({ type: "pull_request", pull, sender, change: { action: "synchronize", before, after } });
  await dismissStaleApprovals(world, pull, sender);
  if (!pull.repository.isWriter(sender)) await setAutoMerge(world, pull, sender, null);
  scheduleMergeability(world, pull);
}

function lastPusherOf({ author, head }: NewPullRequest): Account {
  const ref = `refs/heads/${head.ref}`;
  return head.repository.activities.findLast((activity) => activity.ref === ref)?.actor ?? author;
}

export async function editPull(
  world: World,
  pull: PullRequest,
  sender: Account,
  edits: { title?: string; body?: string | null; base?: { ref: string; sha: string } },
): Promise<void> {
  const changes: PullRequestChanges = {};
  if (edits.title !== undefined && edits.title !== pull.title) {
    changes.title = { from: pull.title };
    pull.title = edits.title;
  }
  if (edits.body !== undefined && edits.body !== pull.body) {
    changes.body = { from: pull.body ?? "" };
    pull.body = edits.body;
  }
  if (edits.base !== undefined && edits.base.ref !== pull.base.ref) {
    changes.base = { ref: { from: pull.base.ref }, sha: { from: pull.base.sha } };
    pull.base = edits.base;
    forgetMergeability(pull);
    scheduleMergeability(world, pull);
  }
  if (Object.keys(changes).length === 0) return;
  pull.updatedAt = world.now();
  await world.emit({ type: "pull_request", pull, sender, change: { action: "edited", changes } });
  if (changes.base !== undefined) await dismissStaleApprovals(world, pull, sender);
}

export async function setDraft(
  world: World,
  pull: PullRequest,
  sender: Account,
  draft: boolean,
): Promise<void> {
  if (pull.draft === draft) return;
  pull.draft = draft;
  pull.updatedAt = world.now();
  const action = draft ? "converted_to_draft" : "ready_for_review";
  await world.emit({ type: "pull_request", pull, sender, change: { action } });
}

/** Sets auto-merge; null disables it. */
export async function setAutoMerge(
  world: World,
  pull: PullRequest,
  sender: Account,
  autoMerge: PullRequest["autoMerge"],
): Promise<void> {
  if (pull.autoMerge === null && autoMerge === null) return;
  pull.autoMerge = autoMerge;
  pull.updatedAt = world.now();
  const action = autoMerge === null ? "auto_merge_disabled" : "auto_merge_enabled";
  await world.emit({ type: "pull_request", pull, sender, change: { action } });
}

const DEFAULT_LABEL_COLOR = "ededed";

/** Adds labels. As on GitHub, labels that the repository lacks are created. */
export async function addLabels(
  world: World,
  pull: PullRequest,
  sender: Account,
  names: readonly string[],
): Promise<void> {
  const { labels } = pull.repository;
  for (const name of names) {
    const label = labels.get(name.toLowerCase()) ?? { id: world.nextId(), name, color: DEFAULT_LABEL_COLOR };
    labels.set(name.toLowerCase(), label);
    if (pull.labels.includes(label)) continue;
    pull.labels.push(label);
    recordEvent(world, pull, "labeled", sender, { label });
    await world.emit({ type: "pull_request", pull, sender, change: { action: "labeled", label } });
  }
}

/** Removes a label. Returns whether the pull request had it. */
export async function removeLabel(
  world: World,
  pull: PullRequest,
  sender: Account,
  name: string,
): Promise<boolean> {
  const label = pull.labels.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (label === undefined) return false;
  pull.labels = pull.labels.filter((one) => one !== label);
  recordEvent(world, pull, "unlabeled", sender, { label });
  await world.emit({ type: "pull_request", pull, sender, change: { action: "unlabeled", label } });
  return true;
}
