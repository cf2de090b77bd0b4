import { judgeRepositoryFile, renderProblems } from "../../command/parse-repository-file.ts";
import { repositoryFilePath } from "../../command/repository-file.ts";
import { withoutOwnCheck } from "../../engine/model/checks/required-checks.ts";
import { checkShownAs, shownNamesHint } from "../../engine/reasons/missing-check-reason.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import type { DoctorFacts, NamedCheck, Reports } from "../../ports/code-host/doctor-facts.ts";
import { type DoctorContext, examination, list } from "./finding.ts";
import { listening, providesCheck, type ReadWorkflow, readWorkflows } from "./workflow.ts";

/** Findings about the checks that must pass on test branches. */

const fileInvalid = examination(
  "REPOSITORY_FILE_INVALID",
  ["repositoryFile", "repository"],
  ({ repositoryFile, repository }, { branch }) => {
    const parsed = judgeRepositoryFile(repositoryFile);
    if (parsed.ok) return null;
    return {
      severity: "error",
      title: `${parsed.path} cannot be read`,
      cause: "While the queue cannot read its rules, it queues and tests nothing.",
      evidence: renderProblems(parsed.problems),
      fix: {
        text: "Correct the file.",
        url: `${repository.url}/edit/${branch}/${repositoryFile.path ?? repositoryFile.strays[0]}`,
      },
    };
  },
);

const notRead = examination(
  "REPOSITORY_FILE_UNREAD",
  ["repositoryFile", "repository"],
  ({ repositoryFile: { path, strays }, repository }, { branch }) => {
    if (path === null || strays.length === 0) return null;
    return {
      severity: "warning",
      title: `A file that resembles ${path} is not read`,
      cause: `Only ${path} counts. Settings in another file, such as permission or forks, do nothing.`,
      evidence: `${branch} also has ${list(strays)}`,
      fix: {
        text: `Move its settings to ${path}. If it is not for Trainyard, ignore this.`,
        url: `${repository.url}/blob/${branch}/${strays[0]}`,
      },
    };
  },
);

const noneRequired = examination(
  "NO_REQUIRED_CHECKS",
  ["required", "repositoryFile", "repository"],
  (facts, context) => {
    const required = requiredOf(facts, context);
    if (required === null) return { unknown: `${repositoryFilePath} cannot be read` };
    if (required.checks.length > 0) return null;
    return {
      severity: "error",
      title: "No check is required",
      cause: "No check can show that tests passed, so every pull request fails with NO_REQUIRED_CHECKS.",
      evidence: `${required.source} ${required.source.endsWith("s") ? "name" : "names"} no check except Trainyard's own`,
      fix: {
        text: `Require checks in a ruleset of ${context.branch}, or name them in requiredStatuses of the queue or of ${repositoryFilePath}.`,
        url: `${facts.repository.url}/settings/rules`,
      },
    };
  },
);

const notOnPush = examination(
  "REQUIRED_CHECK_NOT_ON_PUSH",
  ["required", "repositoryFile", "workflows", "pushed", "repository"],
  (facts, context) => {
    const required = requiredOf(facts, context);
    if (required === null) return { unknown: `${repositoryFilePath} cannot be read` };
    const workflows = listening(readWorkflows(facts.workflows), context.ownBranches.test);
    const unseen = required.checks.filter((check) => !hasReported(facts.pushed, check));
    const judged = unseen.map((check) => ({ check, provided: providesCheck(workflows, check.name) }));
    const missing = judged.filter(({ provided }) => provided === "no").map(({ check }) => check);
    if (missing.length === 0) {
      const unclear = judged.filter(({ provided }) => provided === "maybe");
      if (unclear.length === 0) return null;
      return {
        unknown: `whether ${list(namesOf(unclear.map(({ check }) => check)))} will be reported depends on an expression or a reusable workflow`,
      };
    }
    const onHeads = missing.filter((check) => facts.heads && hasReported(facts.heads, check));
    const shown = shownNamesHint(namesOf(missing).filter(isOfAJob(workflows, facts.pushed)), (name) => name);
    const isCertain = onHeads.length > 0 || facts.pushed.commits > 0;
    return {
      severity: isCertain ? "error" : "warning",
      title: "A required check never reports on test branches",
      cause:
        "The queue waits for it on each test branch until the testing timeout, so no pull request merges.",
      evidence: [
        `${list(namesOf(missing))}: no workflow that runs on ${context.ownBranches.testPrefix}** has such a job, and ${facts.pushed.commits === 0 ? "there was no test commit yet" : `no such check reported on the last ${counted(facts.pushed.commits, "test commit")}`}`,
        ...(onHeads.length > 0 ? [`${list(namesOf(onHeads))} reported on pull requests only`] : []),
      ].join("; "),
      fix: {
        text:
          shown === null
            ? "Make it run on pushes to the test branches too, or list only checks that run there in requiredStatuses of the queue."
            : `${shown}.`,
        url: `${facts.repository.url}/settings/rules`,
      },
    };
  },
  ["heads"],
);

