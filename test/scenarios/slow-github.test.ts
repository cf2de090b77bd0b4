import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import { ApiError } from "../../src/client/client.ts";
import { eventually } from "./eventually.ts";
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
    // Connections are reset if more arrive than the service has accepted. This answer shows that it has accepted the earlier ones.
    if (index % 50 === 0) await client.getQueue(queue);
  }
  // Those for which there is no room do not wait.
  await Promise.race(submitted);
  expect(await client.getQueue(queue)).toMatchObject({ state: "running" });
  expect(new Set(await Promise.all(submitted))).toEqual(new Set(["503 CODE_HOST_UNAVAILABLE, retry later"]));
  sandbox.faults.use(null);
  // A submission may wait for the answer to an earlier call.
  const installation = sandbox.deliveries.at(-1)?.installationId ?? 0;
  await eventually(async () => sandbox.limits.inFlight(installation) === 0 || null, "the slow calls to end");
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
  const took: number[] = [];
  for (let calls = 0; calls < 15; calls++) {
    const began = performance.now();
    await client.getQueue(queue);
    took.push(performance.now() - began);
  }
  // Each would wait for a second. A busy machine delays some of them.
  expect(took.toSorted((a, b) => a - b)[7]).toBeLessThan(900);
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
