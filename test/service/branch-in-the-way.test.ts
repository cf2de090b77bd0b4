import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { type Api, startApi } from "../api/api-harness.ts";
import { openPull, tipOf } from "../sandbox/commit-on-branch.ts";
import { client, target } from "../sandbox/scene.ts";
import { eventually } from "../scenarios/eventually.ts";

let api: Api;
let alice: Octokit;

beforeEach(async () => {
  api = await startApi();
  alice = client(api.sandbox, api.sandbox.createUser({ login: "alice", permission: "write" }).token);
});
afterEach(() => api.close());

const queueOf = (branch: string) => ({ ...api.queue, targetBranch: branch });

const create = async (branch: string) =>
  alice.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha: await tipOf(alice, "main") });

async function createQueue(branch: string): Promise<void> {
  const queue = { ...queueOf(branch), requiredStatuses: ["build"], directMergeMode: "off" };
  expect(await api.post("createQueue", queue)).toMatchObject({ status: 200 });
}

async function ourBranches(): Promise<string[]> {
  const { data } = await alice.rest.git.listMatchingRefs({ ...target, ref: "heads/trainyard-" });
  return data.map(({ ref }) => ref.replace("refs/heads/", ""));
}

/** Opens and submits a pull request. */
async function submit(branch: string, base: string) {
  const { number } = await openPull(alice, branch, { [`${branch}.txt`]: "1" }, { base });
  const pr = { ...queueOf(base), pr: { number } };
  expect(await api.post("submitPullRequest", pr)).toMatchObject({ status: 200 });
  return {
    until: (state: string) =>
      eventually(async () => {
        const { body } = await api.post("getSubmittedPullRequest", pr);
        return body.state === state ? body : null;
      }, `#${number} to be ${state}`),
  };
}

test("queues of branches such as dev and dev/next do not hinder each other, and a deleted queue leaves no branch", async () => {
  // No sweep finds what is left behind.
  api.sandbox.faults.next({ operation: "git/list-matching-refs", kind: "500", count: 10_000 });
  await create("dev");
  await createQueue("dev");
  await api.service.start();
  await (await submit("one", "dev")).until("merged");
  expect(await ourBranches()).toContain("trainyard-scratch/dev");
  await alice.rest.git.deleteRef({ ...target, ref: "heads/dev" });
  await create("dev/next");
  await createQueue("dev/next");
  await (await submit("two", "dev/next")).until("merged");
  for (const branch of ["dev", "dev/next"])
    expect(await api.post("deleteQueue", queueOf(branch))).toMatchObject({ status: 200 });
  await eventually(async () => ((await ourBranches()).length === 0 ? true : null), "no branch to be left");
});

test.each([
  ["above the scratch branch", "trainyard-scratch"],
  ["below the scratch branch", "trainyard-scratch/main/mine"],
  ["above the test branches", "trainyard-merge"],
])(
  "a person's branch that is %s pauses the queue with that reason, and doctor finds it",
  async (_where, branch) => {
    await create(branch);
    await createQueue("main");
    const { body } = await api.post("examineQueue", api.queue);
    expect(body.findings).toContainEqual(
      expect.objectContaining({
        code: "OWN_BRANCH_OBSTRUCTED",
        severity: "error",
        evidence: expect.stringContaining(branch),
      }),
    );
    await api.service.start();
    const { until } = await submit("one", "main");
    const queue = await eventually(async () => {
      const { body } = await api.post("getQueue", api.queue);
      return body.state === "paused" ? body : null;
    }, "the queue to be paused");
    expect(queue.stateReason).toBe("BUILDING_NOT_ALLOWED");
    expect((await until("pending")).why).toContainEqual(
      expect.objectContaining({ text: expect.stringContaining(`${branch} is in the way of trainyard-`) }),
    );
    await alice.rest.git.deleteRef({ ...target, ref: `heads/${branch}` });
    expect(await api.post("updateQueue", { ...api.queue, state: "running" })).toMatchObject({ status: 200 });
    await until("merged");
  },
);
