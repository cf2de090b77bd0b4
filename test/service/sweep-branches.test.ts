import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { type Api, startApi } from "../api/api-harness.ts";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { client, target } from "../sandbox/scene.ts";
import { eventually } from "../scenarios/eventually.ts";

let api: Api;
let alice: Octokit;
let main: string;

beforeEach(async () => {
  api = await startApi({ ci: { durationMs: [600_000, 600_000] } });
  alice = client(api.sandbox, api.sandbox.createUser({ login: "alice", permission: "write" }).token);
  main = (await alice.rest.git.getRef({ ...target, ref: "heads/main" })).data.object.sha;
});
afterEach(() => api.close());

const create = (branch: string) =>
  alice.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha: main });

/** The branches below our prefixes, with their commits. */
async function branches(): Promise<Record<string, string>> {
  const { data } = await alice.rest.git.listMatchingRefs({ ...target, ref: "heads/trainyard-" });
  return Object.fromEntries(data.map(({ ref, object }) => [ref.replace("refs/heads/", ""), object.sha]));
}

/** Creates a test branch, and waits until it is removed. Returns its name. */
async function pastTestBranch(): Promise<string> {
  const { number } = await openPull(alice, "one", { "one.txt": "1" });
  await api.post("submitPullRequest", { ...api.queue, pr: { number } });
  const branch = await eventually(async () => {
    const { body } = await api.post("getMergeQueueTestingDetails", api.queue);
    const [run] = body.testRuns as { testBranch: string | null }[];
    return run?.testBranch ?? null;
  }, "a test branch");
  await api.post("cancelPullRequest", { ...api.queue, pr: { number } });
  await eventually(async () => (branch in (await branches()) ? null : true), `${branch} to be removed`);
  return branch;
}

const until = (condition: (found: Record<string, string>) => boolean, what: string) =>
  eventually(async () => (condition(await branches()) ? true : null), what);

test("the sweep removes branches that the queue's tests left behind, keeps users' branches below the prefixes, and logs these once", async () => {
  await api.post("createQueue", { ...api.queue, requiredStatuses: ["build"] });
  await api.service.start();
  const left = await pastTestBranch();
  await until((found) => Object.keys(found).length === 0, "nothing to be left");
  const [, pr = "", id = ""] = /^trainyard-merge\/(pr-\d+)\/(.+)$/.exec(left) ?? [];
  const persons = [
    "trainyard-merge/mine",
    `trainyard-merge/${pr}/${randomUUID()}`,
    `trainyard-merge/${pr}0/${id}`,
    `trainyard-merge/other/${id}`,
    `trainyard-merge/${pr}/${id}-2`,
    "trainyard-scratch/mine",
    "trainyard-scratch/main-2",
  ];
  for (const branch of persons) await create(branch);
  const ours = [left, "trainyard-scratch/main", "trainyard-scratch/main+merge"];
  for (const branch of ours) await create(branch);

  for (let round = 0; round < 3; round++) {
    api.elapse(31 * 60_000);
    await until((found) => ours.every((branch) => !(branch in found)), "ours to be removed");
  }
  expect(await branches()).toEqual(Object.fromEntries(persons.map((branch) => [branch, main])));
  const saidOf = (branch: string) =>
    api.logged.map((line) => JSON.parse(line)).filter((line) => line.branch === branch);
  await eventually(
    async () => persons.every((branch) => saidOf(branch).length > 0) || null,
    "all of them to be logged",
  );
  for (const branch of persons) {
    const said = saidOf(branch);
    expect(said).toMatchObject([{ level: 40, code: "BRANCH_NOT_OURS", repository: "acme/widgets" }]);
  }
});

test("a failed sweep is repeated at the next reconciliation", async () => {
  await api.post("createQueue", { ...api.queue, requiredStatuses: ["build"] });
  await api.service.start();
  const left = await pastTestBranch();
  await until((found) => Object.keys(found).length === 0, "nothing to be left");
  await create(left);
  const { faults } = api.sandbox;
  faults.next({ operation: "git/list-matching-refs", kind: "500" });
  api.elapse(31 * 60_000);
  await eventually(async () => (faults.injected.length > 0 ? true : null), "the sweep to fail");
  // The next sweep of its own would be half an hour later.
  let leftMs = 20 * 60_000;
  await until((found) => {
    const ms = Math.min(leftMs, 10_000);
    leftMs -= ms;
    api.elapse(ms);
    return !(left in found);
  }, "what was left to be removed");
});

test("a branch that a stale listing did not show is removed at the next reconciliation", async () => {
  await api.post("createQueue", { ...api.queue, requiredStatuses: ["build"] });
  await api.service.start();
  const left = await pastTestBranch();
  await until((found) => Object.keys(found).length === 0, "nothing to be left");
  await create(left);
  // The first listing does not show the branch, however long it takes until it is asked for.
  api.sandbox.faults.next({ operation: "git/list-matching-refs", kind: "stale", staleMs: 60_000 });
  const struck = async () => (api.sandbox.faults.count().stale === 1 ? true : null);
  api.elapse(31 * 60_000);
  await eventually(struck, "a stale listing");
  expect(Object.keys(await branches())).toEqual([left]);
  api.elapse(31 * 60_000);
  await until((found) => Object.keys(found).length === 0, "everything to be removed");
});
