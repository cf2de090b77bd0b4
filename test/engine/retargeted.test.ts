import { describe, expect, test } from "@jest/globals";
import { everyPolicy, queueUnder } from "./every-policy.ts";

describe.each(everyPolicy)(
  "with the policy $name, a pull request that was submitted with another base branch",
  (policy) => {
    function submitted() {
      const queue = queueUnder(policy);
      queue.submit(1, { baseBranch: "next" });
      expect(queue.state.entries.get(1)).toMatchObject({ state: "not_ready", baseBranch: "next" });
      return queue;
    }

    test("is tested once its base branch is the queue's", () => {
      const queue = submitted();
      queue.observe(1, {});
      expect(queue.stateOf(1)).toBe("pending");
      expect(queue.state.entries.get(1)?.baseBranch).toBe("main");
      queue.observe(1, {});
      expect(queue.stateOf(1)).toBe("pending");
    });

    test("leaves if its base branch is changed to a third one, or away again", () => {
      const queue = submitted();
      queue.observe(1, { baseBranch: "third" });
      expect(queue.reasonOf(1)).toBe("BASE_BRANCH_CHANGED");
      const again = submitted();
      again.observe(1, {});
      again.observe(1, { baseBranch: "next" });
      expect(again.reasonOf(1)).toBe("BASE_BRANCH_CHANGED");
    });
  },
);
