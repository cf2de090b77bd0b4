import type { Account, App } from "./account.ts";
import type { Label } from "./pulls/pull-request.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

/** A comment on an issue that is not a pull request. */
export interface IssueComment {
  id: number;
  issue: Issue;
  author: Account;
  app: App | null;
  body: string;
  createdAt: Date;
  updatedAt: Date;
}

/** An issue that is not a pull request. Issues and pull requests share one sequence of numbers. */
export interface Issue {
  id: number;
  number: number;
  repository: Repository;
  author: Account;
  /** The App whose installation opened it; null = a user did. */
  app: App | null;
  title: string;
  body: string | null;
  state: "open" | "closed";
  stateReason: "completed" | "not_planned" | "reopened" | null;
  labels: Label[];
  comments: IssueComment[];
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
}

/** The number of the repository's next issue or pull request. */
export const nextNumber = ({ pulls, issues }: Repository): number => pulls.size + issues.size + 1;

const labelColor = "ededed";

/** Returns labels by name. Creates those that the repository lacks. */
function labelsOf(world: World, { labels }: Repository, names: readonly string[]): Label[] {
  const found = names.map((name) => {
    const label = labels.get(name.toLowerCase()) ?? { id: world.nextId(), name, color: labelColor };
    labels.set(name.toLowerCase(), label);
    return label;
  });
  return [...new Set(found)];
}

export function openIssue(
  world: World,
  repository: Repository,
  of: { author: Account; app: App | null; title: string; body: string | null; labels: readonly string[] },
): Issue {
  const now = world.now();
  const issue: Issue = {
    ...of,
    id: world.nextId(),
    number: nextNumber(repository),
    repository,
    state: "open",
    stateReason: null,
    labels: labelsOf(world, repository, of.labels),
    comments: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
  };
  repository.issues.set(issue.number, issue);
  return issue;
}

export function editIssue(
  world: World,
  issue: Issue,
  { labels, ...changes }: Partial<Pick<Issue, "title" | "body">> & { labels?: readonly string[] },
): void {
  Object.assign(issue, changes);
  if (labels !== undefined) issue.labels = labelsOf(world, issue.repository, labels);
  issue.updatedAt = world.now();
}

export function moveIssue(
  world: World,
  issue: Issue,
  state: Issue["state"],
  reason: Issue["stateReason"],
): void {
  const now = world.now();
  if (issue.state !== state) issue.closedAt = state === "closed" ? now : null;
  issue.stateReason =
    reason ?? (state === "closed" ? "completed" : issue.state === "closed" ? "reopened" : null);
  issue.state = state;
  issue.updatedAt = now;
}

export function commentOnIssue(
  world: World,
  issue: Issue,
  of: { author: Account; app: App | null; body: string },
): IssueComment {
  const now = world.now();
  const comment = { ...of, id: world.nextId(), issue, createdAt: now, updatedAt: now };
  issue.comments.push(comment);
  issue.updatedAt = now;
  return comment;
}
