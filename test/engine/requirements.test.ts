import { describe, expect, test } from "@jest/globals";
import { explain } from "../../src/engine/explain/explain.ts";
import type { CheckFact } from "../../src/engine/model/checks/required-checks.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { serializeState } from "../../src/engine/snapshot.ts";
import {
  everyPolicy,
  mergeAll,
  mergeSteps,
  type PolicyUnderTest,
  queueUnder,
  restored,
} from "./every-policy.ts";
import { check, type QueueHarness } from "./queue-harness.ts";

const build = check("build", "success");
const passed = [build, check("test", "success", { id: 2 })];
const failed = [build, check("test", "failure", { id: 2 })];

/** #1 and more, each under test on top of those ahead. */
function testing(
  policy: PolicyUnderTest,
  prs: number[],
  settings: Partial<QueueSettings> = {},
): QueueHarness {
  const queue = queueUnder(policy, { concurrency: 4, testingTimeoutMinutes: 60, ...settings });
  for (const pr of prs) queue.submit(pr);
  queue.built(...prs);
  return queue;
}

/** Reports the same checks of every test that is running, from the front of the line, and merges what may merge. */
function report(queue: QueueHarness, checks: readonly CheckFact[], isQuiet = false): number[] {
  const merged: number[] = [];
  for (const { id: runId } of queue.state.runs.values()) {
    queue.take({ type: "checks_observed", runId, checks, isQuiet });
    merged.push(...mergeAll(queue));
  }
  return merged;
}

const merges = (queue: QueueHarness) =>
  queue.log.flatMap(({ data }) => (data.type === "entry_moved" && data.to === "merged" ? [data.pr] : []));

describe.each(everyPolicy)("with the policy $name, a check that becomes required", (policy) => {
  test("is demanded of a test that is running", () => {
    const queue = testing(policy, [1]);
    queue.requires("build", "test");
    queue.checks(1, [build]);
    expect(queue.state.merge).toBeNull();
    expect(queue.stateOf(1)).toBe("testing");
    queue.checks(1, passed);
    queue.merges();
    expect(queue.stateOf(1)).toBe("merged");
  });

  test("is demanded of tests that have passed, and calls off the merge, until it has passed on their commits", () => {
    const queue = testing(policy, [1, 2]);
    queue.checks(1, [build]);
    queue.checks(2, [build]);
    const commits = [queue.run(1), queue.run(2)].map(({ commits }) => commits);
    queue.requires("build", "test");
    expect(queue.state.merge).toBeNull();
    expect([queue.stateOf(1), queue.stateOf(2)]).toEqual(["testing", "testing"]);
    expect([queue.reasonOf(1), queue.reasonOf(2)]).toEqual(Array(2).fill("REQUIRED_CHECKS_CHANGED"));
    expect(serializeState(restored(queue))).toBe(serializeState(queue.state));
    expect([queue.run(1), queue.run(2)].map(({ commits }) => commits)).toEqual(commits);
    expect(report(queue, passed)).toEqual([1, 2]);
  });

  test("is named, with the time, as the reason and as what is waited for", () => {
    const queue = testing(policy, [1]);
    queue.checks(1, [build]);
    queue.now = Date.UTC(2026, 0, 5, 12, 3);
    queue.requires("test", "lint");
    const entry = queue.entryOf(1);
    expect(renderReason(entry.reason)).toBe(
      "since 12:03 UTC, test, lint must pass, and build need not pass any more",
    );
    const texts = explain(queue.state, entry, queue.now).map(({ text }) => text);
    expect(texts.join("; ")).toMatch(/waiting for test, lint\. Required since 12:03 UTC: test, lint/);
  });

  test("removes a pull request only if it fails on the test branch", () => {
    const queue = testing(policy, [1]);
    queue.checks(1, [build]);
    queue.requires("build", "test");
    queue.checks(1, failed);
    for (let times = 0; times < 3 && queue.state.entries.has(1); times++) {
      for (const run of [...queue.state.runs.values()]) if (run.state === "building") queue.runBuilt(run);
      for (const { id: runId } of queue.state.runs.values())
        queue.take({ type: "checks_observed", runId, checks: [check("build", "failure")] });
    }
    expect(queue.stateOf(1)).toBe("failed");
    expect(merges(queue)).toEqual([]);
  });

  test.each(["running", "passed"])(
    "has a %s pull request tested again in its place if CI does not start it there",
    (state) => {
      const queue = testing(policy, [1, 2]);
      if (state === "passed") for (const pr of [1, 2]) queue.checks(pr, [build]);
      queue.requires("build", "test");
      report(queue, [build], true);
      queue.passesTime(queue.state.settings.missingCheckMinutes);
      report(queue, [build], true);
      expect(queue.storyOf(1).filter((arrow) => arrow.includes("failed"))).toEqual([]);
      expect(queue.storyOf(1).join()).toMatch(/→pending (REQUIRED_CHECKS_CHANGED|RETESTED)/);
      for (let times = 0; times < 3 && queue.state.entries.size > 0; times++) {
        for (const run of [...queue.state.runs.values()])
          if (run.state === "building") {
            const outcome = queue.builtOf(run);
            const required = ["build", "test"].map((name) => ({ name, appId: null }));
            if (outcome.kind === "built") queue.buildOfRunEnds(run, { ...outcome, required });
          }
        report(queue, passed);
      }
      expect(merges(queue)).toEqual([1, 2]);
    },
  );

  test("has a pull request tested again if it does not end on the test branch in time", () => {
    const queue = testing(policy, [1]);
    queue.passesTime(50);
    queue.requires("build", "test");
    queue.checks(1, [build]);
    expect(queue.run(1).deadline).toBe(queue.now + 60 * 60_000);
    queue.passesTime(60);
    expect(queue.stateOf(1)).toBe("pending");
    expect(queue.reasonOf(1)).toBe("REQUIRED_CHECKS_CHANGED");
  });

  test("does not concern a merge that GitHub has been asked for, until that has failed", () => {
    const queue = testing(policy, [1]);
    queue.checks(1, [build]);
    queue.calls(1);
    queue.requires("build", "test");
    expect(mergeSteps(queue)).toEqual([1]);
    queue.callFailed();
    queue.requires("build", "test");
    expect(queue.state.merge).toBeNull();
    expect(queue.stateOf(1)).toBe("testing");
  });

  test.each([[[]], [["build", "test"]]])(
    "lets no merge without a test run happen on a head that has not passed it (%s accepted from heads)",
    (acceptFromHead) => {
      const queue = queueUnder(policy, { directMergeMode: "always", acceptFromHead });
      queue.submit(1);
      const required = [{ name: "build", appId: null }];
      const outcome = { kind: "passed", treeSha: "tree-1", required } as const;
      queue.take({ type: "head_examined", pr: 1, headSha: "head-1", base: "base-0", outcome });
      queue.requires("build");
      expect(mergeSteps(queue)).toEqual([1]);
      queue.requires("build", "test");
      expect(queue.state.merge).toBeNull();
      expect(queue.testing).toEqual([1]);
    },
  );

  test("is not waited for on a test branch once it has passed on the heads that count", () => {
    const queue = queueUnder(policy, { acceptFromHead: ["dco"] });
    queue.submit(1, { acceptedFromHead: ["dco"] });
    queue.built(1);
    queue.requires("build", "dco");
    queue.checks(1, [build]);
    expect(mergeSteps(queue)).toEqual([1]);
  });

  test("is demanded if it is accepted from heads, and has not passed on one that counts", () => {
    const queue = queueUnder(policy, { concurrency: 4, acceptFromHead: ["dco"] });
    queue.submit(1, { acceptedFromHead: ["dco"] });
    queue.submit(2);
    queue.built(1, 2);
    queue.requires("build", "dco");
    expect(report(queue, [build])).toEqual([1]);
    expect(queue.stateOf(2)).toBe("testing");
    queue.observe(2, { acceptedFromHead: ["dco"] });
    expect(report(queue, [build])).toEqual([2]);
  });

  test("is demanded beside the former ones if nothing is left that must pass on test branches", () => {
    const queue = queueUnder(policy, { acceptFromHead: ["dco"] });
    queue.submit(1);
    queue.built(1);
    queue.requires("dco");
    queue.checks(1, [build]);
    expect(queue.state.merge).toBeNull();
    const { length } = queue.log;
    queue.requires("dco");
    expect(queue.log).toHaveLength(length);
    queue.checks(1, [build, check("dco", "success", { id: 2 })]);
    expect(mergeSteps(queue)).toEqual([1]);
  });

  test("is demanded of the rest of a batch whose first pull request is being merged", () => {
    const queue = queueUnder(policy, { batch: true, batchingMinSize: 2, concurrency: 2 });
    queue.submit(1);
    queue.submit(2);
    const batch = [...queue.state.runs.values()].find(({ members }) => members.length === 2);
    if (!batch) return;
    queue.runBuilt(batch);
    queue.take({ type: "checks_observed", runId: batch.id, checks: [build] });
    if (mergeSteps(queue).length < 2) return;
    queue.calls(1);
    queue.requires("build", "test");
    expect(mergeSteps(queue)).toEqual([1]);
    queue.merges();
    // The look before the next call.
    queue.requires("build", "test");
    expect(queue.state.merge).toBeNull();
    expect([queue.stateOf(2), queue.reasonOf(2)]).toEqual(["pending", "REQUIRED_CHECKS_CHANGED"]);
  });
});

