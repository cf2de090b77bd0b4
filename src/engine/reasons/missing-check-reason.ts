import { counted, inSentences } from "./sentence.ts";

const usualAdvice =
  "name it in the queue's acceptFromHead if it reports on pull requests only, let its workflow run on pushes to test branches without a path filter, or correct its name where it is required";

/** Returns advice about required checks that do not report on test branches. */
export function missingCheckAdvice(missing: Missing): string {
  return [...hintsOf(missing, (name) => name), usualAdvice].join("; or ");
}

type Missing = Pick<MissingCheckReason, "names" | "brokenWorkflows">;

function hintsOf({ names, brokenWorkflows }: Missing, show: (name: string) => string): string[] {
  return [brokenWorkflowsHint(brokenWorkflows, show), shownNamesHint(names, show)].filter(
    (one) => one !== null,
  );
}

/** Returns what GitHub reports about workflow files of which it could run no job; null = there are none. */
export function brokenWorkflowsHint(
  paths: MissingCheckReason["brokenWorkflows"] = [],
  show = (path: string) => path,
): string | null {
  if (paths.length === 0) return null;
  const files = paths.length === 1 ? "the workflow file, which is" : "the workflow files, which are";
  return `GitHub could not run ${paths.map(show).join(", ")}: correct ${files} probably invalid`;
}

/**
 * Returns why a test in which no required check appeared is repeated. An invalid workflow file may have nothing to do with it, so it does
 * not prove that CI works.
 *
 * @param times the maximum number of repetitions
 */
export function nothingReported({ names, brokenWorkflows }: Missing, times: number): string {
  return inSentences(
    `nothing reported on the test branch: ${names.join(", ")}`,
    brokenWorkflowsHint(brokenWorkflows) ?? "",
    `it is tested again at most ${counted(times, "time")} in all, in case CI lost the push`,
  );
}

/** GitHub's pages show the check of a job as `workflow / job (event)`. */
const shownOnPages =
  /^[^/]+ \/ (?<check>.+?)(?: \((?:push|pull_request|pull_request_target|merge_group|schedule|workflow_dispatch)\))?$/;

/**
 * Returns the real name of a check from the name that GitHub's pages show; null if the name does not have that form. The check of a job in
 * a reusable workflow is really called `job / job`.
 */
export function checkShownAs(name: string): string | null {
  return shownOnPages.exec(name)?.groups?.check ?? null;
}

/** Returns advice about required names that are written as GitHub's pages show them; null = no name is. */
export function shownNamesHint(names: readonly string[], show: (name: string) => string): string | null {
  const shown = names.filter((name) => checkShownAs(name) !== null);
  if (shown.length === 0) return null;
  const checks = shown.map((name) => show(checkShownAs(name) ?? name)).join(", ");
  return `GitHub's pages show a check as workflow / job, but it is called like the job alone: require ${checks} instead of ${shown.map(show).join(", ")}`;
}

/** Required checks did not appear on a test branch within `minutes` after everything else there had ended. */
export interface MissingCheckReason {
  readonly code: "REQUIRED_CHECK_MISSING";
  readonly names: readonly string[];
  readonly minutes: number;
  /** The paths of workflow files of which GitHub could run no job; absent = none. */
  readonly brokenWorkflows?: readonly string[];
}

export function renderMissingCheck(reason: MissingCheckReason, show: (name: string) => string): string {
  const { minutes, names } = reason;
  const checks = names.length === 1 ? "check" : "checks";
  return `required ${checks} never reported on the test branch, although everything else there had been finished for ${counted(minutes, "minute")}: ${[names.map(show).join(", "), ...hintsOf(reason, show)].join("; ")}`;
}
