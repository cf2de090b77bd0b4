import { describe, expect, test } from "@jest/globals";
import type { CommitMessage } from "../../src/engine/model/test-run.ts";
import { everyPolicy, queueUnder } from "./every-policy.ts";
import type { QueueHarness } from "./queue-harness.ts";

const title: CommitMessage = { title: "Given" };

describe.each(everyPolicy)("with the policy $name, the commit message of a submission", (policy) => {
  const queueOf = () => queueUnder(policy, { concurrency: 2, mergeMethod: "squash" });

  const messageOf = (queue: QueueHarness, pr: number) => queue.state.entries.get(pr)?.message;

  test("can be changed in parts until a test run contains the pull request", () => {
    const queue = queueOf();
    queue.configure({ status: "paused" });
    expect(queue.submitSaying(1, title)).toBeNull();
    expect(queue.submitSaying(1, { body: "More" })).toBeNull();
    expect(queue.submit(1)).toBeNull();
    expect(messageOf(queue, 1)).toEqual({ title: "Given", body: "More" });
    queue.configure({ status: "running" });
    expect(queue.submitSaying(1, { title: "Other" })).toEqual({ code: "MESSAGE_ALREADY_TESTED", pr: 1 });
    expect(queue.submitSaying(1, title)).toBeNull();
    queue.built(1);
    expect(queue.submitSaying(1, { title: "Other" })).toEqual({ code: "MESSAGE_ALREADY_TESTED", pr: 1 });
    expect(messageOf(queue, 1)).toEqual({ title: "Given", body: "More" });
  });

  test("is kept by a restart, and dropped when the pull request leaves the queue", () => {
    const queue = queueOf();
    queue.submitSaying(1, title);
    queue.built(1);
    queue.restart(1);
    expect(messageOf(queue, 1)).toEqual(title);
    queue.cancel(1);
    queue.submit(1);
    expect(messageOf(queue, 1)).toBeUndefined();
  });

  test("is refused when the queue merges by rebase, but pull requests queued with one stay queued", () => {
    const queue = queueOf();
    queue.submitSaying(1, title);
    queue.configure({ mergeMethod: "rebase" });
    expect(queue.submitSaying(2, title)).toEqual({ code: "REBASE_KEEPS_MESSAGES", pr: 2 });
    expect(queue.submit(1, {}, 0)).toBeNull();
    expect(queue.state.entries.has(2)).toBe(false);
  });
});
