import type { Claim } from "../claim.ts";
import { untilMergeable } from "../observe.ts";
import { mergeUnder, missingCheck, pullRequests, refused } from "../under-rules.ts";

const needs = ["administration: write", "pull_requests: write"] as const;

/** Claims about merges that rulesets refuse, with the messages by which Trainyard distinguishes the causes. */
export const mergeRuleClaims: readonly Claim[] = [
  {
    id: "rules/blocked",
    title: "A required check that is missing blocks a pull request",
    source: "GraphQL MergeStateStatus",
    needs,
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
    needs,
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
    needs,
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
    needs,
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
    needs,
    expected: refused(405, "Merge method merge is not allowed on this branch.", "MERGE_METHOD_OFF"),
    observe: (scene) =>
      mergeUnder(
        scene,
        pullRequests({ required_approving_review_count: 0, allowed_merge_methods: ["squash"] }),
      ),
  },
];
