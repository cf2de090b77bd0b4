import * as z from "zod";

/**
 * Settings that clients of other merge queues send and read, and that have only one value here. Any other value is refused: a
 * client must not believe that it is in force.
 */
export const fixedSettings = {
  extensionEnabled: z
    .literal(false, { error: "must be false or left out: there is no browser extension" })
    .describe("Always false: there is no browser extension."),
  // Not an array of objects: checking millions of items that are refused anyway would take gigabytes.
  batchingRules: z
    .custom<readonly Record<string, never>[]>((input) => Array.isArray(input) && input.length === 0, {
      error: "must be [] or left out: to test a pull request alone, submit it with noBatch",
    })
    .meta({ type: "array", maxItems: 0, items: { type: "object", properties: {} } })
    .describe("Always []: pull requests are kept out of batches one by one, with `noBatch`."),
  testBranchConstructionMode: z
    .literal("push_new_branch_from_temp", {
      error:
        "must be push_new_branch_from_temp or left out: test branches are created at their commit, no branch is renamed",
    })
    .describe(
      "Always `push_new_branch_from_temp`: a test commit is built on a scratch branch, then the test branch is created at it.",
    ),
};

/** The values that every queue returns. */
export const fixedValues = {
  extensionEnabled: false,
  batchingRules: [],
  testBranchConstructionMode: "push_new_branch_from_temp",
} as const;
