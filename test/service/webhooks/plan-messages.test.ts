import { expect, test } from "@jest/globals";
import { noQueue } from "../../../src/engine/model/queue.ts";
import { planMessages } from "../../../src/service/runtime/plan-messages.ts";
import { QueueHarness } from "../../engine/queue-harness.ts";

const page = "https://queue.example/acme";

function messagesOf(queue: QueueHarness, queueUrl: string | null = page) {
  return planMessages(noQueue, queue.log, () => queueUrl).map(({ payload, ...message }) => ({
    ...message,
    payload: JSON.parse(payload) as Record<string, unknown>,
  }));
}

/** The messages of a stream: types and reasons, in order. */
function story(queue: QueueHarness, stream: string): string[] {
  return messagesOf(queue)
    .filter((message) => message.stream === stream)
    .map(({ type, payload }) => {
      const reason = Object.entries(payload).find(([key]) => key.endsWith("_reason"));
      return `${type} ${reason?.join("=")}`;
    });
}

test("webhooks report a pull request from its submission to its merge, with its test branch", () => {
  const queue = new QueueHarness();
  queue.submit(1);
  queue.built(1);
  queue.passes(1);
  queue.merges();
  expect(story(queue, "pr/queue/1")).toEqual([
    "pull_request.submitted submitted_reason=SUBMITTED_BY_USER",
    "pull_request.queued queued_reason=READY",
    "pull_request.testing testing_reason=TESTS_STARTED",
    "pull_request.merged merged_reason=MERGED_IN_ORDER",
  ]);
  const messages = messagesOf(queue);
  const last = messages.at(-1);
  const [branch] = [
    ...new Set(queue.log.flatMap(({ data }) => ("branch" in data ? [data.branch] : []))),
  ].slice(-1);
  expect(last?.payload).toEqual({
    type: "pull_request.merged",
    action: "merged",
    status: "merged",
    pr_number: 1,
    author: queue.entryOf(1).author,
    repository: { host: "github.com", owner: "acme", name: "widgets" },
    target_branch: "main",
    timestamp: new Date(last?.at ?? 0).toISOString(),
    http_details_url: page,
    test_branch: branch,
    test_branch_sha: "commit(base-0+1)",
    is_bisection: false,
    merged_reason: "MERGED_IN_ORDER",
    reason_text: "merged as landed-",
  });
  const [first] = messages;
  expect(first?.payload).toMatchObject({ test_branch: null, test_branch_sha: null });
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
});

test("webhooks report a failure with its reason, first as pending, and link to the pull request without a public address", () => {
  const queue = new QueueHarness({ concurrency: 2 });
  queue.submit(1);
  queue.submit(2);
  queue.built(1, 2);
  queue.fails(2);
  queue.passes(1);
  queue.merges();
  expect(story(queue, "pr/queue/2").slice(2)).toEqual([
    "pull_request.testing testing_reason=TESTS_STARTED",
    "pull_request.pending_failure failure_reason=CHECKS_FAILED",
    "pull_request.failed failure_reason=CHECKS_FAILED",
  ]);
  const failed = messagesOf(queue, null).find(({ type }) => type === "pull_request.failed");
  expect(failed?.payload).toMatchObject({
    http_details_url: queue.entryOf(2).url,
    reason_text: expect.stringContaining("build"),
    test_branch_sha: "commit(base-0+1+2)",
  });
});

test("webhooks report a cancelled pull request as canceled, and a restarted one as queued", () => {
  const queue = new QueueHarness();
  queue.submit(1);
  queue.built(1);
  queue.restart(1);
  queue.cancel(1);
  expect(story(queue, "pr/queue/1").slice(2)).toEqual([
    "pull_request.testing testing_reason=TESTS_STARTED",
    "pull_request.queued queued_reason=RESTARTED",
    "pull_request.canceled cancellation_reason=CANCELLED_BY_USER",
  ]);
});

