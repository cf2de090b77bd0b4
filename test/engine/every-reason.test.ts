import { describe, expect, test } from "@jest/globals";
import type { Channel } from "../../src/engine/model/actor.ts";
import { arrows } from "../../src/engine/model/transition.ts";
import type { Obstacle, Reason, ReasonCode } from "../../src/engine/reasons/reason.ts";
import { reasonGuides } from "../../src/engine/reasons/reason-guide.ts";
import { renderReason } from "../../src/engine/reasons/render-reason.ts";
import { check, QueueHarness } from "./queue-harness.ts";
import { lane } from "./transitions/adaptive-queue.ts";

/** Every code that has a text. */
const codes = Object.keys(reasonGuides) as ReasonCode[];

/** The reasons of arrows. The scenarios of the arrows reach them. */
const onArrows = new Set(arrows().map(({ reason }) => reason));

function submittedBy(via: Channel): QueueHarness {
  const queue = new QueueHarness();
  queue.via = via;
  queue.submit(1);
  return queue;
}

/** A queue in which only a known flake has failed. */
function retried(): QueueHarness {
  const queue = new QueueHarness({ flakyRetries: 1 });
  queue.submit(1);
  queue.built(1);
  const tests = { forgiven: [], flaky: [{ name: "build", tests: ["pays by card"] }] };
  queue.take({
    type: "checks_observed",
    runId: queue.run(1).id,
    checks: [check("build", "failure")],
    tests,
  });
  return queue;
}

function stoppedBy(obstacle: Obstacle): QueueHarness {
  const queue = new QueueHarness();
  queue.take({ type: "reach_observed", obstacle });
  return queue;
}

function obstacles(): Partial<Record<ReasonCode, () => QueueHarness>> {
  const [owner, url, repository, branch] = ["acme", "https://github.com/x", "acme/widgets", "main"];
  const all: Obstacle[] = [
    { code: "APP_SUSPENDED", owner, url },
    { code: "APP_UNINSTALLED", owner },
    { code: "APP_PERMISSIONS_NOT_GRANTED", owner, url, permissions: ["contents: write"] },
    { code: "REPOSITORY_UNREACHABLE", repository },
    { code: "REPOSITORY_ARCHIVED", repository },
    { code: "BRANCH_MISSING", branch },
    { code: "OLDER_INSTANCE", instance: "a1-other", pr: 1 },
  ];
  return Object.fromEntries(all.map((obstacle) => [obstacle.code, () => stoppedBy(obstacle)]));
}

/** Queues that reach the reasons that no arrow has. */
const others: Partial<Record<ReasonCode, () => QueueHarness>> = {
  SUBMITTED_BY_USER: () => submittedBy("comment"),
  SUBMITTED_BY_LABEL: () => submittedBy("label"),
  SUBMITTED_BY_AUTO_MERGE: () => submittedBy("auto_merge"),
  SUBMITTED_BY_CHECK: () => submittedBy("check"),
  SUBMITTED_BY_API: () => submittedBy("api"),
  SUBMITTED_BY_ACTION: () => submittedBy("action"),
  CONFLICT_WITH_AHEAD: () => {
    const queue = new QueueHarness({ concurrency: 2 });
    queue.submit(1);
    queue.submit(2);
    queue.buildEnds(2, { kind: "conflict", pr: 2 });
    return queue;
  },
  MERGING_NOT_ALLOWED: () => {
    const queue = new QueueHarness();
    for (const pr of [1, 2]) {
      queue.submit(pr);
      queue.built(pr);
      queue.passes(pr);
      queue.mergeStops({ kind: "refused", message: "rules" });
    }
    return queue;
  },
  BUILDING_NOT_ALLOWED: () => {
    const queue = new QueueHarness();
    queue.submit(1);
    queue.buildEnds(1, { kind: "refused", pr: null, message: "rules", cause: "CREATION_RESTRICTED" });
    return queue;
  },
  SLOT_NEEDED: () => {
    const queue = lane({ concurrency: 2 }, 1, 2);
    queue.built(1, 2);
    queue.passes(1);
    queue.fails(2);
    for (const pr of [3, 4]) queue.submit(pr);
    return queue;
  },
  VERDICT_KNOWN: () => {
    const queue = lane({ concurrency: 2, canOptimisticallyMerge: true }, 1, 2);
    queue.built(2);
    queue.passes(2);
    return queue;
  },
  FLAKY_TESTS_RETRIED: () => retried(),
  NEW_TESTS_RETRIED: () => {
    const queue = lane({}, 1);
    queue.built(1);
    queue.take({
      type: "checks_observed",
      runId: queue.run(1).id,
      checks: [check("build", "failure")],
      tests: { forgiven: [], flaky: [], withNewTests: [{ name: "build", tests: ["pays by card"] }] },
    });
    return queue;
  },
  RETRY_REFUSED: () => {
    const queue = retried();
    queue.take({ type: "retry_refused", runId: queue.run(1).id, attempt: 1, message: "no permission" });
    return queue;
  },
  ...obstacles(),
  OBSTACLE_GONE: () => {
    const queue = stoppedBy({ code: "REPOSITORY_ARCHIVED", repository: "acme/widgets" });
    queue.take({ type: "reach_observed", obstacle: null });
    return queue;
  },
  CONFIGURED: () => {
    const queue = new QueueHarness();
    queue.configure({ status: "paused" });
    return queue;
  },
};

describe("the engine", () => {
  test.each(codes.filter((code) => !onArrows.has(code)))("gives the reason %s", (code) => {
    const given = others[code]?.().log.flatMap(({ data }) => ("reason" in data ? [data.reason.code] : []));
    expect(given).toContain(code);
  });

  test("has a text for every reason of an arrow", () => {
    expect(codes.length).toBeGreaterThan(40);
    expect([...onArrows].filter((code) => !codes.includes(code))).toEqual([]);
  });
});

describe("the text of the reason", () => {
  /** All facts that a reason can have. */
  const facts = {
    by: "alice",
    count: 2,
    pr: 12,
    prs: [12, 13],
    open: [12],
    closed: [13],
    elsewhere: [14],
    absent: [15],
    cycle: [11, 12],
    hours: 24,
    state: "LOCKED",
    minutes: 60,
    message: "bad gateway",
    attempt: 2,
    times: 3,
    cause: "UPDATES_RESTRICTED",
    sha: "0123456789",
    branch: "next",
    names: ["DCO"],
    missing: ["lint"],
    pending: ["build"],
    tests: ["pays by card", "ships by sea"],
    failure: { code: "CHECKS_FAILED", checks: [{ name: "build", conclusion: "failure", url: null }] },
    checks: [{ name: "build", conclusion: "failure", url: null }],
    added: ["test"],
    removed: ["lint"],
    at: 0,
    owner: "acme",
    repository: "acme/widgets",
    url: "https://github.com/x",
    permissions: ["contents: write"],
    was: "BRANCH_MISSING",
    why: "conflict",
    stack: 7,
    position: 2,
    size: 3,
    proof: "exact",
    expectedTree: "aaaaaaaaaa",
    actualTree: "bbbbbbbbbb",
  };

  test.each(codes)("%s is a sentence without a full stop", (code) => {
    const by = code === "CHANGES_REQUESTED" ? ["alice", "bob"] : facts.by;
    const text = renderReason({ code, ...facts, by } as unknown as Reason);
    expect(text).toMatch(/^[a-zA-Z#\d][^\n]*[^.\n]$/);
    expect(text).not.toMatch(/undefined|\[object/);
  });
});
