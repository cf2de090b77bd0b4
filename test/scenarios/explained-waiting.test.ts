import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { NextFault } from "../../tools/sandbox/faults/faults.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

let stage: Stage;
let gate: Gate;

beforeEach(() => {
  gate = new Gate();
});

afterEach(async () => {
  gate.open();
  await stage.close();
});

async function open(mergeMethod: "merge_commit" | "squash" = "squash"): Promise<number> {
  stage = await Stage.open({ queue: { mergeMethod }, ci: { lastStep: gate.lastStep } });
  return stage.openPullRequest("one");
}

async function submit(pr: number): Promise<void> {
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
}

/** Waits until the API gives the reason. Returns the time until which the pull request waits. */
async function untilTold(pr: number, code: string, text: RegExp): Promise<string | null> {
  const link = await eventually(
    async () => (await stage.look(pr))?.why.find((one) => one.code === code) ?? null,
    `#${pr} to wait because of ${code}`,
  );
  expect(link.text).toMatch(text);
  return link.until;
}

/** Waits until the API and the check give the reason. */
async function untilExplained(pr: number, code: string, text: RegExp): Promise<string | null> {
  const until = await untilTold(pr, code, text);
  const { head } = await stage.pull(pr);
  await eventually(async () => {
    const [check] = await stage.ourChecks(head.sha);
    return text.test(check?.output.title ?? "") ? check : null;
  }, `the check of #${pr} to say ${text}`);
  return until;
}

/** A limit of REST calls. Checks are not written by REST. */
const limited = { kind: "rate_limited", variant: "primary", retryAfterSeconds: 600 } as const;

function minutesUntil(until: string | null): number {
  return (Date.parse(until ?? "") - Date.now()) / 60_000;
}

test("a wait for GitHub's limit before building a test commit is explained with its end", async () => {
  const pr = await open();
  stage.sandbox.faults.next({ ...limited, operation: "repos/merge" });
  await submit(pr);
  const until = await untilExplained(
    pr,
    "GITHUB_LIMITS_US",
    /GitHub asks us to wait until \d\d:\d\d UTC before making its test commit/,
  );
  expect(minutesUntil(until)).toBeGreaterThan(8);
});

test("a wait for GitHub's limit on all calls is explained by the API, although no check can be written", async () => {
  const pr = await open();
  stage.sandbox.faults.next({ ...limited, variant: "429", operation: "repos/merge" });
  await submit(pr);
  const until = await untilTold(pr, "GITHUB_LIMITS_US", /GitHub asks us to wait until \d\d:\d\d UTC/);
  expect(minutesUntil(until)).toBeGreaterThan(8);
});

describe.each<["merge_commit" | "squash", NextFault]>([
  ["merge_commit", { ...limited, operation: "git/update-ref" }],
  ["squash", { ...limited, operation: "pulls/merge" }],
])("with %s", (mergeMethod, fault) => {
  test("a wait for GitHub's limit before merging is explained with its end, and the pull request can be cancelled", async () => {
    const pr = await open(mergeMethod);
    await submit(pr);
    await stage.until(pr, "testing");
    if (mergeMethod === "merge_commit")
      stage.sandbox.faults.next({ operation: "graphql/updateRefs", kind: "forbidden", side: "before" });
    stage.sandbox.faults.next(fault);
    gate.open();
    const until = await untilExplained(
      pr,
      "GITHUB_LIMITS_US",
      /GitHub asks us to wait until \d\d:\d\d UTC before merging/,
    );
    expect(minutesUntil(until)).toBeGreaterThan(8);
    const cancelled = await stage.client.cancelPullRequest({ ...stage.queue, pr: { number: pr } });
    expect(cancelled.state).toBe("cancelled");
  });
});

test("a merge that GitHub denies is explained, and succeeds once GitHub allows it", async () => {
  const pr = await open();
  await submit(pr);
  await stage.until(pr, "testing");
  const allow = stage.sandbox.faults.next({ operation: "pulls/merge", kind: "forbidden", count: 1_000 });
  gate.open();
  await untilExplained(
    pr,
    "GITHUB_DENIES",
    /GitHub denies merging\. Details: Resource not accessible by integration\. It is tried again at/,
  );
  allow();
  const merged = await stage.until(pr, "merged");
  expect(merged.why.map(({ code }) => code)).toEqual(["ENDED"]);
});
