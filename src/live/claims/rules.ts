import type { Claim } from "../claim.ts";
import type { NewRuleset } from "../new-ruleset.ts";
import { answerOf, readUntil, untilMergeable } from "../observe.ts";
import type { Scene } from "../scene.ts";

const administration = ["administration: write"] as const;
const withPulls = ["administration: write", "pull_requests: write"] as const;

type Rule = NewRuleset["rules"][number];

const missingCheck: Rule = {
  type: "required_status_checks",
  parameters: {
    required_status_checks: [{ context: "trainyard-live-never" }],
    strict_required_status_checks_policy: false,
  },
};

const oneReview: Rule = {
  type: "pull_request",
  parameters: {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_review_thread_resolution: false,
  },
};

/** What moving a ruled branch is answered with. */
async function moveUnder(scene: Scene, rule: Rule): Promise<string> {
  const { github, at, scratch } = scene;
  const branch = await scratch.branch("ruled");
  const sha = await scratch.commit(await scratch.root(), { a: "1\n" });
  await scratch.ruleset([branch], { rules: [rule] });
  return answerOf(github.rest.git.updateRef({ ...at, ref: `heads/${branch}`, sha }));
}

/** What merging into a ruled branch is answered with. */
async function mergeUnder(scene: Scene, rule: Rule): Promise<string> {
  const { github, at, scratch } = scene;
  const base = await scratch.branch("ruled");
  await scratch.ruleset([base], { rules: [rule] });
  const pull = await scratch.pull({ base });
  await untilMergeable(scene, pull);
  return answerOf(github.rest.pulls.merge({ ...at, pull_number: pull.number }));
}

/** What rulesets refuse, in the words by which Trainyard tells the causes apart. */
export const ruleClaims: readonly Claim[] = [
  {
    id: "rules/blocked",
    title: "A required check that is missing blocks a pull request",
    source: "GraphQL MergeStateStatus",
    needs: withPulls,
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
    needs: withPulls,
    expected: `405 Repository rule violations found Required status check "trainyard-live-never" is expected.`,
    observe: (scene) => mergeUnder(scene, missingCheck),
  },
  {
    id: "rules/missing-review",
    title: "A merge that lacks an approval is refused",
    source: "satisfactory-factories #67, anza-xyz/kit #94",
    needs: withPulls,
    expected:
      "405 Repository rule violations found At least 1 approving review is required by reviewers with write access.",
    observe: (scene) => mergeUnder(scene, oneReview),
  },
  {
    id: "rules/linear-history",
    title: "A merge commit is refused where linear history is required",
    source: "Kong/kong-operator #4536",
    needs: withPulls,
    expected: true,
    observe: async (scene) =>
      /^405 .*must not contain merge commits/.test(
        await mergeUnder(scene, { type: "required_linear_history" }),
      ),
  },
  {
    id: "rules/update",
    title: "A branch whose updates are restricted is not moved",
    source: "observed",
    needs: administration,
    expected: "422 Repository rule violations found Cannot update this protected ref.",
    observe: (scene) => moveUnder(scene, { type: "update" }),
  },
  {
    id: "rules/pull-request",
    title: "A branch that wants pull requests is not moved",
    source: "yshavit/mdq #255",
    needs: administration,
    expected: "422 Repository rule violations found Changes must be made through a pull request.",
    observe: (scene) => moveUnder(scene, oneReview),
  },
  {
    id: "rules/branch-merge",
    title: "POST merges answers 409 for a rule, as for a conflict, and names the rule",
    source: "memory",
    needs: administration,
    expected: "409 Repository rule violations found Cannot update this protected ref.",
    observe: async ({ github, at, scratch }) => {
      const base = await scratch.branch("ruled");
      const head = await scratch.commit(await scratch.root(), { a: "1\n" });
      await scratch.ruleset([base], { rules: [{ type: "update" }] });
      return answerOf(github.rest.repos.merge({ ...at, base, head }));
    },
  },
  {
    id: "rules/creation",
    title: "A branch whose creation is restricted is not created",
    source: "dmf-mxl/mxl #356",
    needs: administration,
    expected: "422 Repository rule violations found Cannot create ref due to creations being restricted.",
    observe: async ({ github, at, scratch }) => {
      const branch = scratch.name("restricted");
      const sha = await scratch.root();
      await scratch.ruleset([branch], { rules: [{ type: "creation" }] });
      return answerOf(github.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha }));
    },
  },
  {
    id: "rules/listed",
    title: "The rules of a branch are listed with their ruleset, also before the branch exists",
    source: 'API "Get rules for a branch"',
    needs: administration,
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
