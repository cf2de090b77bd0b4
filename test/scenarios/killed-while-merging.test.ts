import { afterEach, describe, expect, test } from "@jest/globals";
import { GitHubProxy } from "./github-proxy.ts";
import { carryOn, dieNow } from "./left-behind.ts";
import { mergeCalls } from "./merge-calls.ts";
import { eventually, Stage } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;

afterEach(async () => {
  await stage.close();
  await proxy.close();
});

/** About as long as a service takes to start and to merge. */
const latencyMs = 3_000;

async function open(mergeMethod: keyof typeof mergeCalls): Promise<void> {
  stage = await Stage.open({
    queue: { mergeMethod },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
}

const main = async () => (await stage.branch("main")).commit;

describe.each(["merge_commit", "squash"] as const)(
  "a service that dies while it merges with %s",
  (method) => {
    test.each([
      ["after GitHub has merged", "after"],
      ["before GitHub has merged, which it does later,", "before"],
    ] as const)("%s merges once, and says so", async (_when, side) => {
      await open(method);
      const pr = await stage.openPullRequest("one");
      const { sha: before } = await main();
      stage.sandbox.faults.next({ operation: mergeCalls[method], kind: "latency", side, latencyMs });
      await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
      await eventually(async () => stage.sandbox.faults.injected.at(-1) ?? null, "the call that merges");
      const called = Date.now();
      await carryOn(stage, proxy, dieNow(stage, proxy));
      const entry = await stage.until(pr, "merged");
      await stage.untilCommented(pr, /Merged/);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, called + latencyMs + 500 - Date.now())));
      await stage.sandbox.settled();
      const { sha, parents } = await main();
      expect([parents[0]?.sha, (await stage.pull(pr)).merged]).toEqual([before, true]);
      expect(entry).toMatchObject({ reason: "MERGED_IN_ORDER" });
      expect(await stage.look(pr)).toMatchObject({ state: "merged", reason: "MERGED_IN_ORDER" });
      expect(await stage.untilCommented(pr, new RegExp(sha.slice(0, 7)))).toMatch(/Merged/);
    });
  },
);
