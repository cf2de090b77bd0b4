import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApiError } from "../../src/client/client.ts";
import type { RuleOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;

/** How long GitHub takes to merge. */
const asyncMerge = 600;

beforeAll(async () => {
  stage = await Stage.open({ queue: { mergeBy: "async_api" }, sandbox: { delays: { asyncMerge } } });
});

afterAll(() => stage.close());

const put = "pulls/merge-async";
const about = (pr: number) => ({ ...stage.queue, pr: { number: pr } });
const main = async () => (await stage.branch("main")).commit;
const asked = (operation: string) =>
  stage.sandbox.requests.entries.filter(({ operationId }) => operationId === operation).length;

async function submit(name: string, title?: string): Promise<number> {
  const pr = await stage.openPullRequest(name, undefined, title === undefined ? {} : { title });
  await stage.client.submitPullRequest(about(pr));
  return pr;
}

/** Submits a pull request, and waits until GitHub is asked to merge it, which it does not before `mergeNow`. */
async function requested(name: string): Promise<number> {
  const before = asked(put);
  stage.sandbox.delays.asyncMerge = 600_000;
  const pr = await submit(name);
  await eventually(async () => (asked(put) > before ? true : null), "the request to merge");
  return pr;
}

function mergeNow(): void {
  stage.sandbox.delays.asyncMerge = asyncMerge;
}

/** Sets a rule of main that the App may bypass in the given mode. */
function rule(rule: RuleOptions, mode: "always" | "exempt"): void {
  stage.sandbox.setRulesets("acme/widgets", [
    { rules: [rule], bypass: [{ actor: stage.sandbox.app.slug, mode }] },
  ]);
}

describe.each(variants(["squash", "merge_commit", "rebase"]))(
  "with mergeBy async_api and %s",
  (mergeMethod) => {
    test("a tested pull request is merged only by GitHub's asynchronous API", async () => {
      await stage.client.updateQueue({ ...stage.queue, mergeMethod });
      const [before, others] = [await main(), asked("pulls/merge")];
      const pr = await submit(`one-by-${mergeMethod}`);
      const { merged } = await stage.until(pr, "merged");
      const { sha, parents } = await main();
      expect(merged).toEqual({ sha, proof: "same_tree" });
      expect(parents[0]?.sha).toBe(before.sha);
      expect(asked("pulls/merge")).toBe(others);
    });
  },
);

describe("an asynchronous merge request", () => {
  test.each(variants(["reset", "502"]))(
    "whose answer is lost (%s) is found, and merges once",
    async (kind) => {
      const before = await main();
      stage.sandbox.faults.next({ operation: put, kind, side: "after" });
      const pr = await submit(`lost-${kind}`);
      await stage.until(pr, "merged");
      expect((await main()).parents.map(({ sha }) => sha)).toEqual([before.sha]);
    },
  );

  test("that is pending cannot be cancelled", async () => {
    const pr = await requested("pending");
    const cancelled = stage.client.cancelPullRequest(about(pr));
    await expect(cancelled).rejects.toThrow(ApiError);
    await expect(cancelled).rejects.toThrow(/It is too late/);
    mergeNow();
    await stage.until(pr, "merged");
  });

  test("that fails for a rule about the pull request evicts only that one, and its comment says what to do", async () => {
    const words = { type: "commit_message_pattern", operator: "contains", negate: true } as const;
    rule({ ...words, pattern: "forbidden" }, "always");
    const [bad, good] = [await submit("bad", "A forbidden title"), await submit("good")];
    expect(await stage.until(bad, "failed")).toMatchObject({ reason: "MERGE_REFUSED" });
    await stage.untilCommented(bad, /breaks a rule of the branch; change it/);
    await stage.until(good, "merged");
  });

  test("that fails for a rule about the branch pauses the queue, until the App is exempt", async () => {
    rule("update", "always");
    const pr = await submit("restricted");
    const paused = await eventually(async () => {
      const queue = await stage.client.getQueue(stage.queue);
      return queue.state === "paused" ? queue : null;
    }, "the queue to be paused");
    expect(paused.stateReason).toBe("MERGING_NOT_ALLOWED");
    rule("update", "exempt");
    await stage.client.updateQueue({ ...stage.queue, state: "running" });
    await stage.until(pr, "merged");
  });

  // This test has to be the last one, because it pauses the queue.
  test("that runs on another base than the tested one is detected by its tree, and pauses the queue", async () => {
    stage.sandbox.setRulesets("acme/widgets", []);
    const pr = await requested("overtaken");
    await stage.pushToMain({ "notes.txt": "Untested.\n" });
    mergeNow();
    expect(await stage.until(pr, "merged")).toMatchObject({
      reason: "TREE_MISMATCH",
      merged: { proof: null },
    });
    const queue = await stage.client.getQueue(stage.queue);
    expect(queue).toMatchObject({ state: "paused", stateReason: "TREE_MISMATCH" });
  });
});
