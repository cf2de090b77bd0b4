import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { FaultRequest } from "../../tools/sandbox/faults/faults.ts";
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

beforeEach(() => {
  clock = new MovedClock();
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
  await proxy.close();
});

const refusals = {
  "405 Base branch was modified": { kind: "base_modified" },
  "409 in progress": { kind: "conflict", variant: "in_progress" },
  "409 without a cause": { kind: "conflict", variant: "bare" },
  "423 Locked": { kind: "locked" },
} as const satisfies Record<string, FaultRequest>;

/** The operations that merge with each method, in the order in which they are tried. */
const ways = {
  merge_commit: ["graphql/updateRefs", "git/update-ref"],
  squash: ["pulls/merge"],
} as const;

async function open(mergeMethod: keyof typeof ways, prs = 1): Promise<number[]> {
  stage = await Stage.open({
    needsFile: true,
    queue: { mergeMethod },
    ci: { lastStep: gate.lastStep },
    clock,
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
  const numbers: number[] = [];
  for (let pr = 1; pr <= prs; pr++) numbers.push(await stage.openPullRequest(`pr-${pr}`));
  for (const number of numbers) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  for (const number of numbers) await stage.until(number, "testing");
  return numbers;
}

const mergeCalls = () =>
  stage.sandbox.requests.entries.filter(
    ({ operationId, status }) => operationId === "pulls/merge" && status === 200,
  ).length;

/** Lets the service die while it waits. The next process continues as if it had tried for minutes. */
async function dieAfterMinutes(): Promise<void> {
  const left = dieNow(stage, proxy);
  const database = new DatabaseSync(left.replace(/^sqlite:/, ""));
  database.exec('update outbox set attempts = 9 where content like \'%"type":"merge"%\'');
  database.close();
  clock.pass(10 * 60_000);
  await carryOn(stage, proxy, left);
}

describe.each(variants(["squash", "merge_commit"]))("with %s", (method) => {
  const possible = Object.keys(refusals).filter(
    (name) => method === "squash" || refusals[name as keyof typeof refusals].kind !== "base_modified",
  ) as (keyof typeof refusals)[];

  test.each(possible)(
    "a merge that is answered %s for a while is made later, even by the next process",
    async (name) => {
      const [pr = 0] = await open(method);
      const refused = ways[method].map((operation) =>
        stage.sandbox.faults.next({ operation, ...refusals[name], count: Number.POSITIVE_INFINITY }),
      );
      gate.open();
      await eventually(async () => stage.sandbox.faults.injected[0] ?? null, "the merge to be refused");
      await dieAfterMinutes();
      await eventually(async () => {
        const why = (await stage.look(pr))?.why ?? [];
        return why.find(({ code }) => code === "GITHUB_BUSY") ?? null;
      }, "the reason to wait");
      for (const end of refused) end();
      expect(await clock.passDuring(stage.until(pr, "merged"))).toMatchObject({ reason: "MERGED_IN_ORDER" });
      await stage.untilCommented(pr, /\*\*Merged\*\*/);
      // A fast-forward merge is never replaced by a merge through the API.
      expect(mergeCalls()).toBe(method === "squash" ? 1 : 0);
    },
  );
});

test("a pull request whose merge waits for GitHub is tested again when the base moves in the meantime", async () => {
  const [pr = 0] = await open("squash");
  const end = stage.sandbox.faults.next({
    operation: "pulls/merge",
    kind: "base_modified",
    count: Number.POSITIVE_INFINITY,
  });
  gate.open();
  await eventually(async () => stage.sandbox.faults.injected[0] ?? null, "the merge to be refused");
  await stage.pushToMain({ "straight.txt": "1\n" });
  const { sha } = (await stage.branch("main")).commit;
  // GitHub would accept an attempt that began before the push, because it compares no base in this kind of merge.
  await eventually(async () => (await parentsOfTests(pr)).includes(sha) || null, "tests on the new base");
  end();
  expect(await clock.passDuring(stage.until(pr, "merged"))).toMatchObject({ reason: "MERGED_IN_ORDER" });
  expect((await stage.branch("main")).commit.parents[0]?.sha).toBe(sha);
});

test("a head that GitHub wrongly calls modified is merged a moment later", async () => {
  const [pr = 0] = await open("squash");
  stage.sandbox.faults.next({
    operation: "pulls/merge",
    kind: "conflict",
    variant: "head_modified",
    count: 2,
  });
  gate.open();
  expect(await clock.passDuring(stage.until(pr, "merged"))).toMatchObject({ reason: "MERGED_IN_ORDER" });
});

/** The parents of the commits on which a pull request is being tested. */
async function parentsOfTests(pr: number): Promise<readonly string[]> {
  const { git } = stage.octokit("alice").rest;
  const at = { owner: stage.queue.repo.owner, repo: stage.queue.repo.name };
  const refs = await git.listMatchingRefs({ ...at, ref: `heads/trainyard-merge/pr-${pr}/` });
  const commits = refs.data.map(({ object }) => git.getCommit({ ...at, commit_sha: object.sha }));
  return (await Promise.all(commits)).flatMap(({ data }) => data.parents.map((parent) => parent.sha));
}