describe.each(everyPolicy)("with the policy $name, a check that is not required any more", (policy) => {
  test("frees a test that waits for it at once", () => {
    const queue = testing(policy, [1]);
    queue.requires("build", "lint");
    queue.checks(1, [build]);
    expect(queue.stateOf(1)).toBe("testing");
    queue.requires("build");
    expect(mergeSteps(queue)).toEqual([1]);
  });

  test("fails no test because it is missing", () => {
    const queue = testing(policy, [1]);
    queue.checks(1, []);
    queue.take({ type: "checks_observed", runId: queue.run(1).id, checks: [], isQuiet: true });
    queue.requires("test");
    queue.passesTime(queue.state.settings.missingCheckMinutes);
    queue.checks(1, [check("test", "success")]);
    expect(mergeSteps(queue)).toEqual([1]);
  });

  test("does not end a test in which nothing is left that must pass", () => {
    const queue = testing(policy, [1]);
    queue.requires();
    expect(queue.stateOf(1)).toBe("testing");
    expect(queue.state.merge).toBeNull();
  });
});

test.each(everyPolicy.filter(({ order }) => order === "line"))(
  "with the policy $name, a failure in a check that is not required any more does not count while it waits",
  (policy) => {
    const queue = testing(policy, [1, 2]);
    queue.checks(2, [check("build", "failure"), check("test", "success", { id: 2 })]);
    expect(queue.stateOf(2)).toBe("pending_failure");
    queue.requires("test");
    expect(queue.stateOf(2)).toBe("tests_passed");
    queue.checks(1, passed);
    expect(mergeAll(queue)).toEqual([1, 2]);
  },
);

test.each(everyPolicy)(
  "with the policy $name, the requirements of branch protection do not concern a queue with a list of its own",
  (policy) => {
    const queue = testing(policy, [1], { requiredStatuses: ["build"] });
    queue.requires("build", "test");
    queue.checks(1, [build]);
    expect(mergeSteps(queue)).toEqual([1]);
  },
);
