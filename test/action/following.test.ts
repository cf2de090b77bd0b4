import { describe, expect, test } from "@jest/globals";
import { renderCheck } from "../../src/action/commands/status.ts";
import { follow, Progress, verdictOf } from "../../src/action/follow.ts";
import type { Entry, Runner, Step } from "../../src/action/step.ts";

import { ApiError, createClient, NetworkError } from "../../src/client/client.ts";
import { entryOf } from "./entry.ts";

/**
 * A step whose clock advances only when it sleeps. Its requests return the given looks in order, and repeat
 * the last one.
 */
function stepThatSees(...looks: readonly (Entry | Error)[]) {
  let time = 0;
  let looked = 0;
  const lines: string[] = [];
  const pauses: number[] = [];
  const runner: Runner = {
    mask: () => {},
    detail: () => {},
    log: (line) => void lines.push(line),
    annotate: () => {},
    output: () => {},
    summarise: async () => {},
  };
  const service = { baseUrl: "https://trainyard.example.org" };
  const step: Step = {
    issueToken: null,
    fetch,
    subject: {
      queue: { repo: { host: "github.com", owner: "acme", name: "widgets" }, targetBranch: "main" },
      pr: 12,
      headSha: null,
      isFromFork: false,
      url: "",
    },
    workflow: {
      host: "github.com",
      serverUrl: "https://github.com",
      apiUrl: "https://api.github.com",
      repository: null,
      defaultBranch: null,
      pullRequest: null,
      runId: null,
      runAttempt: 1,
      workflowName: "CI",
      job: "job",
      step: "",
      os: "Linux",
      isTestMerge: false,
      followsRun: false,
      isPush: false,
      isAboutSha: true,
      branch: null,
      sha: null,
      actor: "alice",
      workspace: ".",
      temporary: ".",
    },
    runner,
    service,
    client: {
      ...createClient(service),
      getSubmittedPullRequest: async () => {
        const look = looks[Math.min(looked++, looks.length - 1)];
        if (look === undefined || look instanceof Error) throw look ?? new Error("nothing to see");
        return look;
      },
    },
    github: null,
    clock: {
      now: () => time,
      sleep: async (ms) => {
        pauses.push(ms);
        time += ms;
      },
    },
    signal: new AbortController().signal,
    env: {},
  };
  return { step, lines, pauses, elapsed: () => time };
}

const minute = 60_000;
const merged = entryOf({ state: "merged", position: null, text: "merged as abcdef0" });

describe("following a pull request", () => {
  test("ends when the pull request has left the queue, and logs a line for each change", async () => {
    const waiting = entryOf({ state: "pending", position: 2, text: "behind #11" });
    const { step, lines } = stepThatSees(waiting, entryOf(), entryOf(), merged);
    expect(await follow(waiting, step, { timeoutMs: 60 * minute })).toEqual({
      entry: merged,
      ended: "terminal",
    });
    expect(lines).toEqual([
      "#12 is pending (position 2, 1 ahead): behind #11",
      "#12 is testing (position 1, 0 ahead): its tests are running",
      "#12 is merged: merged as abcdef0",
    ]);
  });

  test("polls less and less often, ends exactly at the timeout, and logs at most one line a minute", async () => {
    const { step, lines, pauses, elapsed } = stepThatSees(entryOf());
    expect(await follow(entryOf(), step, { timeoutMs: 10 * minute })).toMatchObject({ ended: "timeout" });
    expect(elapsed()).toBe(10 * minute);
    expect([pauses[0], pauses[1], Math.max(...pauses)]).toEqual([500, 750, 15_000]);
    expect(lines.length).toBeLessThanOrEqual(11);
    expect(lines[1]).toBe("#12 is still testing (position 1, 0 ahead): its tests are running");
  });

  test("polls at least as often as requested even when nothing changes", async () => {
    const { step, pauses } = stepThatSees(entryOf());
    await follow(entryOf(), step, { timeoutMs: 10 * minute, longestPauseMs: 4_000 });
    expect(Math.max(...pauses)).toBe(4_000);
  });

  test("continues while the service is unreachable, and logs that once a minute", async () => {
    const away = new NetworkError("network", "https://trainyard.example.org did not answer.", null);
    const outage = Array.from({ length: 12 }, () => away);
    const { step, lines } = stepThatSees(...outage, merged);
    expect(await follow(entryOf(), step, { timeoutMs: 60 * minute })).toMatchObject({ ended: "terminal" });
    const complaints = lines.filter((line) => line.includes("did not answer. Still waiting."));
    expect(complaints.length).toBeGreaterThan(0);
    expect(complaints.length).toBeLessThan(4);
  });

  test("shows a state of a newer service, and ends in it once the pull request is not in the queue", async () => {
    const parked = entryOf({ state: "parked" as never });
    const archived = entryOf({ state: "archived" as never, isCurrentlySubmittedToQueue: false });
    const { step, lines } = stepThatSees(parked, archived);
    const followed = await follow(parked, step, { timeoutMs: 60 * minute });
    expect(followed).toEqual({ entry: archived, ended: "terminal" });
    expect(verdictOf(followed)).toBe("unknown");
    expect(lines.map((line) => line.split(" ")[2])).toEqual(["parked", "archived"]);
    expect([parked, archived].map((entry) => renderCheck(entry, step.subject))).toMatchObject([
      { status: "in_progress", conclusion: null },
      { status: "completed", conclusion: "cancelled" },
    ]);
  });

  test("ends at once when the service refuses the token", async () => {
    const refusal = new ApiError({
      status: 401,
      code: "TOKEN_NOT_VALID",
      detail: "The API token is revoked.",
      errors: [],
      retryAfterMs: null,
      requestId: null,
    });
    const { step } = stepThatSees(refusal);
    await expect(follow(entryOf(), step, { timeoutMs: minute })).rejects.toBe(refusal);
  });
});

describe("the progress line", () => {
  test("shows the expected wait if there is a forecast", () => {
    const now = Date.parse("2026-01-02T03:00:00.000Z");
    const forecast = { p50: "2026-01-02T03:11:30.000Z", p90: "2026-01-02T03:31:00.000Z", basedOn: 7 };
    const line = (changes: Parameters<typeof entryOf>[0]) => new Progress().lineFor(entryOf(changes), now);
    expect(line({ position: 3, forecast })).toBe(
      "#12 is testing (position 3, 2 ahead, merges in about 12 min, at worst 31): its tests are running",
    );
    expect(line({ forecast: { ...forecast, p90: forecast.p50 } })).toContain(
      "(position 1, 0 ahead, merges in about 12 min)",
    );
    expect(line({ forecast: null })).not.toContain("merges in");
    expect(line({ forecast: { ...forecast, p50: "2026-01-02T02:00:00.000Z" } })).toContain("in about 1 min");
  });

  test("is logged when the state, position or reason code changes, and otherwise repeated after a minute", () => {
    const progress = new Progress();
    expect(progress.lineFor(entryOf({ position: 3 }), 0)).toContain("is testing (position 3, 2 ahead)");
    expect(progress.lineFor(entryOf({ position: 3, text: "other words" }), 59_999)).toBeNull();
    expect(progress.lineFor(entryOf({ position: 3 }), 60_000)).toContain("is still testing");
    expect(progress.lineFor(entryOf({ position: 2 }), 60_001)).toContain("is testing (position 2, 1 ahead)");
  });
});
