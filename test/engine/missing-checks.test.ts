import { describe, expect, test } from "@jest/globals";
import type { CheckFact } from "../../src/engine/model/checks/required-checks.ts";
import { silentChecks } from "../../src/engine/model/checks/run-checks.ts";
import type { TestCommitOutcome } from "../../src/engine/model/input.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { everyPolicy, linePolicies, type PolicyUnderTest, queueUnder, restored } from "./every-policy.ts";
import { check, type QueueHarness } from "./queue-harness.ts";

function testing(policy: PolicyUnderTest, settings: Partial<QueueSettings>, ...prs: number[]): QueueHarness {
  const queue = queueUnder(policy, settings);
  for (const pr of prs) queue.submit(pr);
  queue.built(prs[0] ?? 0);
  return queue;
}

/** The text of why pull request 1 was last delayed or moved. */
function reasonOf({ log }: QueueHarness): string {
  const moves = log.flatMap(({ data }) =>
    (data.type === "entry_delayed" || data.type === "entry_moved") && data.pr === 1 ? [data.reason] : [],
  );
  const last = moves.at(-1);
  return last ? renderReason(last) : "";
}

const reads = (queue: QueueHarness, checks: CheckFact[], isQuiet: boolean) =>
  queue.take({ type: "checks_observed", runId: queue.run(1).id, checks, isQuiet });

describe.each(everyPolicy)("with the policy $name, a required check that has not appeared", (policy) => {
  test("is not missing while CI is active on the test branch, however long that takes", () => {
    const queue = testing(policy, {}, 1);
    for (let minutes = 0; minutes < 100; minutes += 5) {
      reads(queue, [], false);
      queue.passesTime(5);
    }
    expect(queue.run(1).missing).toBeUndefined();
    expect(queue.stateOf(1)).toBe("testing");
  });

  test("gets its full waiting time again after CI was active in between", () => {
    const queue = testing(policy, {}, 1);
    for (let times = 0; times < 5; times++) {
      reads(queue, [], true);
      queue.passesTime(8);
      reads(queue, [], false);
      queue.passesTime(8);
    }
    expect(queue.stateOf(1)).toBe("testing");
    reads(queue, [check("build", "success")], false);
    expect(queue.run(1).missing).toBeUndefined();
  });

  test("is not missing until its checks are read again after the waiting time", () => {
    const queue = testing(policy, {}, 1);
    reads(queue, [], true);
    queue.passesTime(60);
    expect(queue.stateOf(1)).toBe("testing");
    reads(queue, [check("build", "success")], true);
    expect(queue.stateOf(1)).not.toBe("failed");
  });

  test("is remembered after its test fails, also in snapshots, until it reports", () => {
    const queue = testing(policy, {}, 1);
    queue.misses(1);
    expect(queue.stateOf(1)).toBe("failed");
    expect(silentChecks(queue.state)).toEqual(["build"]);
    expect(silentChecks(restored(queue))).toEqual(["build"]);
    queue.submit(2);
    queue.built(2);
    queue.checks(2, [check("build", null)]);
    expect(silentChecks(queue.state)).toEqual([]);
  });

  test("but has reported on earlier tests is retried twice when nothing reported at all", () => {
    const queue = testing(policy, {}, 2);
    queue.passes(2);
    queue.merges();
    queue.submit(1);
    queue.built(1);
    queue.misses(1);
    expect(queue.stateOf(1)).toBe("pending");
    const lost = "It is tested again at most 2 times in all, in case CI lost the push";
    expect(reasonOf(queue)).toBe(
      `will be tried again after an error (attempt 1): nothing reported on the test branch: build. ${lost}`,
    );
    queue.passesTime(1);
    queue.built(1);
    queue.misses(1, ["a.yml", "b.yml"]);
    const seen = "GitHub could not run a.yml, b.yml: correct the workflow files, which are probably invalid";
    expect(reasonOf(queue)).toBe(
      `will be tried again after an error (attempt 2): nothing reported on the test branch: build. ${seen}. ${lost}`,
    );
    queue.passesTime(1);
    queue.built(1);
    queue.misses(1, ["a.yml", "b.yml"]);
    expect(queue.stateOf(1)).toBe("failed");
    expect(reasonOf(queue)).toMatch(new RegExp(`^required check never reported .*: build; ${seen}$`));
  });
});

test.each(everyPolicy)(
  "with the policy $name, a pull request is not ready while a required check of its head has failed",
  (policy) => {
    const queue = testing(policy, { acceptFromHead: ["DCO"] }, 1, 2);
    queue.observe(1, { objections: [{ code: "HEAD_CHECKS_FAILED", names: ["DCO"] }], acceptedFromHead: [] });
    expect(queue.stateOf(1)).toBe("not_ready");
    queue.observe(1, { acceptedFromHead: ["DCO"] });
    expect(queue.state.entries.get(1)?.reason).toMatchObject({ code: "READY" });
  },
);

test.each(linePolicies)(
  "with the policy $name, a check in acceptFromHead is required on the test branch until every tested head has passed it",
  (policy) => {
    const queue = queueUnder(policy, { acceptFromHead: ["DCO"], batch: true, batchingMinSize: 2 });
    for (const pr of [1, 2]) queue.submit(pr, pr === 1 ? { acceptedFromHead: ["DCO"] } : {});
    const required = ["build", "DCO"].map((name) => ({ name, appId: null }));
    const run = queue.run(1);
    queue.buildOfRunEnds(run, { ...queue.builtOf(run), required } as TestCommitOutcome);
    reads(queue, [check("build", "success")], true);
    expect(queue.run(1).missing?.names).toEqual(["DCO"]);
    queue.observe(2, { acceptedFromHead: ["DCO"] });
    reads(queue, [check("build", "success")], true);
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["tests_passed", "tests_passed"]);
  },
);
