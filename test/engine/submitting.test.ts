import { describe, expect, test } from "@jest/globals";
import { everyPolicy, queueUnder, threeInLine } from "./every-policy.ts";
import { pullRequest } from "./queue-harness.ts";

describe.each(everyPolicy)("with the policy $name, a submission", (policy) => {
  test("of a new head through the API replaces the queued head", () => {
    const queue = threeInLine(policy);
    queue.via = "api";
    expect(queue.submit(2, { headSha: "head-2b" })).toBeNull();
    expect(queue.storyOf(2)).toContain("testing→cancelled PUSHED_TO");
    expect(queue.state.entries.get(2)?.headSha).toBe("head-2b");
  });

  test("by a comment is refused for a head that was pushed after the queued one", () => {
    const queue = threeInLine(policy);
    expect(queue.submit(2, { headSha: "pushed-2" })).toMatchObject({
      code: "HEAD_MISMATCH",
      expected: "head-2",
      actual: "pushed-2",
    });
    expect(queue.stateOf(2)).toBe("testing");
  });

  test("is refused for a pull request that is not open, and for a head that the submitter has not seen", () => {
    const queue = queueUnder(policy);
    expect(queue.submit(1, { state: "closed" })).toMatchObject({ code: "PR_NOT_OPEN" });
    const refusal = queue.take({
      type: "submit",
      entryId: "entry-1",
      pullRequest: pullRequest(1, { headSha: "bbbbbbbbbb" }),
      expectedHead: null,
      seenHead: "aaaaaaaaaa",
      priority: null,
      noBatch: null,
      targets: null,
      actor: { kind: "user", name: "alice" },
      via: "comment",
    });
    expect(refusal).toEqual({ code: "HEAD_MISMATCH", pr: 1, expected: "aaaaaaaaaa", actual: "bbbbbbbbbb" });
    expect(queue.state.entries.size).toBe(0);
  });

  test("is refused for a pull request that the queue has merged, even if a reading shows it open", () => {
    const queue = threeInLine(policy);
    for (const pr of [1, 2, 3]) queue.passes(pr);
    queue.merges();
    expect(queue.submit(1)).toEqual({ code: "PR_NOT_OPEN", pr: 1, state: "merged" });
    expect(queue.stateOf(1)).toBe("merged");
  });

  test.each(["comment", "label"] as const)("of a fork's pull request by a %s has to name its head", (via) => {
    const queue = queueUnder(policy);
    queue.via = via;
    expect(queue.submit(1, { fromFork: true })).toMatchObject({ code: "FORK_NEEDS_SHA" });
    queue.via = "api";
    expect(queue.submit(1, { fromFork: true })).toBeNull();
    queue.via = via;
    // A repeated submission can change the priority, for example.
    expect(queue.submit(1, { fromFork: true })).toBeNull();
  });

  test.each(["comment", "label"] as const)(
    "by a %s is refused for a head that is not proven to be older than the command",
    (via) => {
      const queue = threeInLine(policy);
      queue.via = via;
      queue.seenHead = () => null;
      expect(queue.submit(4)).toMatchObject({ code: "HEAD_NOT_PROVEN", pr: 4, head: "head-4" });
      // A head that is already queued needs no proof.
      expect(queue.submit(2)).toBeNull();
      expect(queue.submit(2, { headSha: "pushed-2" })).toMatchObject({ code: "HEAD_MISMATCH" });
      queue.via = "api";
      expect(queue.submit(4)).toBeNull();
    },
  );

  test("waits until its pull request is ready, and is cancelled when that takes a day", () => {
    const queue = queueUnder(policy);
    queue.submit(1, { mergeability: "in_progress" });
    queue.submit(2, { draft: true });
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["not_ready", "not_ready"]);
    queue.observe(1, { mergeability: "mergeable" });
    expect(queue.testing).toEqual([1]);
    queue.passesTime(24 * 60);
    expect(queue.reasonOf(2)).toBe("READINESS_TIMEOUT");
  });

  test("waits for readiness as long as notReadyTimeoutHours allows", () => {
    const queue = queueUnder(policy, { notReadyTimeoutHours: 48 });
    queue.submit(1, { draft: true });
    queue.passesTime(47 * 60);
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.passesTime(60);
    expect(queue.reasonOf(1)).toBe("READINESS_TIMEOUT");
  });
});
