import { describe, expect, test } from "@jest/globals";
import { everyPolicy, queueUnder } from "./every-policy.ts";
import { pullRequest } from "./queue-harness.ts";

/** A pull request that was submitted as a draft, and is no draft any more. */
function ready(policy: (typeof everyPolicy)[number]) {
  const queue = queueUnder(policy);
  queue.submit(1, { draft: true, updatedAt: 1_000 });
  queue.observe(1, { updatedAt: 2_000 });
  expect(queue.stateOf(1)).toBe("pending");
  return queue;
}

/** The same one, when its merge has been ordered. */
function passed(policy: (typeof everyPolicy)[number]) {
  const queue = ready(policy);
  queue.built(1);
  queue.passes(1);
  expect(queue.state.merge).not.toBeNull();
  return queue;
}

describe.each(everyPolicy)(
  "with the policy $name, a reading from before the last recorded change",
  (policy) => {
    test.each([
      ["as a draft", { draft: true }],
      ["with an earlier head", { headSha: "head-1-earlier" }],
      ["closed", { state: "closed" }],
      ["on another base branch", { baseBranch: "next" }],
    ] as const)("does not take out a pull request that it shows %s", (_, facts) => {
      const queue = ready(policy);
      const before = queue.state;
      queue.observe(1, { ...facts, updatedAt: 1_500 });
      expect(queue.state).toBe(before);
    });

    test("does not take out a pull request that was closed for a moment, and submitted again", () => {
      const queue = queueUnder(policy);
      queue.submit(1, { updatedAt: 1_000 });
      queue.submit(1, { updatedAt: 2_000 });
      queue.observe(1, { state: "closed", updatedAt: 1_500 });
      expect(queue.stateOf(1)).toBe("pending");
    });

    test("stops a merge, which is ordered again, and does not take out the pull request", () => {
      const queue = passed(policy);
      const { id } = queue.state.merge ?? {};
      queue.submit(1, { updatedAt: 3_000 });
      queue.finds(1, { baseBranch: "next", updatedAt: 2_500 }, []);
      expect(queue.stateOf(1)).toBe("tests_passed");
      expect(queue.state.merge?.id).not.toBe(id);
      queue.merges();
      expect(queue.stateOf(1)).toBe("merged");
    });

    test("stops a merge and takes out its pull request when the code host has shown it for long", () => {
      const queue = passed(policy);
      queue.submit(1, { updatedAt: 3_000 });
      const changed = pullRequest(1, { baseBranch: "next", updatedAt: 2_500 });
      queue.mergeStops({ kind: "withdrawn", pullRequest: changed, isBelieved: true });
      expect(queue.reasonOf(1)).toBe("BASE_BRANCH_CHANGED");
    });

    test("counts when the code host has shown it for long", () => {
      const queue = ready(policy);
      queue.take({
        type: "pull_request_observed",
        pullRequest: pullRequest(1, { draft: true, updatedAt: 1_500 }),
        isBelieved: true,
      });
      expect(queue.reasonOf(1)).toBe("CONVERTED_TO_DRAFT");
    });

    test("cannot submit an earlier head again", () => {
      const queue = ready(policy);
      queue.seenHead = () => "head-1-earlier";
      expect(queue.submit(1, { headSha: "head-1-earlier", updatedAt: 1_500 })).toEqual({
        ...{ code: "HEAD_MISMATCH", pr: 1 },
        ...{ expected: "head-1-earlier", actual: pullRequest(1).headSha },
      });
      expect(queue.stateOf(1)).toBe("pending");
    });
  },
);

describe.each(everyPolicy)(
  "with the policy $name, a reading at the time of the last recorded change",
  (policy) => {
    test("counts", () => {
      const queue = ready(policy);
      queue.observe(1, { draft: true, updatedAt: 2_000 });
      expect(queue.reasonOf(1)).toBe("CONVERTED_TO_DRAFT");
    });
  },
);
