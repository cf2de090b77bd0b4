import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { ApiError } from "../../src/client/client.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

// Closing the stage checks for violations: more than 100 calls at once.
afterEach(() => stage.close());

const slowMs = 25_000;

/** The status and the code with which a request is refused, and whether it says when to come again. */
const refusal = (error: unknown) => {
  if (!(error instanceof ApiError)) throw error;
  return `${error.status} ${error.code}${error.retryAfterMs === null ? "" : ", retry later"}`;
};

test("while GitHub is slow, submissions are refused in time, other requests are answered, and nothing is lost", async () => {
  stage = await Stage.open({ queue: {} });
  const pr = await stage.openPullRequest("good");
  const { client, queue, sandbox } = stage;
  sandbox.faults.use({ rate: 1, kinds: { latency: 1 }, latencyMs: [slowMs, slowMs] });
  const submitted: Promise<string>[] = [];
  for (let index = 0; index < 850; index++) {
    const number = index === 0 ? pr : 1_000 + index;
    submitted.push(client.submitPullRequest({ ...queue, pr: { number } }).then(() => "submitted", refusal));
    // A busy machine resets connections if more arrive at once than it accepts.
    if (index % 50 === 0) await sleep(20);
  }
  // Those for which there is no room do not wait.
  await Promise.race(submitted);
  expect(await client.getQueue(queue)).toMatchObject({ state: "running" });
  expect(new Set(await Promise.all(submitted))).toEqual(new Set(["503 CODE_HOST_UNAVAILABLE, retry later"]));
  sandbox.faults.use(null);
  await client.submitPullRequest({ ...queue, pr: { number: pr } });
  await stage.until(pr, "merged");
});

test("while GitHub is slow, only the first answer waits for the repository file that was changed", async () => {
  stage = await Stage.open({ queue: {} });
  const { client, queue, sandbox } = stage;
  await sandbox.settled();
  sandbox.faults.use({ rate: 1, kinds: { latency: 1 }, latencyMs: [20_000, 20_000] });
  await stage.pushToMain({ ".github/trainyard.yml": "forks: deny\n" });
  await client.getQueue(queue);
  const began = Date.now();
  for (let calls = 0; calls < 15; calls++) await client.getQueue(queue);
  // Each would wait for a second.
  expect(Date.now() - began).toBeLessThan(12_000);
  sandbox.faults.use(null);
});

test("many simultaneous submissions of pull requests that do not exist cause few requests about the repository", async () => {
  stage = await Stage.open({ queue: {} });
  const { client, queue, sandbox } = stage;
  await sandbox.settled();
  // The look at the start of the queue would answer for a second.
  await sleep(1_500);
  sandbox.faults.use({ rate: 1, kinds: { latency: 1 }, latencyMs: [200, 200] });
  const before = sandbox.requests.notModified;
  const absent = Array.from({ length: 60 }, (_, index) =>
    client.submitPullRequest({ ...queue, pr: { number: 1_000 + index } }).then(
      () => "submitted",
      (error: unknown) => refusal(error),
    ),
  );
  expect(new Set(await Promise.all(absent))).toEqual(new Set(["404 PR_NOT_FOUND"]));
  // Each look asks two or three questions, whose answers have not changed.
  expect(sandbox.requests.notModified - before).toBeLessThan(30);
});
