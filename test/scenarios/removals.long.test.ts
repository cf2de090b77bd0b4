import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ApiError } from "../../src/client/client.ts";
import { reasonGuides } from "../../src/engine/reasons/reason-guide.ts";
import { GitHubProxy } from "./github-proxy.ts";
import { MovedClock } from "./moved-clock.ts";
import { byPeople } from "./removals/by-people.ts";
import { byRules, duringMerge } from "./removals/by-rules.ts";
import { inTests } from "./removals/in-tests.ts";
import { inTime } from "./removals/in-time.ts";
import { notReadyRemovals } from "./removals/not-ready.ts";
import { Place } from "./removals/place.ts";
import type { Removal } from "./removals/removal.ts";
import { Stage } from "./stage.ts";

/** How many are played at once. */
const atOnce = 8;
const inAnyOrder = [...byPeople, ...notReadyRemovals, ...inTests, ...byRules];
const inMerges = duringMerge(() => proxy);
const all = [...inMerges, ...inAnyOrder, ...inTime];

/** What an agent does with a pull request: it asks once, and may submit the same head again. */
interface Played {
  readonly told: Awaited<ReturnType<Place["explain"]>>;
  readonly again: Removal["again"];
}

let stage: Stage;
let proxy: GitHubProxy;
let later: Stage;
const played = new Map<Removal, Played | Error>();

beforeAll(async () => {
  stage = await Stage.open({
    through: async (url) => {
      proxy = await GitHubProxy.start(url);
      return proxy.host;
    },
  });
  await playAll(stage, inMerges, 1);
});

beforeAll(() => playAll(stage, inAnyOrder, atOnce));

beforeAll(async () => {
  const clock = new MovedClock();
  later = await Stage.open({ clock, environment: { TRAINYARD_RECONCILE_MS: "300" } });
  const passing = setInterval(() => clock.pass(60_000), 250);
  await playAll(later, inTime, inTime.length).finally(() => clearInterval(passing));
});

afterAll(async () => {
  await stage.close();
  await proxy.close();
  await later.close();
});

async function playAll(stage: Stage, removals: readonly Removal[], most: number): Promise<void> {
  const waiting = [...removals];
  const playNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const name = `removal-${all.indexOf(next)}`;
      played.set(next, await play(stage, next, name).catch((error: unknown) => error as Error));
    }
  };
  await Promise.all(Array.from({ length: most }, playNext));
}

async function play(stage: Stage, removal: Removal, name: string): Promise<Played> {
  const place = await Place.open(stage, name, removal.place);
  const end = new AbortController();
  const answer = playIn(place, removal).finally(() => {
    end.abort();
    place.gate.open();
  });
  await Promise.all([answer, stage === later ? lookAtClock(place, end.signal) : null]);
  return answer;
}

async function playIn(place: Place, removal: Removal): Promise<Played> {
  const pr = await removal.play(place);
  const told = await place.explain(pr, removal.queue?.(place));
  if (!removal.again) return { told, again: undefined };
  await removal.meanwhile?.(place);
  return { told, again: await submitAgain(place, pr, told) };
}

/** The service sets its alarm by its clock again whenever something is recorded. */
async function lookAtClock(place: Place, end: AbortSignal): Promise<void> {
  for (let minutes = 1; !end.aborted; minutes += 1) {
    await place.configure({ reviewGraceMinutes: minutes });
    await sleep(500);
  }
}

async function submitAgain(place: Place, pr: number, told: Played["told"]): Promise<Removal["again"]> {
  try {
    await place.submit(pr, { pr: { number: pr, sha: told.verdict.head } });
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return "is refused";
    throw error;
  }
  await place.untilTold(
    pr,
    ({ state, stateChangedAt }) =>
      ["merged", "failed", "cancelled"].includes(state) && stateChangedAt !== told.stateChangedAt,
  );
  const { state, reason } = await place.explain(pr);
  if (state === "merged") return "merges";
  if (reason !== told.reason) throw new Error(`it ends as ${reason} when it is submitted again`);
  return "ends the same";
}

test("the tests above produce every reason for a removal, except three that the sandbox does not lead to", () => {
  const left = Object.entries(reasonGuides).flatMap(([code, { kind }]) => (kind === "left" ? [code] : []));
  const played = new Set<string>(all.map(({ reason }) => reason));
  expect(left.filter((code) => !played.has(code)).sort()).toEqual([
    // Nothing reports it: a push during the merge call shows in the next reading.
    "HEAD_CHANGED",
    // GitHub denies the merge of one head, but of no other, for minutes.
    "PERMISSION_DENIED",
    // Nothing could be tested for a day.
    "RETRIES_EXHAUSTED",
  ]);
});

test("an agent learns by the code of the refusal that a pull request was never queued, and that its queue is gone", async () => {
  const place = await Place.open(stage, "refusals");
  const pr = await place.openPullRequest("one");
  await place.comment(pr, "/trainyard merge", "carol");
  await place.untilAnswered(pr);
  await expect(place.explain(pr)).rejects.toMatchObject({ code: "NEVER_SUBMITTED" });
  await stage.client.deleteQueue(place.queue);
  await expect(place.explain(pr)).rejects.toMatchObject({ code: "QUEUE_NOT_FOUND" });
});

test.each(all)(
  "an agent learns by one call why, and whether it may submit the same head again: $name",
  (removal) => {
    const result = played.get(removal);
    if (!result || result instanceof Error) throw result ?? new Error("it was not played");
    const { told, again } = result;
    const { verdict } = told;
    const { reason, cause, next, jobs = {}, tests = {}, blockedBy = [] } = removal;
    expect({
      reason: told.reason,
      cause: verdict.left?.cause ?? null,
      nextAction: verdict.nextAction,
      safeToRequeue: verdict.safeToRequeue,
      jobs: Object.fromEntries(
        (verdict.left?.failingJobs ?? []).map(({ untrustedName, conclusion }) => [untrustedName, conclusion]),
      ),
      tests: Object.fromEntries(
        (verdict.left?.failingTests ?? []).map(({ untrustedName, isKnownFlaky }) => [
          untrustedName,
          isKnownFlaky,
        ]),
      ),
      blockedBy: verdict.blockedBy,
      again,
    }).toEqual({
      ...{ reason, cause, nextAction: next, safeToRequeue: next === "requeue", jobs, tests, blockedBy },
      again: removal.again,
    });
    for (const { untrustedName, conclusion, url } of verdict.left?.failingJobs ?? [])
      if (conclusion === "failure" && /^(build|test)$/.test(untrustedName))
        expect(url).toContain(stage.sandbox.host.split(":")[0]);
    expect(Buffer.byteLength(JSON.stringify(verdict))).toBeLessThanOrEqual(2_048);
  },
);
