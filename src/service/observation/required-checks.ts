import { renderProblems } from "../../command/parse-repository-file.ts";
import {
  evaluateChecks,
  type RequiredCheck,
  type RequiredChecksSource,
  withoutOwnCheck,
} from "../../engine/model/checks/required-checks.ts";
import type { PullRequestFacts } from "../../engine/model/entry.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { CodeHost, InstalledRepository } from "../../ports/code-host/code-host.ts";
import { requiredStatusesSource } from "../runtime/settings-in-force.ts";
import type { RepositoryFiles } from "./repository-files.ts";

export interface Requirements {
  readonly required: readonly RequiredCheck[];
  readonly requiredSource: RequiredChecksSource;
}

/**
 * The checks that must pass on a test branch: the queue's own list, else the repository file's, else those of the branch's protection. If
 * the file is invalid, the reason.
 *
 * @param fresh whether to ignore earlier readings
 */
export async function requiredChecksOf(
  state: QueueState,
  repo: InstalledRepository,
  codeHost: CodeHost,
  files: RepositoryFiles,
  fresh = false,
): Promise<Requirements | { readonly invalid: string }> {
  const { requiredStatuses } = state.settings;
  if (requiredStatuses !== null) {
    const required = checksOf(requiredStatuses, state.branch);
    return { required, requiredSource: "merge_instance" };
  }
  const parsed = await files.read(repo, state.branch, fresh);
  if (!parsed.ok) return { invalid: `${parsed.path}: ${renderProblems(parsed.problems)}` };
  const named = parsed.file.requiredStatuses;
  const required = named
    ? checksOf(named, state.branch)
    : await codeHost.requiredChecks(repo, state.branch, fresh);
  return { required, requiredSource: requiredStatusesSource(state.settings, parsed.file) };
}

const checksOf = (names: readonly string[], branch: string): RequiredCheck[] =>
  withoutOwnCheck(
    names.map((name) => ({ name, appId: null })),
    branch,
  );

/**
 * Adds the results of the head checks named in `acceptFromHead` to a pull request: a failed check is an objection to its merge, an
 * unfinished one makes it wait. Names that are not required are ignored. Makes no calls if the setting is empty.
 */
export async function withHeadChecks(
  { codeHost, files }: { readonly codeHost: CodeHost; readonly files: RepositoryFiles },
  repo: InstalledRepository,
  state: QueueState,
  facts: PullRequestFacts,
): Promise<PullRequestFacts> {
  const { acceptFromHead } = state.settings;
  if (acceptFromHead.length === 0 || facts.state !== "open") return facts;
  const requirements = await requiredChecksOf(state, repo, codeHost, files);
  // Building the test commit reports what is wrong with the requirements.
  if ("invalid" in requirements) return facts;
  const required = requirements.required.filter(({ name }) => acceptFromHead.includes(name));
  // A check that is not required now may be required later, when it counts only if it has passed.
  const others = acceptFromHead.flatMap((name) =>
    required.some((check) => check.name === name) ? [] : { name, appId: null },
  );
  const { checks } = await codeHost.readChecks(repo, facts.headSha, [...required, ...others]);
  const { failed, pending, missing } = evaluateChecks(required, checks);
  const unproved = evaluateChecks(others, checks);
  const names = [...new Set(failed.map(({ name }) => name))];
  const waitsFor = [
    ...pending.map((name) => `required check "${name}" is still running on its head`),
    ...missing.map((name) => `required check "${name}" has not reported on its head`),
  ];
  const open = new Set([
    ...[...names, ...pending, ...missing],
    ...[...unproved.failed.map(({ name }) => name), ...unproved.pending, ...unproved.missing],
  ]);
  const isWaiting = facts.mergeability === "mergeable" && waitsFor.length > 0;
  return {
    ...facts,
    mergeability: isWaiting ? "not_mergeable" : facts.mergeability,
    blockers: [...new Set([...facts.blockers, ...waitsFor])],
    objections:
      names.length > 0 ? [...facts.objections, { code: "HEAD_CHECKS_FAILED", names }] : facts.objections,
    ...(failed.length > 0 ? { failedOnHead: [...(facts.failedOnHead ?? []), ...failed] } : {}),
    acceptedFromHead: acceptFromHead.filter((name) => !open.has(name)),
  };
}
