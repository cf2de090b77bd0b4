import { afterEach, describe, expect, test } from "@jest/globals";
import { ApiError } from "../../src/client/client.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";
import { variants } from "./variants.ts";

let stage: Stage;
let gate = new Gate();

// Closing the stage checks for violations: too much content, or a request during a rate limit.
afterEach(async () => {
  gate.open();
  await stage.close();
});

async function openPullRequests(count: number): Promise<number[]> {
  const prs: number[] = [];
  for (let index = 0; index < count; index += 1)
    prs.push(await stage.openPullRequest(`change-${index}`, undefined, { settle: false }));
  await stage.sandbox.settled();
  return prs;
}

const submit = (number: number) => stage.client.submitPullRequest({ ...stage.queue, pr: { number } });

/** The number of contents that the installation has created, which GitHub limits. */
const created = () =>
  stage.sandbox.requests.entries.filter(
    ({ actor, operationId }) =>
      actor === "installation" && /addComment|issues\/create|pulls\/merge$/.test(operationId ?? ""),
  ).length;

test("GitHub's limit on comments is respected, and delays neither merges nor checks", async () => {
  stage = await Stage.open({
    queue: { concurrency: 10, mergeMethod: "merge_commit" },
    // One comment each half minute, so that some are missing when all have merged, also on a busy machine.
    sandbox: { contentLimits: { perMinute: 3, perHour: 500 } },
    environment: { TRAINYARD_CONTENT_PER_MINUTE: "3" },
  });
  const prs = await openPullRequests(10);
  await Promise.all(prs.map(submit));
  for (const pr of prs) {
    await stage.until(pr, "merged");
    await stage.untilChecked((await stage.pull(pr)).head.sha, "success");
  }
  const commented = async () => {
    const comments = await Promise.all(prs.map((pr) => stage.ourComments(pr)));
    return comments.filter(([text]) => text !== undefined && /\*\*Merged\*\*/.test(text)).length;
  };
  const first = await commented();
  expect(first).toBeLessThan(prs.length);
  // The comments that had to wait are written once the limit allows it.
  await eventually(async () => ((await commented()) > first ? true : null), "another comment");
});

test("comments that have to wait delay neither tests and merges nor the shutdown of the service", async () => {
  stage = await Stage.open({
    queue: { concurrency: 1, mergeMethod: "merge_commit" },
    // After the first two, one each half minute.
    sandbox: { contentLimits: { perMinute: 3, perHour: 500 } },
    environment: { TRAINYARD_CONTENT_PER_MINUTE: "3" },
  });
  const prs = await openPullRequests(20);
  await Promise.all(prs.map(submit));
  await stage.until(prs[1] ?? 0, "merged");
  // All of them need nine minutes.
  expect(created()).toBeLessThan(12);
  await stage.stopService();
  expect(created()).toBeLessThan(12);
});

test("a merge by the API counts as content, and comes before comments", async () => {
  stage = await Stage.open({
    queue: { mergeMethod: "squash" },
    sandbox: { contentLimits: { perMinute: 40, perHour: 500 } },
    environment: { TRAINYARD_CONTENT_PER_MINUTE: "40" },
  });
  const prs = await openPullRequests(5);
  await Promise.all(prs.map(submit));
  for (const pr of prs) await stage.until(pr, "merged");
  expect(created()).toBeGreaterThanOrEqual(5);
});

describe("while GitHub limits the calls of an installation,", () => {
  test.each(variants(["403", "429", "primary"]))(
    "nothing is sent, and everything continues afterwards (%s)",
    async (variant) => {
      // Paused, because a submission during the limit would be refused.
      stage = await Stage.open({ queue: { concurrency: 3, state: "paused" } });
      const prs = await openPullRequests(3);
      await Promise.all(prs.map(submit));
      stage.sandbox.faults.next({
        operation: "repos/merge",
        kind: "rate_limited",
        variant,
        retryAfterSeconds: 3,
      });
      await stage.client.updateQueue({ ...stage.queue, state: "running" });
      for (const pr of prs) await stage.until(pr, "merged");
      expect(stage.sandbox.faults.injected).toHaveLength(1);
    },
  );

  test("a limit of GraphQL does not lead to one REST call per pull request", async () => {
    gate = new Gate();
    // Its own merge would read the first one.
    stage = await Stage.open({ queue: {}, ci: { lastStep: gate.lastStep } });
    const prs = await openPullRequests(8);
    await submit(prs[0] ?? 0);
    await stage.until(prs[0] ?? 0, "testing");
    const own = new RegExp(`/pulls/${prs[0]}$`);
    const reads = () =>
      stage.sandbox.requests.entries.filter(
        ({ operationId, path }) => operationId === "pulls/get" && !own.test(path),
      ).length;
    const before = reads();
    const limit = { kind: "rate_limited", variant: "primary", retryAfterSeconds: 3 } as const;
    stage.sandbox.faults.next({ operation: "graphql/repository", ...limit });
    const answers = await Promise.allSettled(prs.slice(1).map(submit));
    expect(reads()).toBe(before);
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    expect(refused.length).toBeGreaterThan(0);
    for (const error of refused) expect(error).toBeInstanceOf(ApiError);
  });

  test("a restarted service still waits", async () => {
    stage = await Stage.open({ queue: {} });
    const [pr = 0] = await openPullRequests(1);
    stage.sandbox.faults.next({
      operation: "repos/merge",
      kind: "rate_limited",
      variant: "403",
      retryAfterSeconds: 5,
    });
    await submit(pr);
    await eventually(async () => stage.sandbox.faults.injected[0] ?? null, "a limit");
    await stage.stopService();
    await stage.startService();
    await stage.until(pr, "merged");
  });
});
