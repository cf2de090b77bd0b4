import { describe, expect, test } from "@jest/globals";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import type { PullRequestFacts } from "../../src/engine/model/entry.ts";
import { everyPolicy, queueUnder, threeInLine } from "./every-policy.ts";
import { pullRequest, type QueueHarness } from "./queue-harness.ts";

describe.each(everyPolicy)("with the policy $name, a push to an entry that is not ready", (policy) => {
  const red = { mergeability: "not_mergeable", blockers: ["required check build failed"] } as const;
  const push = (queue: QueueHarness, facts: Partial<PullRequestFacts>, keepsSubmission: boolean) =>
    queue.take({ type: "pull_request_observed", pullRequest: pullRequest(1, facts), keepsSubmission });

  test("by somebody who may submit keeps the submission, and the new head is tested once it is ready", () => {
    const queue = queueUnder(policy);
    queue.submit(1, red);
    const [submitted] = [...queue.state.entries.values()];
    push(queue, { ...red, headSha: "head-1b" }, true);
    expect(queue.state.entries.get(1)).toMatchObject({
      ...submitted,
      headSha: "head-1b",
      targets: null,
      targetsSeq: null,
    });
    queue.take({ type: "targets_observed", pr: 1, headSha: "head-1b", targets: "ALL" });
    queue.observe(1, { headSha: "head-1b" });
    expect(queue.stateOf(1)).toBe("pending");
    expect(queue.run(1).members).toEqual([1]);
  });

  test("leaves the reason why it waits as it is while GitHub computes its mergeability again", () => {
    const queue = queueUnder(policy);
    queue.submit(1, red);
    const before = queue.state.entries.get(1);
    queue.observe(1, { mergeability: "in_progress", blockers: [] });
    expect(queue.state.entries.get(1)).toEqual(before);
    queue.observe(1, {});
    expect(queue.stateOf(1)).toBe("pending");
  });

  test("takes it out of the queue if it comes from anybody else", () => {
    const queue = queueUnder(policy);
    queue.submit(1, red);
    push(queue, { ...red, headSha: "head-1b" }, false);
    expect(queue.storyOf(1).at(-1)).toBe("not_ready→cancelled PUSHED_TO");
  });

  test("does not keep targets, which belong to the earlier head", () => {
    const queue = queueUnder(policy, { mode: "parallel" });
    queue.targets = () => TargetSet.of([1]);
    queue.submit(1, red);
    push(queue, { headSha: "head-1b" }, true);
    expect(queue.state.entries.get(1)).toMatchObject({ targets: null, state: "not_ready" });
    queue.take({ type: "targets_observed", pr: 1, headSha: "head-1b", targets: TargetSet.of([2]) });
    expect(queue.stateOf(1)).toBe("pending");
  });

  test("takes an entry in test out of the queue, no matter who pushed", () => {
    const queue = threeInLine(policy);
    push(queue, { headSha: "head-1b" }, true);
    expect(queue.reasonOf(1)).toBe("PUSHED_TO");
  });
});

describe.each(everyPolicy)("with the policy $name, a rebase by a listed bot", (policy) => {
  const rebase = (queue: QueueHarness, facts: Partial<PullRequestFacts>) =>
    queue.take({
      type: "pull_request_observed",
      pullRequest: pullRequest(1, { headSha: "head-1b", ...facts }),
      isRebase: true,
    });

  test("keeps the place of an entry in test, and tests the new head", () => {
    const queue = threeInLine(policy);
    const submittedAt = queue.state.entries.get(1)?.submittedAt ?? 0;
    queue.passesTime(1);
    rebase(queue, {});
    queue.take({ type: "targets_observed", pr: 1, headSha: "head-1b", targets: "ALL" });
    expect(queue.state.entries.get(1)).toMatchObject({ headSha: "head-1b", submittedAt });
    expect(["pending", "testing"]).toContain(queue.stateOf(1));
    expect(queue.storyOf(1)).toContain("testing→not_ready REBASED");
    expect(queue.storyOf(1)).toContain("not_ready→pending READY");
  });

  test("waits with its place until GitHub knows whether the new head can be merged", () => {
    const queue = threeInLine(policy);
    rebase(queue, { mergeability: "in_progress" });
    expect(queue.state.entries.get(1)).toMatchObject({ state: "not_ready", headSha: "head-1b" });
    queue.take({ type: "targets_observed", pr: 1, headSha: "head-1b", targets: "ALL" });
    queue.observe(1, { headSha: "head-1b" });
    expect(queue.storyOf(1)).toContain("not_ready→pending READY");
  });
});
