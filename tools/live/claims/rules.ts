import { needing, type Scene } from "../claim.ts";
import { answerOf, readUntil, tipOf, untilMergeable } from "../observe.ts";
import {
  type BypassMode,
  bypassFor,
  createUnder,
  mergeQueue,
  mergeUnder,
  missingCheck,
  moveUnder,
  pullRequests,
  refused,
  withCause,
} from "../under-rules.ts";
import { moveRefs } from "./refs.ts";

const administration = ["administration: write"] as const;

/** Claims about branch changes that rulesets refuse, with the messages by which Trainyard distinguishes the causes. */
export const branchRuleClaims = needing(administration, [
  {
    id: "rules/update",
    title: "A branch whose updates are restricted is not moved",
    source: "observed",
    expected: refused(422, "Cannot update this protected ref.", "UPDATES_RESTRICTED"),
    observe: (scene) => moveUnder(scene, { type: "update" }),
  },
  {
    id: "rules/pull-request",
    title: "A branch that wants pull requests is not moved",
    source: "yshavit/mdq #255",
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
    expected: refused(422, "Changes must be made through the merge queue", "MERGE_QUEUE_REQUIRED"),
    observe: (scene) => moveUnder(scene, mergeQueue),
  },
  {
    id: "rules/signatures",
    title: "A branch that wants signatures is not moved to a commit without one",
    source: '"Available rules for rulesets"; the words: memory',
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
    expected: refused(422, "Cannot create ref due to creations being restricted.", "CREATION_RESTRICTED"),
    observe: (scene) => createUnder(scene, { type: "creation" }),
  },
  {
    id: "rules/branch-name",
    title: "A branch whose name a rule forbids is not created",
    source: '"Available rules for rulesets"; the words: memory',
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
]);

const administrationAndPulls = ["administration: write", "pull_requests: write"] as const;

/** Claims about merges that rulesets refuse, with the messages by which Trainyard distinguishes the causes. */
export const mergeRuleClaims = needing(administrationAndPulls, [
  {
    id: "rules/blocked",
    title: "A required check that is missing blocks a pull request",
    source: "GraphQL MergeStateStatus",
    expected: "blocked",
    observe: async (scene) => {
      const { scratch } = scene;
      const base = await scratch.branch("ruled");
      await scratch.ruleset([base], { rules: [missingCheck] });
      return (await untilMergeable(scene, await scratch.pull({ base }))).mergeable_state;
    },
  },
  {
    id: "rules/missing-check",
    title: "A merge that lacks a required check is refused",
    source: "satisfactory-factories #67, anza-xyz/kit #94",
    expected: {
      answer: `405 Repository rule violations found Required status check "trainyard-live-never" is expected.`,
      cause: null,
    },
    observe: (scene) => mergeUnder(scene, missingCheck),
  },
  {
    id: "rules/missing-review",
    title: "A merge that lacks an approval is refused",
    source: "satisfactory-factories #67, anza-xyz/kit #94",
    expected: refused(
      405,
      "At least 1 approving review is required by reviewers with write access.",
      "REVIEW_MISSING",
    ),
    observe: (scene) => mergeUnder(scene, pullRequests()),
  },
  {
    id: "rules/linear-history",
    title: "A merge commit is refused where linear history is required",
    source: "Kong/kong-operator #4536",
    expected: refused(
      405,
      "This branch must not contain merge commits. Found 1 violation: SHA",
      "LINEAR_HISTORY_REQUIRED",
    ),
    observe: (scene) => mergeUnder(scene, { type: "required_linear_history" }),
  },
  {
    id: "rules/merge-method",
    title: "A merge by a method that a rule does not allow is refused",
    source: '"Available rules for rulesets"; the words: memory',
    expected: refused(405, "Merge method merge is not allowed on this branch.", "MERGE_METHOD_OFF"),
    observe: (scene) =>
      mergeUnder(
        scene,
        pullRequests({ required_approving_review_count: 0, allowed_merge_methods: ["squash"] }),
      ),
  },
]);

/** Returns the state of a pull request that lacks a required check, as an App sees it that may bypass the rule. */
async function stateWith(scene: Scene, mode: BypassMode): Promise<string> {
  const { scratch, app } = scene;
  const base = await scratch.branch("ruled");
  await scratch.ruleset([base], { rules: [missingCheck], bypass_actors: bypassFor(app.id, mode) });
  return (await untilMergeable(scene, await scratch.pull({ base }))).mergeable_state;
}

/** Lists the ways in which an App that may bypass a restriction of updates can change the branch. */
async function waysWith(scene: Scene, mode: BypassMode): Promise<string> {
  const { github, at, scratch, app } = scene;
  const base = await scratch.branch("ruled");
  const rules = [{ type: "update" as const }];
  await scratch.ruleset([base], { rules, bypass_actors: bypassFor(app.id, mode) });
  const pull = await scratch.pull({ base });
  const next = async () =>
    scratch.commit((await tipOf(scene, base)) ?? "", { "next.txt": scratch.unique("file") });
  const updated = await answerOf(
    github.rest.git.updateRef({ ...at, ref: `heads/${base}`, sha: await next() }),
  );
  const moved = await moveRefs(scene, [{ branch: base, to: await next() }]);
  const merged = await answerOf(github.rest.repos.merge({ ...at, base, head: await next() }));
  // The base has moved, so GitHub computes the mergeability again.
  await untilMergeable(scene, pull);
  const pressed = await answerOf(github.rest.pulls.merge({ ...at, pull_number: pull.number }));
  const answers = {
    "PATCH ref": updated,
    updateRefs: moved,
    "POST merges": merged,
    "merge of a pull request": pressed,
  };
  const isDone = (answer: string) => /^(20\d|moved)$/.test(answer);
  return Object.entries(answers)
    .flatMap(([way, answer]) => (isDone(answer) ? [way] : []))
    .join(", ");
}

/** Claims about bypassing rules. */
export const bypassClaims = needing(administrationAndPulls, [
  {
    id: "rules/bypass-states",
    title: "What does mergeable_state say to an App with each bypass mode?",
    source: "open: akuity/kargo #6623",
    isQuestion: true,
    expected: { always: "clean", pull_request: "clean", exempt: "clean" },
    observe: async (scene) => ({
      always: await stateWith(scene, "always"),
      pull_request: await stateWith(scene, "pull_request"),
      exempt: await stateWith(scene, "exempt"),
    }),
  },
  {
    id: "rules/bypass-ways",
    title: "In which ways may an App with each bypass mode change a branch whose updates are restricted?",
    source: "open: community #203926, #208718; dmf-mxl/mxl #356",
    isQuestion: true,
    expected: {
      always: "merge of a pull request",
      pull_request: "merge of a pull request",
      exempt: "PATCH ref, updateRefs, POST merges, merge of a pull request",
    },
    observe: async (scene) => ({
      always: await waysWith(scene, "always"),
      pull_request: await waysWith(scene, "pull_request"),
      exempt: await waysWith(scene, "exempt"),
    }),
  },
]);
