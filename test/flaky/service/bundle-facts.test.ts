import { describe, expect, test } from "@jest/globals";
import { type BundleMeta, bundleFacts } from "../../../src/flaky/service/uploads/bundle-facts.ts";

const branches = { stable: ["main"], testPrefix: "trainyard-merge/" };

function factsOf(envs: BundleMeta["envs"], known = branches, headBranch = "refs/heads/main") {
  return bundleFacts({ headSha: "a".repeat(40), headBranch, bundleId: "b-1", variant: "", envs }, known);
}

describe("a bundle is of the kind", () => {
  const main = "refs/heads/main";
  test.each<[kind: string, what: string, envs: BundleMeta["envs"]]>([
    ["stable", "a push to a queue's branch", { GITHUB_EVENT_NAME: "push", GITHUB_REF: main }],
    ["stable", "a schedule", { GITHUB_EVENT_NAME: "schedule", GITHUB_REF: main }],
    ["queue", "a push to a test branch", { GITHUB_REF: "refs/heads/trainyard-merge/pr-7/x" }],
    ["pr", "a pull request", { GITHUB_EVENT_NAME: "pull_request", GITHUB_REF: "refs/pull/7/merge" }],
    ["pr", "a push to somebody's branch", { GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/heads/topic" }],
    ["unknown", "a run after another one", { GITHUB_EVENT_NAME: "workflow_run", GITHUB_REF: main }],
    [
      "unknown",
      "pull_request_target, which checks the base out",
      { GITHUB_EVENT_NAME: "pull_request_target", GITHUB_REF: main, GITHUB_HEAD_REF: "topic" },
    ],
    ["unknown", "a comment", { GITHUB_EVENT_NAME: "issue_comment", GITHUB_REF: main }],
  ])("%s for %s", (kind, _what, envs) => {
    expect(factsOf(envs).kind).toBe(kind);
  });

  test("unknown on a branch when the repository has no known stable branch", () => {
    const push = { GITHUB_EVENT_NAME: "push", GITHUB_REF: main };
    expect(factsOf(push, { ...branches, stable: [] }).kind).toBe("unknown");
    expect(factsOf({ GITHUB_REF: "refs/pull/7/merge" }, { ...branches, stable: [] }).kind).toBe("pr");
  });
});

test("a bundle names its job and its workflow", () => {
  const { workflow, job } = factsOf({ GITHUB_WORKFLOW: "Nightly", GITHUB_JOB: "unit" });
  expect({ workflow, job }).toEqual({ workflow: "Nightly", job: "unit" });
});
