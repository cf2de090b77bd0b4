import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "./eventually.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { carryOn, dieNow } from "./left-behind.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let proxy: GitHubProxy;
/** The database of the service that is running now. */
let databaseUrl: string;

/** How long GitHub delays the call during which the service dies, and how long it takes to merge. */
const [latencyMs, asyncMerge] = [2_000, 1_000];

beforeAll(async () => {
  stage = await Stage.open({
    needsFile: true,
    queue: { mergeBy: "async_api" },
    sandbox: { delays: { asyncMerge } },
    environment: { TRAINYARD_GITHUB_API_VERSION: "2026-03-10" },
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
  databaseUrl = stage.databaseUrl;
});

afterAll(async () => {
  await stage.close();
  await proxy.close();
});

const [put, get] = ["pulls/merge-async", "pulls/get-merge-async-result"];
const asked = (operation: string) =>
  stage.sandbox.requests.entries.filter(({ operationId }) => operationId === operation).length;

test.each([
  ["before GitHub has the request", put, "before"],
  ["after GitHub has the request, before its answer", put, "after"],
  ["while it asks for the result", get, "before"],
  ["after GitHub has merged, before it has read the result", get, "after"],
] as const)(
  "a service that dies %s merges the pull request once, and comments on it",
  async (when, operation, side) => {
    const { sandbox } = stage;
    const before = (await stage.branch("main")).commit.sha;
    const pr = await stage.openPullRequest(when.replace(/\W+/g, "-"));
    const [calls, injected] = [asked(put), sandbox.faults.injected.length];
    sandbox.faults.next({ operation, kind: "latency", side, latencyMs });
    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
    await eventually(async () => sandbox.faults.injected[injected] ?? null, "the call during which it dies");
    if (operation === get && side === "after")
      await eventually(async () => ((await stage.pull(pr)).merged ? true : null), "GitHub's merge");
    databaseUrl = dieNow({ databaseUrl }, proxy);
    await carryOn(stage, proxy, databaseUrl);
    expect(await stage.until(pr, "merged")).toMatchObject({ reason: "MERGED_IN_ORDER" });
    await sandbox.settled();
    const { sha, parents } = (await stage.branch("main")).commit;
    expect([parents.map((parent) => parent.sha), (await stage.pull(pr)).merged]).toEqual([[before], true]);
    expect(await stage.untilCommented(pr, new RegExp(sha.slice(0, 7)))).toMatch(/Merged/);
    // Once the id of the request is stored, the service asks for its result and does not request the merge again.
    if (operation === get) expect(asked(put) - calls).toBe(1);
  },
);
