import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { FaultKind } from "../../tools/sandbox/faults/fault-plan.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { carryOn, dieNow } from "./left-behind.ts";
import { MovedClock } from "./moved-clock.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let proxy: GitHubProxy;
let gate: Gate;
let clock: MovedClock;

beforeEach(async () => {
  clock = new MovedClock();
  gate = new Gate();
  stage = await Stage.open({
    needsFile: true,
    queue: { mergeMethod: "squash" },
    ci: { lastStep: gate.lastStep },
    clock,
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
});

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy.close();
});

/** Refuses calls of these operations until the returned function is called. */
function refuse(operations: readonly string[], kind: FaultKind): () => void {
  const count = Number.POSITIVE_INFINITY;
  const ends = operations.map((operation) => stage.sandbox.faults.next({ operation, kind, count }));
  return () => {
    for (const end of ends) end();
  };
}

const refused = () => eventually(async () => stage.sandbox.faults.injected[0] ?? null, "a refusal");

/** Lets the service die and start again, as if GitHub had refused a task in the same way for minutes. */
async function afterMinutes(type: "build_test_commit" | "merge", failedAs: string): Promise<void> {
  const left = dieNow(stage, proxy);
  const database = new DatabaseSync(left.replace(/^sqlite:/, ""));
  database
    .prepare(
      "update outbox set attempts = 12, failures = 12, failed_as = ?, failed_in_a_row = 12 where content like ?",
    )
    .run(failedAs, `%"type":"${type}"%`);
  database.close();
  clock.pass(10 * 60_000);
  await carryOn(stage, proxy, left);
}

/** Waits until people see why a pull request waits, after another refusal. The reconciler may pause the queue before that. */
async function untilExplained(pr: number): Promise<void> {
  const causes = ["GITHUB_DENIES", "QUEUE_NOT_RUNNING"];
  const before = stage.sandbox.faults.injected.length;
  let why: readonly { readonly code: string }[] = [];
  await eventually(
    async () => {
      why = (await stage.look(pr))?.why ?? [];
      const isToldAgain = stage.sandbox.faults.injected.length > before;
      return isToldAgain && why.some(({ code }) => causes.includes(code)) ? true : null;
    },
    () => `the reason to wait instead of ${JSON.stringify(why)}`,
  );
}

describe.each(variants(["forbidden", "not_found"]))("while GitHub answers %s", (kind) => {
  const failedAs = kind === "forbidden" ? "denied" : kind;

  test("to every merge on a scratch branch, no pull request is removed, however long it does so", async () => {
    const end = refuse(["repos/merge"], kind);
    gate.open();
    const pr = await stage.openPullRequest("pr");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    await refused();
    await afterMinutes("build_test_commit", failedAs);
    await untilExplained(pr);
    expect(await stage.look(pr)).toMatchObject({ state: "pending" });
    end();
    expect(await clock.passDuring(stage.until(pr, "merged"))).toMatchObject({ reason: "MERGED_IN_ORDER" });
  });

  test.each([
    ["every merge", ["pulls/merge", "repos/merge"]],
    ["every reading of a pull request", ["graphql/repository", "pulls/get"]],
    ["every reading of a branch", ["graphql/repository", "repos/get-branch", "git/get-ref"]],
  ])("to %s, no pull request is removed, however long that lasts", async (_calls, operations) => {
    const pr = await stage.openPullRequest("pr");
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    await stage.until(pr, "testing");
    const endFirst = refuse(["pulls/merge"], kind);
    gate.open();
    await refused();
    const end = refuse(operations, kind);
    endFirst();
    await afterMinutes("merge", failedAs);
    await untilExplained(pr);
    expect(await stage.look(pr)).toMatchObject({ state: "tests_passed" });
    end();
    expect(await clock.passDuring(stage.until(pr, "merged"))).toMatchObject({ reason: "MERGED_IN_ORDER" });
  });
});

test("a pull request is removed if GitHub denies for minutes to merge its head, and no other", async () => {
  gate.open();
  const pr = await stage.openPullRequest("pr");
  const { sha } = (await stage.branch("pr")).commit;
  proxy.beforeEach("POST", /\/merges$/, new RegExp(sha), async () => {
    stage.sandbox.faults.next({ operation: "repos/merge", kind: "forbidden" });
  });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await refused();
  await afterMinutes("build_test_commit", "denied");
  expect(await stage.until(pr, "failed")).toMatchObject({ reason: "PERMISSION_DENIED" });
});
