import { asClause } from "../../engine/reasons/sentence.ts";
import { ProgramFailed } from "../child-process.ts";
import { StepError } from "../step.ts";
import { type GitEnvironment, gitLine, gitLines } from "./git.ts";

const wholeHistory = "give actions/checkout `fetch-depth: 0` (with `filter: blob:none` it stays small)";

/**
 * Returns the tip of the target branch, and the merge bases, from which a pull request's changes are counted. After criss-cross merges
 * there are several. A shallow checkout is always refused: with incomplete history, an older commit can look like the merge base, and some
 * changes would be missed.
 *
 * @throws StepError when the checkout lacks what is needed
 */
export async function findMergeBases(
  git: GitEnvironment,
  branch: string,
  headSha: string,
): Promise<{ readonly targetSha: string; readonly bases: readonly [string, ...string[]] }> {
  const isShallow = await shallowness(git);
  if (isShallow === "true") {
    throw new StepError(
      "The checkout is shallow",
      `The missing history could hide changes; ${wholeHistory}.`,
    );
  }
  const target = await commitAt(git, `refs/remotes/origin/${branch}`);
  if (target === null) {
    throw new StepError(
      "The target branch is missing",
      `The checkout does not contain origin/${branch}; ${wholeHistory}, which fetches every branch.`,
    );
  }
  if ((await commitAt(git, headSha)) === null) {
    throw new StepError(
      "The head is missing",
      `The checkout does not contain the pull request's head ${headSha.slice(0, 12)}; ${wholeHistory} on the event pull_request, or fetch refs/pull/NUMBER/head first.`,
    );
  }
  const [base, ...others] = await gitLines(git, "merge-base", "--all", target, headSha);
  if (base !== undefined) return { targetSha: target, bases: [base, ...others] };
  throw new StepError(
    "No merge base",
    `The pull request and ${branch} share no history, so its changes cannot be determined. Rebase it onto ${branch}.`,
  );
}

async function shallowness(git: GitEnvironment): Promise<string | null> {
  try {
    return await gitLine(git, "rev-parse", "--is-shallow-repository");
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    const advice = error.isMissing
      ? "Install git on the runner, or use the provider `all`."
      : "Run actions/checkout with `fetch-depth: 0` before this step.";
    throw new StepError("There is no checkout", `${asClause(error.message)}. ${advice}`, {
      cause: error,
    });
  }
}

/** Null when the checkout does not hold the commit, or when a partial clone could not fetch it. */
async function commitAt(git: GitEnvironment, name: string): Promise<string | null> {
  try {
    return await gitLine(git, "rev-parse", "--quiet", "--verify", "--end-of-options", `${name}^{commit}`);
  } catch (error) {
    if (error instanceof ProgramFailed) return null;
    throw error;
  }
}
