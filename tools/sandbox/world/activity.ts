import type { Account } from "./account.ts";
import type { Repository } from "./repository.ts";
import type { World } from "./world.ts";

type ActivityType = "push" | "force_push" | "branch_creation" | "branch_deletion" | "pr_merge";

/** One change of a branch, as in the repository's activity list. */
export interface Activity {
  id: number;
  type: ActivityType;
  ref: string;
  before: string | null;
  after: string | null;
  actor: Account;
  at: Date;
}

interface BranchChange {
  ref: string;
  before: string | null;
  after: string | null;
  actor: Account;
  forced: boolean;
  /** Whether the merge of a pull request made the change. */
  merging: boolean;
}

export function recordActivity(world: World, repository: Repository, change: BranchChange): void {
  const { ref, before, after, actor } = change;
  const type = typeOf(change);
  repository.activities.push({ id: world.nextId(), type, ref, before, after, actor, at: world.now() });
}

function typeOf({ before, after, forced, merging }: BranchChange): ActivityType {
  if (before === null) return "branch_creation";
  if (after === null) return "branch_deletion";
  if (merging) return "pr_merge";
  return forced ? "force_push" : "push";
}
