import type { Claim } from "../claim.ts";
import { answerOf, readUntil } from "../observe.ts";
import { createUnder, mergeQueue, moveUnder, pullRequests, refused, withCause } from "../under-rules.ts";

const needs = ["administration: write"] as const;

/** Claims about branch changes that rulesets refuse, with the messages by which Trainyard distinguishes the causes. */
export const branchRuleClaims: readonly Claim[] = [
  {
    id: "rules/update",
    title: "A branch whose updates are restricted is not moved",
    source: "observed",
    needs,
    expected: refused(422, "Cannot update this protected ref.", "UPDATES_RESTRICTED"),
    observe: (scene) => moveUnder(scene, { type: "update" }),
  },
  {
    id: "rules/pull-request",
    title: "A branch that wants pull requests is not moved",
    source: "yshavit/mdq #255",
    needs,
    expected: {
      answer: "422 Repository rule violations found Changes must be made through a pull request.",
      cause: null,
    },
    observe: (scene) => moveUnder(scene, pullRequests()),
  },
  {
    id: "rules/merge-queue",
    title: "A branch that wants GitHub's merge queue is not moved",
    source: "georust/proj #178",
    needs,
    expected: refused(422, "Changes must be made through the merge queue", "MERGE_QUEUE_REQUIRED"),
    observe: (scene) => moveUnder(scene, mergeQueue),
  },
  {
    id: "rules/signatures",
    title: "A branch that wants signatures is not moved to a commit without one",
    source: '"Available rules for rulesets"; the words: memory',
    needs,
    expected: refused(
      422,
      "Commits must have verified signatures. Found 1 violation: SHA",
      "SIGNATURE_MISSING",
    ),
    observe: (scene) => moveUnder(scene, { type: "required_signatures" }),
  },
  {
    id: "rules/commit-message",
    title: "A branch is not moved to a commit whose message a rule forbids",
    source: '"Available rules for rulesets"; the words: memory',
    needs,
    expected: refused(422, "Commit message must start with feat:", "COMMIT_MESSAGE_RULE"),
    observe: (scene) =>
      moveUnder(scene, {
        type: "commit_message_pattern",
        parameters: { operator: "starts_with", pattern: "feat:" },
      }),
  },
  {
    id: "rules/branch-merge",
    title: "POST merges answers 409 for a rule, as for a conflict, and names the rule",
    source: "memory",
    needs,
    expected: refused(409, "Cannot update this protected ref.", "UPDATES_RESTRICTED"),
    observe: async ({ github, at, scratch }) => {
      const base = await scratch.branch("ruled");
      const head = await scratch.commit(await scratch.root(), { a: "1\n" });
      await scratch.ruleset([base], { rules: [{ type: "update" }] });
      return withCause(await answerOf(github.rest.repos.merge({ ...at, base, head })));
    },
  },
  {
    id: "rules/creation",
    title: "A branch whose creation is restricted is not created",
    source: "dmf-mxl/mxl #356",
    needs,
    expected: refused(422, "Cannot create ref due to creations being restricted.", "CREATION_RESTRICTED"),
    observe: (scene) => createUnder(scene, { type: "creation" }),
  },
  {
    id: "rules/branch-name",
    title: "A branch whose name a rule forbids is not created",
    source: '"Available rules for rulesets"; the words: memory',
    needs,
    expected: refused(422, "Branch name must start with feat/", "BRANCH_NAME_RULE"),
    observe: (scene) =>
      createUnder(scene, {
        type: "branch_name_pattern",
        parameters: { operator: "starts_with", pattern: "feat/" },
      }),
  },
  {
    id: "rules/listed",
    title: "The rules of a branch are listed with their ruleset, also before the branch exists",
    source: 'API "Get rules for a branch"',
    needs,
    expected: { type: "deletion", ruleset: true },
    observe: async (scene) => {
      const { github, at, scratch } = scene;
      const branch = scratch.name("later");
      const id = await scratch.ruleset([branch], { rules: [{ type: "deletion" }] });
      const read = async () => (await github.rest.repos.getBranchRules({ ...at, branch })).data;
      const rules = await readUntil(scene, read, ({ length }) => length > 0);
      const mine = rules.filter(({ ruleset_id }) => ruleset_id === id);
      return { type: mine.map(({ type }) => type).join(), ruleset: mine.length === 1 };
    },
  },
];
