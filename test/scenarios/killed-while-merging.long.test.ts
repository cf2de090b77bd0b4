import { afterEach, describe, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { carryOn, dieNow } from "./left-behind.ts";
import { mergeCalls, methodsAndVersions } from "./merge-calls.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;
let gate: Gate;

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy.close();
});

/** About as long as a service takes to start and to merge. */
const latencyMs = 3_000;

async function open(mergeMethod: keyof typeof mergeCalls, version: string): Promise<void> {
  gate = new Gate();
  stage = await Stage.open({
    needsFile: true,
    queue: { mergeMethod },
    environment: { TRAINYARD_GITHUB_API_VERSION: version },
    ci: { lastStep: gate.lastStep },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
}

const main = async () => (await stage.branch("main")).commit;

/** Tests a pull request, and waits until GitHub delays the call that merges it, before or after its effect. */
async function callToMerge(method: keyof typeof mergeCalls, side: "before" | "after") {
  const pr = await stage.openPullRequest("one");
  const { sha: before } = await main();
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  await stage.until(pr, "testing");
  stage.sandbox.faults.next({ operation: mergeCalls[method], kind: "latency", side, latencyMs });
  gate.open();
  await eventually(async () => stage.sandbox.faults.injected.at(-1) ?? null, "the call that merges");
  return { pr, before, called: Date.now() };
}

async function expectMergedInOrder(pr: number, before: string): Promise<void> {
  const entry = await stage.until(pr, "merged");
  await stage.sandbox.settled();
  const { sha, parents } = await main();
  expect([parents[0]?.sha, (await stage.pull(pr)).merged]).toEqual([before, true]);
  expect(entry).toMatchObject({ reason: "MERGED_IN_ORDER" });
  expect(await stage.look(pr)).toMatchObject({ state: "merged", reason: "MERGED_IN_ORDER" });
  expect(await stage.untilCommented(pr, new RegExp(sha.slice(0, 7)))).toMatch(/Merged/);
}

describe.each(methodsAndVersions)(
  "a service that dies while it merges with %s, by REST version %s,",
  (method, version) => {
    test.each([
      ["after GitHub has merged", "after"],
      ["before GitHub has merged, which it does later,", "before"],
    ] as const)("%s merges the pull request once, and comments on it", async (_when, side) => {
      await open(method, version);
      const { pr, before, called } = await callToMerge(method, side);
      await carryOn(stage, proxy, dieNow(stage, proxy));
      await stage.until(pr, "merged");
      await stage.untilCommented(pr, /Merged/);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, called + latencyMs + 500 - Date.now())));
      await expectMergedInOrder(pr, before);
    });

    test("before GitHub has merged, which it does between two readings of the next process, merges the pull request once, and comments on it", async () => {
      await open(method, version);
      const { pr, before } = await callToMerge(method, "before");
      const left = dieNow(stage, proxy);
      proxy.beforeEachQuery(/reviewThreads/, async () => {
        await eventually(async () => ((await stage.pull(pr)).merged ? true : null), "GitHub's merge");
      });
      await carryOn(stage, proxy, left);
      await expectMergedInOrder(pr, before);
    });
  },
);
