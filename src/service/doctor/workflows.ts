import { judgeRepositoryFile } from "../../command/parse-repository-file.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import type { DoctorFacts } from "../../ports/code-host/doctor-facts.ts";
import { examination, list } from "./finding.ts";
import { requiredOf } from "./required-checks.ts";
import { listening, providesCheck, type ReadWorkflow, readWorkflows, sharesGroup } from "./workflow.ts";

/** Findings about GitHub Actions, from the workflow files on the branch. */

/** An example of a branch that a pull request comes from. */
const anyBranch = "some-feature";

const paths = (workflows: readonly { readonly path: string }[]) => list(workflows.map(({ path }) => path));

function pageOf(
  { url }: DoctorFacts["repository"],
  branch: string,
  workflows: readonly { readonly path: string }[],
) {
  const [first] = workflows;
  return first ? `${url}/edit/${branch}/${first.path}` : `${url}/actions`;
}

const notListening = examination(
  "CI_NOT_LISTENING",
  ["workflows", "pushed", "repository"],
  ({ workflows, pushed, repository }, { branch, ownBranches }) => {
    const read = readWorkflows(workflows);
    if (listening(read, ownBranches.test).length > 0 || pushed.checks.length > 0) return null;
    if (workflows.unread > 0)
      return { unknown: `Trainyard did not read ${counted(workflows.unread, "workflow file")}` };
    const { testPrefix } = ownBranches;
    return {
      severity: read.length > 0 ? "error" : "warning",
      title: "CI does not run on test branches",
      cause:
        "The queue pushes each test to a branch. If nothing runs there, the queue waits until the testing timeout.",
      evidence:
        read.length > 0
          ? `none of ${paths(read)} runs on a push to ${testPrefix}**, and nothing has reported there`
          : `${branch} has no workflow files, and nothing has reported on ${testPrefix}**`,
      fix: {
        text: `Add "push: branches: ['${testPrefix}**']" to the workflow's "on", or have your CI build these branches.`,
        url: pageOf(repository, branch, read),
      },
    };
  },
);

const startsTwice = examination(
  "CI_STARTS_TWICE",
  ["workflows", "repository"],
  ({ workflows, repository }, { branch, ownBranches }) => {
    const read = readWorkflows(workflows);
    const found = listening(read, anyBranch).filter(({ onPullRequest }) => onPullRequest);
    if (found.length === 0) return null;
    return {
      severity: "warning",
      title: "CI runs twice for each push to a pull request",
      cause:
        "It runs on pushes to every branch and on pull requests. The duplicate runs take runners from the queue's tests.",
      evidence: `${paths(found)} has the triggers pull_request, and push without a branch filter`,
      fix: {
        text: `Limit push to the branches that need it: "push: branches: [${branch}, '${ownBranches.testPrefix}**']".`,
        url: pageOf(repository, branch, found),
      },
    };
  },
);

const cancelsItself = examination(
  "CI_CANCELS_ITSELF",
  ["workflows", "repository"],
  ({ workflows, repository }, { branch, ownBranches }) => {
    const tests = listening(readWorkflows(workflows), ownBranches.test);
    const judged = tests.flatMap((workflow) =>
      workflow.concurrency.map((one) => ({
        workflow,
        group: one.group,
        cancels: both(one.cancelInProgress, sharesGroup(one)),
      })),
    );
    const found = judged.filter(({ cancels }) => cancels === true);
    if (found.length === 0) {
      const unclear = judged.filter(({ cancels }) => cancels === "unknown");
      if (unclear.length === 0) return null;
      return {
        unknown: `expressions decide whether tests cancel each other: ${list(unclear.map(({ workflow, group }) => `${group} in ${workflow.path}`))}`,
      };
    }
    return {
      severity: "error",
      title: "Tests cancel each other",
      cause:
        "All test branches are in one concurrency group with cancel-in-progress, so that each test cancels the one before.",
      evidence: found.map(({ workflow, group }) => `group "${group}" in ${workflow.path}`).join("; "),
      fix: {
        text: `Put the branch into the group's name: group: \${{ github.workflow }}-\${{ github.ref }}.`,
        url: pageOf(
          repository,
          branch,
          found.map(({ workflow }) => workflow),
        ),
      },
    };
  },
);

