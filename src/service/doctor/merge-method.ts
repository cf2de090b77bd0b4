import type { MergeMethod } from "../../engine/model/settings.ts";
import type { RepositoryFact, RuleFact } from "../../ports/code-host/doctor-facts.ts";
import { examination, type Fault } from "./finding.ts";
import { bindingRules, describeRules, mergesOneByOne, pageOf, weigh } from "./rule.ts";

const names = { merge_commit: "merge", squash: "squash", rebase: "rebase" } as const;
const boxes = {
  merge_commit: "Allow merge commits",
  squash: "Allow squash merging",
  rebase: "Allow rebase merging",
} as const;

const methodOff = examination(
  "MERGE_METHOD_OFF",
  ["rules", "repository"],
  ({ rules, repository }, { mergeMethod }) => {
    const base = rules?.base ?? [];
    const forbidding = bindingRules(base, ["pull_request"], "merge").filter(
      ({ parameters: { allowed_merge_methods: allowed } }) =>
        Array.isArray(allowed) && !allowed.includes(names[mergeMethod]),
    );
    const isOff = allows(repository, mergeMethod) === false;
    if (!isOff && forbidding.length === 0) return null;
    // Moving the branch to the tested commit does not use GitHub's merge methods.
    const isNeeded = mergeMethod !== "merge_commit" || mergesOneByOne(base);
    return {
      ...weighMethod(mergeMethod, isOff, isNeeded, forbidding),
      title: "The queue's merge method is switched off",
      cause: isNeeded
        ? `GitHub refuses every merge with mergeMethod ${mergeMethod}.`
        : `GitHub refuses merges with mergeMethod ${mergeMethod} where the branch cannot be moved to the tested commit, such as direct merges.`,
      evidence: isOff ? "the repository's settings do not allow it" : describeRules(forbidding),
      fix: {
        text: `Tick ${boxes[mergeMethod]}, or set another mergeMethod for the queue.`,
        url: isOff ? `${repository.url}/settings` : pageOf(forbidding, repository),
      },
    };
  },
);

function weighMethod(
  method: MergeMethod,
  isOff: boolean,
  isNeeded: boolean,
  forbidding: readonly RuleFact[],
): Pick<Fault, "severity" | "isFatal"> {
  if (!isNeeded) return { severity: "warning" };
  if (!isOff) return weigh(forbidding, "merge");
  return method === "merge_commit" ? { severity: "error" } : { severity: "error", isFatal: true };
}

function allows(repository: RepositoryFact, method: MergeMethod): boolean | null {
  const { allowMergeCommit, allowSquashMerge, allowRebaseMerge } = repository;
  return { merge_commit: allowMergeCommit, squash: allowSquashMerge, rebase: allowRebaseMerge }[method];
}

const autoMergeOn = examination("AUTO_MERGE_ON", ["repository"], ({ repository }, { submitByAutoMerge }) =>
  repository.allowAutoMerge !== true || submitByAutoMerge
    ? null
    : {
        severity: "warning",
        title: "GitHub's auto-merge is allowed",
        cause:
          "A pull request with auto-merge enabled merges by itself as soon as the branch's rules are met, without being tested together with the pull requests ahead of it.",
        evidence: "the repository's settings allow auto-merge, and submitByAutoMerge of the queue is off",
        fix: {
          text: "Untick Allow auto-merge, or set submitByAutoMerge so that enabling auto-merge submits the pull request to the queue.",
          url: `${repository.url}/settings`,
        },
      },
);

export const mergeMethodExaminations = [methodOff, autoMergeOn];
