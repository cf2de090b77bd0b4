import { expect, test } from "@jest/globals";
import { operations } from "./documented.ts";
import { type FuzzReport, faultOf, fuzz } from "./fuzz/fuzz.ts";

/** The seed of other property tests, too. */
const { FAST_CHECK_SEED = "20261121" } = process.env;
const seed = FAST_CHECK_SEED === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(FAST_CHECK_SEED);

let report: FuzzReport;

test("4,000 generated requests get no response that is a failure or not documented", async () => {
  report = await fuzz({ requests: 4_000, seed, slowMs: 20_000 });
  expect({ seed, faults: report.faults }).toEqual({ seed, faults: [] });
});

test("the generated requests succeed on all reachable endpoints", () => {
  const reached = [...report.answered.keys()];
  // Three endpoints cannot succeed: the queue is paused, so no test run can be restarted; no webhook was sent
  // that could be resent; and no test was reported.
  const outOfReach = ["restartTestsOnPullRequest", "resendWebhookDelivery", "getTestDetails"];
  for (const { operationId } of operations)
    expect(reached).toContain(`${operationId} ${outOfReach.includes(operationId) ? 404 : 200}`);
  for (const status of [400, 401, 403, 404, 409, 415])
    expect(reached.some((one) => one.endsWith(` ${status}`))).toBe(true);
});

test("the fuzzer reports a response that is a failure, slow, not JSON, or not as documented", () => {
  const operation = operations.find(({ operationId }) => operationId === "deleteQueue");
  if (!operation) throw new Error("deleteQueue is not documented");
  const request = { operation, query: "", headers: {}, body: null };
  const right = { status: 200, type: "application/json; charset=utf-8", text: '{"deleted":true}', ms: 5 };
  const faultWith = (wrong: Partial<typeof right>) => faultOf(request, { ...right, ...wrong }, 2_000);
  expect(faultWith({})).toBeNull();
  expect(faultWith({ status: 503 })).toBe("deleteQueue answered 503");
  expect(faultWith({ ms: 2_001 })).toBe("deleteQueue took 2001 ms");
  expect(faultWith({ text: "{" })).toBe("deleteQueue answered what is no JSON");
  expect(faultWith({ status: 201 })).toMatch(/answers 201 as .*, which is not documented/);
  expect(faultWith({ type: "text/html" })).toMatch(/as text\/html, which is not documented/);
  expect(faultWith({ text: '{"deleted":"yes"}' })).toMatch(
    /otherwise than documented: data\/deleted must be boolean/,
  );
});