function both(a: boolean | "unknown", b: boolean | "unknown"): boolean | "unknown" {
  if (a === false || b === false) return false;
  return a === "unknown" || b === "unknown" ? "unknown" : true;
}

const filtersPaths = examination(
  "CI_FILTERS_PATHS",
  ["required", "repositoryFile", "workflows", "repository"],
  (facts, context) => {
    const required = requiredOf(facts, context);
    if (required === null) return { unknown: ".github/trainyard.yml cannot be read" };
    const tests = listening(readWorkflows(facts.workflows), context.ownBranches.test);
    const filtered = tests.filter(({ push }) => push?.filtersPaths);
    const always = tests.filter(({ push }) => !push?.filtersPaths);
    const names = required.checks
      .map(({ name }) => name)
      .filter((name) => providesCheck(filtered, name) !== "no" && providesCheck(always, name) !== "yes");
    if (names.length === 0) return null;
    const found = filtered.filter((workflow) =>
      names.some((name) => providesCheck([workflow], name) !== "no"),
    );
    return {
      severity: "warning",
      title: "A required check comes from a workflow with path filters",
      cause:
        "The workflow does not run for a pull request that changes other files. Its check then never reports, and the queue waits for it until the testing timeout.",
      evidence: `${list(names)} of ${paths(found)}`,
      fix: {
        text: "Remove paths and paths-ignore from its push trigger, and skip work inside the jobs: a job that is skipped by its if counts as passed.",
        url: pageOf(facts.repository, context.branch, found),
      },
    };
  },
);

const notReadable = examination(
  "WORKFLOW_NOT_READABLE",
  ["workflows", "repository"],
  ({ workflows, repository }, { branch }) => {
    const known = new Set(readWorkflows(workflows).map(({ path }) => path));
    const found = workflows.files.filter(({ path }) => !known.has(path));
    if (found.length === 0 && workflows.unread === 0) return null;
    return {
      severity: "note",
      title: "Some workflow files were not understood",
      cause: "The findings about CI do not cover them.",
      evidence: [
        ...(found.length > 0 ? [`${paths(found)}: not YAML with a trigger`] : []),
        ...(workflows.unread > 0 ? [`Trainyard did not read ${counted(workflows.unread, "more file")}`] : []),
      ].join("; "),
      fix: {
        text: "Correct these files, or remove them if they are not workflows.",
        url: pageOf(repository, branch, found),
      },
    };
  },
);

const forksRunWithSecrets = examination(
  "FORKS_RUN_WITH_SECRETS",
  ["workflows", "repositoryFile", "repository"],
  ({ workflows, repositoryFile, repository }, { branch, ownBranches }) => {
    const parsed = judgeRepositoryFile(repositoryFile);
    if (!parsed.ok || parsed.file.forks === "deny") return null;
    const found = listening(readWorkflows(workflows), ownBranches.test).filter(usesSecrets);
    if (found.length === 0) return null;
    return {
      severity: "note",
      title: "Code of forks is tested with this repository's secrets",
      cause:
        "If somebody queues a pull request from a fork, its code is tested on a branch of this repository and can read the workflow's secrets.",
      evidence: `${paths(found)} uses secrets, and .github/trainyard.yml does not contain forks: deny`,
      fix: {
        text: "Look at a fork's code before you queue it, or set forks: deny in .github/trainyard.yml.",
        url: `${repository.url}/blob/${branch}/.github/trainyard.yml`,
      },
    };
  },
);

function usesSecrets({ text }: ReadWorkflow): boolean {
  return [...text.matchAll(/\bsecrets\.(\w+)/g)].some(([, name]) => name !== "GITHUB_TOKEN");
}

export const workflowExaminations = [
  notListening,
  startsTwice,
  cancelsItself,
  filtersPaths,
  notReadable,
  forksRunWithSecrets,
];