const unbound = examination(
  "REQUIRED_CHECK_UNBOUND",
  ["required", "repositoryFile", "repository"],
  (facts, context) => {
    const required = requiredOf(facts, context);
    if (required === null) return { unknown: `${repositoryFilePath} cannot be read` };
    const checks = required.checks.filter(({ appId }) => appId === null);
    if (checks.length === 0) return null;
    const isListed = required.checks !== facts.required.others;
    return {
      severity: "note",
      title: "A required check counts from any source",
      cause:
        "Anyone who can push a branch can report a check of that name on the test commit, without running the tests, and the pull request is merged. GitHub counts it in the same way.",
      evidence: `${required.source} ${isListed ? "names" : "name"} ${list(namesOf(checks))} without an App`,
      fix: {
        text: isListed
          ? `Remove ${required.source}, and require the checks in a ruleset of ${context.branch}, where you can select for each the App that reports it, such as GitHub Actions, instead of Any source.`
          : "Edit the rule Require status checks to pass, and select the App that reports the check, such as GitHub Actions, instead of Any source.",
        url: `${facts.repository.url}/settings/rules`,
      },
    };
  },
);

const directMergePossible = examination(
  "DIRECT_MERGE_POSSIBLE",
  ["required", "repositoryFile", "pushed", "heads", "repository"],
  (facts, context) => {
    const required = requiredOf(facts, context);
    if (required === null) return { unknown: `${repositoryFilePath} cannot be read` };
    const { pushed, heads } = facts;
    // Checks of the base by other Apps count as pushed, too.
    if (context.directMergeMode !== "off" || pushed.commits === 0 || required.checks.length === 0)
      return null;
    if (!required.checks.every((check) => hasReported(pushed, check) && hasReported(heads, check)))
      return null;
    return {
      severity: "note",
      title: "Pull requests that are up to date need no second test",
      cause:
        "The required checks run on pull requests and on test branches. A pull request that contains the branch's last commit, has passed them and is alone is nevertheless tested again.",
      evidence: `${list(namesOf(required.checks))} reported on the last pull requests, and on ${counted(pushed.commits, "test commit")}`,
      fix: {
        text: "If these jobs skip no work on pull requests, set directMergeMode of the queue to always.",
        url: `${facts.repository.url}/pulls`,
      },
    };
  },
);

/** Whether the name is one that pages show, of a check that test branches have. */
function isOfAJob(workflows: readonly ReadWorkflow[], pushed: Reports): (name: string) => boolean {
  return (name) => {
    const check = checkShownAs(name);
    const isThere = (one: string) =>
      providesCheck(workflows, one) !== "no" || hasReported(pushed, { name: one, appId: null });
    return check !== null && isThere(check);
  };
}

function hasReported({ checks }: Reports, { name, appId }: NamedCheck): boolean {
  // A commit status does not name its App.
  return checks.some(
    (one) => one.name === name && (appId === null || one.appId === null || one.appId === appId),
  );
}

function namesOf(checks: readonly NamedCheck[]): string[] {
  return [...new Set(checks.map(({ name }) => name))];
}

export const requiredCheckExaminations = [
  fileInvalid,
  notRead,
  noneRequired,
  notOnPush,
  unbound,
  directMergePossible,
];

type RequiringFacts = Pick<DoctorFacts, "required" | "repositoryFile">;

/**
 * The checks that must pass on test branches, and the source of that list; null when the repository file is
 * invalid.
 */
export function requiredOf(
  { required, repositoryFile }: RequiringFacts,
  { branch, requiredStatuses }: DoctorContext,
): { readonly checks: readonly NamedCheck[]; readonly source: string } | null {
  const named = (names: readonly string[]) => names.map((name) => ({ name, appId: null }));
  if (requiredStatuses)
    return {
      checks: withoutOwnCheck(named(requiredStatuses), branch),
      source: "the queue's requiredStatuses",
    };
  const parsed = judgeRepositoryFile(repositoryFile);
  if (!parsed.ok) return null;
  const inFile = parsed.file.requiredStatuses;
  if (inFile) return { checks: withoutOwnCheck(named(inFile), branch), source: ".github/trainyard.yml" };
  return { checks: required.others, source: "the branch's rules" };
}
