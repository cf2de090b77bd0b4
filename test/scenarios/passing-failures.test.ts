import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

/** Submits a pull request, and waits for what people see in the end. */
async function mergeOne(): Promise<void> {
  const pr = await stage.openPullRequest("one");
  await stage.comment(pr, "/trainyard merge");
  await stage.until(pr, "merged");
  await stage.untilCommented(pr, /\*\*Merged\*\*/);
  const { head } = await stage.pull(pr);
  await stage.untilChecked(head.sha, "success");
}

const methods = ["squash", "merge_commit"] as const;

describe.each(methods)("with %s", (mergeMethod) => {
  beforeEach(async () => {
    stage = await Stage.open({ queue: { mergeMethod } });
  });

  test.each(["500", "reset", "cut"] as const)(
    "a pull request whose stacking was answered by a %s after the effect is not taken for empty",
    async (kind) => {
      const fault = { operation: "repos/merge", kind, ...(kind === "cut" ? {} : { side: "after" as const }) };
      stage.sandbox.faults.next(fault);
      await mergeOne();
      expect(stage.sandbox.faults.injected).toMatchObject([{ operation: "repos/merge" }]);
    },
  );

  test.each(["unauthorized", "forbidden", "not_found"] as const)(
    "an answer %s that passes throws nobody out, wherever it comes",
    async (kind) => {
      const building = ["repos/merge", "git/create-commit", "graphql/updateRefs", "git/create-ref"];
      const deciding = ["repos/get-branch", "repos/get-branch-rules", "repos/get-content", "pulls/get"];
      const merging = ["pulls/merge", "git/update-ref", "git/get-ref"];
      const showing = ["issues/create-comment", "issues/update-comment", "checks/create", "checks/update"];
      for (const operation of [...building, ...deciding, ...merging, ...showing])
        stage.sandbox.faults.next({ operation, kind });
      await mergeOne();
    },
  );
});

test("a command's reaction is made in the end, although GitHub fails at the first", async () => {
  stage = await Stage.open({ queue: {} });
  const pr = await stage.openPullRequest("one");
  for (const kind of ["502", "forbidden"] as const)
    stage.sandbox.faults.next({ operation: "graphql/addReaction", kind });
  expect(await stage.untilReacted(await stage.comment(pr, "/trainyard help"))).toBe("+1");
});

test("what GitHub shows becomes true although publishing is refused again and again", async () => {
  stage = await Stage.open({ queue: {}, environment: { TRAINYARD_RECONCILE_MS: "300" } });
  for (const operation of [
    "issues/create-comment",
    "issues/update-comment",
    "checks/create",
    "checks/update",
  ])
    for (const kind of ["forbidden", "not_found", "unauthorized"] as const)
      stage.sandbox.faults.next({ operation, kind });
  await mergeOne();
});
