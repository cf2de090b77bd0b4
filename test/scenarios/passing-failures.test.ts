import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { GitHubProxy } from "./github-proxy.ts";
import { methodsAndVersions } from "./merge-calls.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let proxy: GitHubProxy | null = null;

afterEach(async () => {
  await stage.close();
  await proxy?.close();
  proxy = null;
});

/** Merges a pull request, and waits for its final comment and check. */
async function merge(name: string): Promise<void> {
  const pr = await stage.openPullRequest(name);
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  await stage.untilCommented(pr, /\*\*Merged\*\*/);
  const { head } = await stage.pull(pr);
  await stage.untilChecked(head.sha, "success");
}

const building = ["repos/merge", "git/create-commit", "graphql/updateRefs"];
const deciding = ["repos/get-branch", "repos/get-branch-rules", "repos/get-content"];
const merging = ["pulls/merge", "git/update-ref", "graphql/repository"];
const showing = ["graphql/addComment", "graphql/createCheckRun", "graphql/updateCheckRun"];
const passing = ["unauthorized", "forbidden", "not_found"] as const;

describe.each(variants(methodsAndVersions))("with %s, by REST version %s,", (mergeMethod, version) => {
  beforeEach(async () => {
    const environment = { TRAINYARD_GITHUB_API_VERSION: version };
    stage = await Stage.open({ queue: { mergeMethod }, environment });
  });

  test("a pull request is not taken for empty when a call that builds its test commit fails after it took effect", async () => {
    for (const kind of ["500", "reset", "cut"] as const) {
      const side = kind === "cut" ? {} : { side: "after" as const };
      stage.sandbox.faults.next({ operation: "repos/merge", kind, ...side });
      await merge(`one-${kind}`);
    }
    expect(stage.sandbox.faults.injected).toHaveLength(3);
  });

  test.each(variants([0, 1, 2]))(
    "a temporary denial or 404 evicts no pull request, on whichever call it occurs (%i)",
    async (turn) => {
      for (const operations of [building, deciding, merging, showing])
        for (const [index, operation] of operations.entries())
          stage.sandbox.faults.next({
            operation,
            kind: passing[(index + turn) % passing.length] ?? "forbidden",
          });
      await merge("one");
      expect(stage.sandbox.faults.injected.length).toBeGreaterThan(5);
    },
  );
});

test("a command gets its reaction in the end, although GitHub fails at first", async () => {
  stage = await Stage.open({ queue: {} });
  const pr = await stage.openPullRequest("one");
  for (const kind of ["502", "forbidden"] as const)
    stage.sandbox.faults.next({ operation: "graphql/addReaction", kind });
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard help"))).toBe("+1");
});

test("the comment and check become correct in the end, although publishing is refused several times", async () => {
  stage = await Stage.open({ queue: {} });
  for (const operation of [
    "graphql/addComment",
    "graphql/updateIssueComment",
    "graphql/createCheckRun",
    "graphql/updateCheckRun",
  ])
    for (const kind of passing) stage.sandbox.faults.next({ operation, kind });
  await merge("one");
});

test.each(variants(["2022-11-28", "2026-03-10"]))(
  "the second merge of a batch that got no answer counts as the queue's own, although its pull request is briefly not found, by REST version %s",
  async (version) => {
    stage = await Stage.open({
      queue: { mergeMethod: "squash", batch: true, batchingMinSize: 2 },
      sandbox: { webhooks: { drop: 1 } },
      environment: { TRAINYARD_RECONCILE_MS: "1000", TRAINYARD_GITHUB_API_VERSION: version },
      through: async (url) => {
        proxy = await GitHubProxy.start(url);
        return proxy.host;
      },
    });
    const { faults } = stage.sandbox;
    const prs = [await stage.openPullRequest("one"), await stage.openPullRequest("two")];
    proxy?.beforeNext("PUT", new RegExp(`/pulls/${prs[1]}/merge$`), async () => {
      faults.next({ operation: "pulls/merge", kind: "500", side: "after" });
      proxy?.beforeNext("GET", new RegExp(`/pulls/${prs[1]}$`), async () => {
        faults.next({ operation: "pulls/get", kind: "not_found" });
        faults.next({
          operation: "graphql/repository",
          kind: "rate_limited",
          count: 3,
          retryAfterSeconds: 2,
        });
      });
    });
    for (const number of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
    for (const pr of prs)
      expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
    expect(faults.injected.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["500", "not_found"]));
  },
);