test("webhooks report a batch and the parts of its bisection", () => {
  const queue = new QueueHarness({ batch: true, batchingMinSize: 2 });
  queue.submit(1);
  queue.submit(2);
  const batchId = queue.run(1).id;
  queue.built(1);
  queue.fails(1);
  expect(story(queue, `run/${batchId}`)).toEqual([
    "pull_request_batch.testing batch_reason=TESTS_STARTED",
    "pull_request_batch.failed batch_reason=CHECKS_FAILED",
    "pull_request_batch.bisecting batch_reason=CHECKS_FAILED",
  ]);
  const [part] = [...queue.state.runs.values()].filter(({ kind }) => kind === "bisection");
  if (!part) throw new Error("nothing is bisected");
  queue.runBuilt(part);
  queue.runEnds(part, "failure");
  expect(story(queue, `run/${part.id}`)).toEqual([
    "pull_request_batch.testing batch_reason=TESTS_STARTED",
    "pull_request_batch.failed batch_reason=CHECKS_FAILED",
  ]);
  const messages = messagesOf(queue);
  expect(messages.find(({ stream }) => stream === `run/${part.id}`)?.payload).toMatchObject({
    pr_numbers: [1],
    is_bisection: true,
    test_run_id: part.id,
  });
  expect(queue.stateOf(1)).toBe("failed");
  const culprit = messages.findLast(({ type }) => type === "pull_request.failed");
  expect(culprit?.payload).toMatchObject({ pr_number: 1, is_bisection: true });
});

test("webhooks report a batch with an obsolete test as canceled once", () => {
  const queue = new QueueHarness({ batch: true, batchingMinSize: 2 });
  queue.submit(1);
  queue.submit(2);
  const batchId = queue.run(1).id;
  queue.built(1);
  queue.cancel(1);
  expect(story(queue, `run/${batchId}`)).toEqual([
    "pull_request_batch.testing batch_reason=TESTS_STARTED",
    "pull_request_batch.canceled batch_reason=CANCELLED_BY_USER",
  ]);
});

test("webhooks do not report a pull request that is tested alone as a batch", () => {
  const queue = new QueueHarness();
  queue.submit(1);
  queue.built(1);
  queue.passes(1);
  expect(messagesOf(queue).filter(({ type }) => type.startsWith("pull_request_batch"))).toEqual([]);
});

/** How a stall of a queue ends, and what `queue.recovered` says. */
const ends: readonly [how: string, says: string, act: (queue: QueueHarness) => unknown][] = [
  [
    "the first has merged",
    "#1 has merged",
    (queue) => {
      queue.passes(1);
      queue.merges();
    },
  ],
  [
    "nothing waits",
    "no pull request is left that could merge",
    (queue) => [1, 2].map((pr) => queue.cancel(pr)),
  ],
  [
    "the queue is paused",
    "the queue is paused. The reason: set by @alice",
    (queue) => queue.configure({ status: "paused" }),
  ],
  [
    "merges are frozen",
    "the queue is frozen until Sun, 2 Aug 2026, 02:00 (Europe/Berlin). The reason: Release weekend. Until then, only urgent pull requests merge into main",
    (queue) => queue.freezes(Date.UTC(2026, 7, 2)),
  ],
];

test.each(ends)("webhooks report a stall, and that it is over because %s", (_how, says, act) => {
  const queue = new QueueHarness({ concurrency: 2 });
  for (const pr of [1, 2]) queue.submit(pr);
  queue.built(1, 2);
  queue.passesTime(60);
  act(queue);
  const told = messagesOf(queue).filter(({ stream }) => stream === "queue/queue");
  expect(told.map(({ type }) => type)).toEqual(["queue.stalled", "queue.recovered"]);
  expect(told[1]?.payload).toMatchObject({ pr_number: 1, stall_reason: null, reason_text: says });
});

test("webhooks report that a stall is over because the queue drains, or because a test commit was built", () => {
  const queue = new QueueHarness({ concurrency: 1 });
  const fails = (minutes: number) => {
    queue.buildEnds(1, { kind: "infrastructure_error", message: "Reference already exists" });
    queue.passesTime(minutes);
  };
  queue.submit(1);
  for (let attempt = 1; attempt <= 4; attempt++) fails(5);
  fails(0);
  queue.configure({ status: "draining" });
  queue.configure({ status: "running" });
  queue.passesTime(30);
  queue.built(1);
  const told = messagesOf(queue).filter(({ type }) => type === "queue.recovered");
  expect(told.map(({ payload }) => payload.reason_text)).toEqual([
    "the queue is draining. The reason: set by @alice",
    "a test commit was built after all",
  ]);
});
