import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import type { Store } from "../../../src/store/sqlite/open-store.ts";
import { type Api, startApi } from "../../api/api-harness.ts";
import { openPull } from "../../sandbox/commit-on-branch.ts";
import { client } from "../../sandbox/scene.ts";

type Slow = "put" | "get";

/** Holds back the database's responses about targets until they are released. */
class SlowTargets {
  #held: { promise: Promise<void>; resolve: () => void } | null = null;
  #slow: Slow | null = null;
  #reached: () => void = () => {};

  /** Holds back the next response of this kind. Resolves when there is one. */
  holdNext(slow: Slow): Promise<void> {
    this.#slow = slow;
    this.#held = Promise.withResolvers<void>();
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  letGo(): void {
    this.#held?.resolve();
  }

  between(store: Store): Store {
    const held = async <T>(kind: Slow, answer: T): Promise<T> => {
      if (this.#slow === kind) {
        this.#slow = null;
        this.#reached();
        await this.#held?.promise;
      }
      return answer;
    };
    const { targets } = store;
    const [put, get] = [targets.put.bind(targets), targets.get.bind(targets)];
    targets.put = async (upload, named) => held("put", await put(upload, named));
    targets.get = async (repo, pr, headSha) => held("get", await get(repo, pr, headSha));
    return store;
  }
}

let slow: SlowTargets;
let api: Api;
let alice: Octokit;
let pull: { number: number; sha: string };

beforeEach(async () => {
  slow = new SlowTargets();
  // On a busy machine, short tests would end before the last request.
  api = await startApi({ ci: { durationMs: [600_000, 600_000] }, through: (store) => slow.between(store) });
  alice = client(api.sandbox, api.sandbox.createUser({ login: "alice", permission: "write" }).token);
  await api.post("createQueue", { ...api.queue, mode: "parallel", policy: "fixed", concurrency: 9 });
  pull = await openPull(alice, "one", { "one.txt": "1" });
});
afterEach(() => api.close());

function upload({ number, sha }: typeof pull, impactedTargets: "ALL" | string[]) {
  return api.post("setImpactedTargets", { ...api.queue, pr: { number, sha }, impactedTargets });
}

const submit = ({ number }: typeof pull) => api.post("submitPullRequest", { ...api.queue, pr: { number } });

test("of two concurrent uploads, the queue uses the one that was stored last, regardless of which finishes first", async () => {
  const other = await openPull(alice, "two", { "two.txt": "1" });
  await upload(other, ["//a"]);
  await submit(other);
  await submit(pull);
  const reached = slow.holdNext("put");
  const early = upload(pull, []);
  await reached;
  await upload(pull, "ALL");
  slow.letGo();
  await early;
  const { body } = await api.post("getMergeQueueTestingDetails", api.queue);
  const runs = body.testRuns as { testedPullRequests: { prNumber: number }[]; dependentPrs: number[] }[];
  const run = runs.find(({ testedPullRequests }) => testedPullRequests[0]?.prNumber === pull.number);
  expect(run?.dependentPrs).toEqual([other.number]);
});

test("an upload during the submission of its pull request is not lost", async () => {
  const reached = slow.holdNext("get");
  const submitting = submit(pull);
  await reached;
  await upload(pull, ["//a"]);
  slow.letGo();
  expect(await submitting).toMatchObject({ body: { readiness: { hasImpactedTargets: true } } });
});
