import { describe, expect, test } from "@jest/globals";
import { summarize } from "../../src/replay/outcome.ts";
import { type ReferencePolicyName, referencePolicies } from "../../tools/simulator/reference/policies.ts";
import { runReference } from "../../tools/simulator/reference/run-reference.ts";
import { smallWorkload, writtenWorkload } from "./build-workload.ts";

const names = Object.keys(referencePolicies) as ReferencePolicyName[];

describe.each(names)("the policy %s", (name) => {
  test.each([
    ["tree", 1],
    ["tree", 2],
    ["members", 3],
  ] as const)("decides every pull request and never breaks the base (scope %s, seed %i)", (scope, seed) => {
    const workload = smallWorkload({ scope, seed });
    const outcome = runReference(workload, name);
    const { merged, rejected, broken } = summarize(outcome, workload.settings, 0);
    expect({ broken, violations: outcome.violations }).toEqual({ broken: 0, violations: [] });
    expect(merged + rejected).toBe(workload.pullRequests.length);
    for (const { n, fails } of workload.pullRequests) {
      if (fails) expect([n, outcome.pullRequests[n - 1]?.ending]).toEqual([n, "rejected"]);
    }
  });

  test("gives the same outcome when it runs again", () => {
    const [one, two] = [1, 2].map(() => runReference(smallWorkload(), name));
    expect(two).toEqual(one);
  });

  test("breaks the base when targets hide a conflict, unless it ignores targets or knows every conflict", () => {
    const workload = writtenWorkload({
      pullRequests: [{ targets: ["a"] }, { targets: ["b"] }],
      conflicts: [[1, 2]],
    });
    expect(runReference(workload, name).broken).toBe(
      ["serial", "bors", "github", "oracle"].includes(name) ? 0 : 1,
    );
  });

  test("is stopped when every run flakes, unless it is the oracle", () => {
    const workload = writtenWorkload({ settings: { flakeRate: 1 }, pullRequests: [{}] });
    const { violations } = runReference(workload, name);
    expect(violations).toEqual(name === "oracle" ? [] : ["1 pull requests were never decided"]);
  });

  test("does not merge a cancelled pull request", () => {
    const workload = writtenWorkload({ pullRequests: [{}, {}, {}], cancellations: [[2, 3]] });
    const endings = runReference(workload, name).pullRequests.map(({ ending }) => ending);
    expect(endings).toEqual(["merged", "cancelled", "merged"]);
  });
});
