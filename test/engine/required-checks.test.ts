import { describe, expect, test } from "@jest/globals";
import { brokenByInfrastructure, evaluateChecks } from "../../src/engine/model/checks/required-checks.ts";
import { check } from "./queue-harness.ts";

const build = { name: "build", appId: null };

function verdictOf(...facts: Parameters<typeof evaluateChecks>[1]) {
  return evaluateChecks([build], facts).verdict;
}

describe("a required check", () => {
  test("passes with any of GitHub's passing conclusions", () => {
    for (const conclusion of ["success", "neutral", "skipped"])
      expect(verdictOf(check("build", conclusion))).toBe("passed");
    for (const conclusion of ["failure", "timed_out", "action_required", "cancelled"])
      expect(verdictOf(check("build", conclusion))).toBe("failed");
  });

  test("is missing until a check of its name reports", () => {
    expect(evaluateChecks([build], [check("lint", "success")])).toMatchObject({
      verdict: "pending",
      missing: ["build"],
      pending: [],
    });
    expect(evaluateChecks([build], [check("build", null)])).toMatchObject({
      verdict: "pending",
      missing: [],
      pending: ["build"],
    });
  });

  test("that is bound to an App is accepted only from that App", () => {
    const bound = [{ name: "build", appId: 7 }];
    expect(evaluateChecks(bound, [check("build", "success")]).missing).toEqual(["build"]);
    expect(evaluateChecks(bound, [check("build", "success", { appId: 7 })]).verdict).toBe("passed");
  });

  test("that was rerun has the result of its newest run in each suite", () => {
    const first = check("build", "failure", { id: 1 });
    expect(verdictOf(first, check("build", "success", { id: 2 }))).toBe("passed");
    expect(verdictOf(check("build", "success", { id: 2 }), first)).toBe("passed");
    expect(verdictOf(first, check("build", "success", { id: 2, suiteId: 2 }))).toBe("failed");
  });

  test("that is both a check run and a status has to pass as both", () => {
    const status = { kind: "status", appId: null, suiteId: null } as const;
    expect(verdictOf(check("build", "success"), check("build", "failure", status))).toBe("failed");
    expect(verdictOf(check("build", "success"), check("build", "success", status))).toBe("passed");
  });

  test("that completed without a conclusion fails with the conclusion unknown", () => {
    const { verdict, failed } = evaluateChecks([build], [check("build", null, { status: "completed" })]);
    expect([verdict, failed[0]?.conclusion]).toEqual(["failed", "unknown"]);
  });
});

test("a run counts as broken by infrastructure only when all its failed checks were cancelled or did not start", () => {
  const broken = (...conclusions: string[]) =>
    brokenByInfrastructure(
      evaluateChecks(
        conclusions.map((_, index) => ({ name: `check ${index}`, appId: null })),
        conclusions.map((conclusion, index) => check(`check ${index}`, conclusion)),
      ),
    );
  expect(broken("cancelled", "startup_failure")).toBe(
    "check 0 ended as cancelled, check 1 ended as startup failure",
  );
  expect(broken("cancelled", "failure")).toBeNull();
  expect(broken("success")).toBeNull();
});
