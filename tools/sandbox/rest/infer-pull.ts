import { isSha } from "../git/git-object.ts";
import { comesFrom } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";

interface Request {
  path: Record<string, unknown>;
  body: unknown;
}

/** Fields in which a request may name a branch or a commit. */
const PATH_KEYS = ["ref", "branch", "basehead", "sha", "commit_sha"];
const BODY_KEYS = ["ref", "base", "head", "head_sha", "sha", "parents"];

/**
 * Returns the number of the pull request that a request is about, or null if that is unknown. Call this before the request takes
 * effect.
 */
export function inferPull(repository: Repository, { path, body }: Request): number | null {
  const number = path.pull_number ?? path.issue_number;
  if (typeof number === "number") return number;
  if (typeof path.comment_id === "number")
    return repository.comments.get(path.comment_id)?.pull.number ?? null;
  if (typeof path.check_run_id === "number") return pullOfCheckRun(repository, path.check_run_id);
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const mentions = [...PATH_KEYS.map((key) => path[key]), ...BODY_KEYS.map((key) => fields[key])]
    .flat()
    .filter((value) => typeof value === "string")
    .flatMap((value) => value.split("..."));
  for (const pullOf of [pullOfBranch, pullOfCommit]) {
    for (const mention of mentions) {
      const found = pullOf(repository, mention);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Trainyard names the branches of a pull request after it: `…/pr-12/…`. */
function pullOfBranch(repository: Repository, name: string): number | null {
  const number = Number(/(?:^|[/-])pr-(\d+)(?!\d)/.exec(name)?.[1]);
  if (repository.pulls.has(number)) return number;
  const branch = name.replace(/^(refs\/)?heads\//, "");
  return repository.openPulls((pull) => comesFrom(pull, repository, branch))[0]?.number ?? null;
}

function pullOfCommit(repository: Repository, sha: string): number | null {
  if (!isSha(sha)) return null;
  for (const ref of repository.git.refs.pointingAt(sha, "refs/heads/")) {
    const number = pullOfBranch(repository, ref);
    if (number !== null) return number;
  }
  return [...repository.pulls.values()].find(({ head }) => head.sha === sha)?.number ?? null;
}

function pullOfCheckRun(repository: Repository, id: number): number | null {
  const run = repository.runs.get(id);
  return run === undefined ? null : pullOfCommit(repository, run.suite.headSha);
}
