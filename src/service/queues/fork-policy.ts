import { renderProblems } from "../../command/parse-repository-file.ts";
import { type Actor, type Channel, isGivenByPerson } from "../../engine/model/actor.ts";
import type { PullRequestFacts } from "../../engine/model/pull-request-facts.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { RepositoryFiles } from "../observation/repository-files.ts";
import type { Refusal } from "../runtime/outcome.ts";

/**
 * Paths whose content runs with the repository's secrets as soon as it is on one of the repository's
 * branches.
 */
const runsByItself = [".github/workflows", ".github/actions"];

/** On a case-insensitive file system, paths that differ only in case replace the originals. */
const runsInOtherCase = /^\.github\/(?:workflows|actions)\//i;

/**
 * Whether a comment or label may queue a pull request from a fork. Its code runs with the repository's
 * secrets when it is tested. An API token is trusted with what it submits.
 */
export async function forkRefusal(
  {
    codeHost,
    files,
  }: { codeHost: Pick<CodeHost, "changedBetween" | "changedPaths">; files: RepositoryFiles },
  repo: InstalledRepository,
  branch: string,
  { number: pr, fromFork, headSha }: PullRequestFacts,
  { actor, via }: { actor: Actor; via: Channel },
): Promise<Refusal | null> {
  if (!fromFork || !isGivenByPerson(via)) return null;
  const parsed = await files.read(repo, branch);
  if (!parsed.ok) {
    const { path, problems } = parsed;
    return { code: "REPOSITORY_FILE_INVALID", path, branch, problems: renderProblems(problems) };
  }
  if (parsed.file.forks === "deny") return { code: "FORKS_DENIED", pr, branch };
  if (actor.permission === "admin") return null;
  const guarded = [...new Set([...runsByItself, ...parsed.file.protectedPaths])];
  const [changed] = await codeHost.changedBetween(repo, branch, headSha, guarded);
  const path = changed ?? (await codeHost.changedPaths(repo, pr)).find((one) => runsInOtherCase.test(one));
  return path === undefined ? null : { code: "FORK_CHANGES_WORKFLOWS", pr, path, head: headSha };
}
