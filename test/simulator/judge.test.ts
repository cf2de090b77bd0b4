import { describe, expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import type { CheckFact } from "../../src/engine/model/checks/required-checks.ts";
import type { CiRun } from "../../src/replay/engine-run/ci.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { Proofs } from "../../src/replay/engine-run/proofs.ts";
import type { Decide } from "../../src/replay/engine-run/queue-driver.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { Roster } from "../../src/replay/workload/roster.ts";
import { writtenWorkload } from "./build-workload.ts";

/** Six pull requests: #2 fails, #3 and #5 conflict, and #4 is cancelled while it is tested. */
const workload = writtenWorkload({
  pullRequests: [{}, { fails: true }, {}, {}, {}, {}],
  conflicts: [[3, 5]],
  cancellations: [[4, 6]],
});

const judged = (decideWith: Decide) =>
  runEngine(
    workload,
    queueSettings("single", { workers: 3, scope: "tree" }, { policy: "fixed" }),
    decideWith,
  );

const concluded = (checks: readonly CheckFact[], conclusion: string) =>
  checks.map((check) => ({ ...check, conclusion }));

/** Engines with a defect, and the violation that the judge must report. */
const defects: Readonly<Record<string, { readonly decide: Decide; readonly says: RegExp }>> = {
  "takes red for green": {
    says: /^I1: #2 merged, but no test that passed contains what it merged onto$/,
    decide: (state, input, context) =>
      decide(
        state,
        input.type === "checks_observed" ? { ...input, checks: concluded(input.checks, "success") } : input,
        context,
      ),
  },
  "takes green for red": {
    says: /^I13: #1 failed, but it is good, and no run that contained it flaked$/,
    decide: (state, input, context) =>
      decide(
        state,
        input.type === "checks_observed" ? { ...input, checks: concluded(input.checks, "failure") } : input,
        context,
      ),
  },
  "loses a cancel": {
    says: /^I5: #4 stayed in the queue after its cancel was accepted$/,
    decide: (state, input, context) =>
      input.type === "cancel"
        ? { state, events: [], refusal: null, touched: new Map() }
        : decide(state, input, context),
  },
  "loses the outcome of a merge": {
    says: /^I18: #1 never ended: it is tests_passed because of TESTS_PASSED$/,
    decide: (state, input, context) =>
      decide(state, input.type === "merge_concluded" ? { type: "clock" } : input, context),
  },
  "starts more tests than it may": {
    says: /^I10: \d+ main runs at once, but at most 3 may run$/,
    decide: (state, input, context) => {
      const { settings } = state;
      const decided = decide({ ...state, settings: { ...settings, concurrency: 9 } }, input, context);
      const honest = input.type === "create_queue" ? decided.state.settings : settings;
      return { ...decided, state: { ...decided.state, settings: honest } };
    },
  },
  "changes its state without an event": {
    says: /^I16: the state is not the fold of its log$/,
    decide: (state, input, context) => {
      const decided = decide(state, input, context);
      return { ...decided, state: { ...decided.state, statusSince: 7 } };
    },
  },
  "is not idempotent": {
    says: /^I17: \w+, seen a second time, led to queue_configured$/,
    decide: (state, input, context) => {
      const decided = decide(state, input, context);
      if (decided.events.length > 0 || input.type === "clock") return decided;
      const actor = { kind: "system", name: "defect" } as const;
      return decide(state, { type: "configure", changes: { concurrency: state.seq + 10 }, actor }, context);
    },
  },
};

describe("the judge", () => {
  test("reports no violation of the unchanged engine", () => {
    expect(judged(decide)).toMatchObject({ violations: [], broken: 0 });
  });

  test.each(Object.entries(defects))("notices an engine that %s", (_name, { decide: decideWith, says }) => {
    expect(judged(decideWith).violations).toContainEqual(expect.stringMatching(says));
  });

  test("counts the merges that leave the base red", () => {
    const blind = defects["takes red for green"]?.decide ?? decide;
    expect(judged(blind).broken).toBe(2);
  });
});

describe("a green run", () => {
  const targets = [["a"], ["a", "b"], ["b"], ["c"], ["a", "c"]];
  const roster = new Roster(writtenWorkload({ pullRequests: targets.map((own) => ({ targets: own })) }));
  const run = (tree: number[], baseSize: number): CiRun => ({
    id: "run",
    composition: { kind: "main", base: "", ahead: [], members: [1] },
    tree,
    members: tree.slice(-1),
    baseSize,
  });
  const proofs = (merged: number[], ...runs: CiRun[]) => {
    const made = new Proofs(roster);
    for (const index of merged) made.merge(index);
    for (const one of runs) made.pass(one, one.tree);
    return made;
  };

  test("proves a pull request that it contains once everything ahead of that one has merged", () => {
    const before = proofs([], run([0, 1, 2], 0));
    expect([0, 1, 2, 3].map((index) => before.allow(index, "single"))).toEqual([true, false, false, false]);
    const after = proofs([0], run([0, 1, 2], 0));
    expect([1, 2].map((index) => after.allow(index, "single"))).toEqual([true, false]);
  });

  test("proves nothing in single mode when another pull request has merged since", () => {
    expect(proofs([3], run([0], 0)).allow(0, "single")).toBe(false);
    expect(proofs([3], run([0], 1)).allow(0, "single")).toBe(true);
  });

  test("is affected in parallel mode only by pull requests that share a target", () => {
    expect(proofs([3], run([0], 0)).allow(0, "parallel")).toBe(true);
    expect(proofs([1], run([0], 0)).allow(0, "parallel")).toBe(false);
    expect(proofs([1], run([0], 1)).allow(0, "parallel")).toBe(true);
    expect(proofs([], run([3, 0], 0)).allow(0, "parallel")).toBe(true);
    expect(proofs([], run([1, 0], 0)).allow(0, "parallel")).toBe(false);
    expect(proofs([1], run([1, 0], 0)).allow(0, "parallel")).toBe(true);
  });
});
