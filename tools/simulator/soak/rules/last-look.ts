import { withdrawalOf } from "../../../../src/engine/lifecycle/submission/readiness.ts";
import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { MergeAttempt, MergeStep } from "../../../../src/engine/model/merge-attempt.ts";
import type { CodeHost } from "../code-host.ts";

/** With merge commits, one call moves the base over all steps. Otherwise each step is a separate call. */
export function isOneCall({ method, composed, direct, base, steps }: MergeAttempt): boolean {
  return method === "merge_commit" && !composed && !direct && steps[0]?.parentSha === base;
}

/** Returns how many of the first steps may merge now, in whole runs, and the pull request that stops the others. */
export function lookOnceMore(
  host: CodeHost,
  steps: readonly MergeStep[],
): { readonly holding: number; readonly withdrawn: PullRequestFacts | null } {
  const bad = steps.findIndex(
    ({ pr, headSha }) => withdrawalOf({ headSha, baseBranch: "main" }, host.pullRequest(pr)) !== null,
  );
  const stopping = steps[bad];
  if (!stopping) return { holding: steps.length, withdrawn: null };
  const holding = steps.findIndex(({ runId }) => runId === stopping.runId);
  return { holding, withdrawn: host.pullRequest(stopping.pr) };
}
