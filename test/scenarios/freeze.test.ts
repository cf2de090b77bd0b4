import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { textOf } from "../dashboard/page-text.ts";
import { eventually } from "./eventually.ts";
import { Gate } from "./gate.ts";
import { MovedClock } from "./moved-clock.ts";
import { Stage } from "./stage.ts";

let stage: Stage;

const path = ".github/trainyard.yml";
const tomorrow = wholeSeconds(Date.now() + 86_400_000);

function wholeSeconds(time: number): number {
  return Math.floor(time / 1_000) * 1_000;
}

/** A repository file with a freeze, which by default began an hour ago. */
function fileWithFreeze(until: number, since = Date.now() - 3_600_000): string {
  const [from, to] = [since, until].map((time) => new Date(wholeSeconds(time)).toISOString());
  return `freezes:
  - reason: Release weekend.
    from: "${from?.slice(0, 19)}Z"
    until: "${to?.slice(0, 19)}Z"
    timeZone: Europe/Berlin
`;
}

beforeAll(async () => {
  const files = { "README.md": "# Widgets\n", "facts/base.json": "{}\n", [path]: fileWithFreeze(tomorrow) };
  stage = await Stage.open({ queue: { concurrency: 3 }, repository: { files } });
});

afterAll(() => stage.close());

async function submit(pr: number): Promise<void> {
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
}

/** Waits until the pull request has passed after `after`, and only waits for the end of the freeze. */
function untilFrozen(pr: number, until: number, after = 0) {
  return eventually(
    async () => {
      const { state, stateChangedAt, why = [] } = (await stage.look(pr)) ?? {};
      const isNew = stateChangedAt !== undefined && Date.parse(stateChangedAt) > after;
      const isFrozen = why.length === 1 && why[0]?.code === "FROZEN";
      const ends = Date.parse(why[0]?.until ?? "");
      return isNew && isFrozen && state === "tests_passed" && ends === until ? (why[0] ?? null) : null;
    },
    `#${pr} to be frozen until ${new Date(until).toISOString()}`,
  );
}

/** Waits until the pull request has passed after `after`. On a slow machine, the freeze may have ended by then and it has merged. */
function untilPassed(pr: number, after: number) {
  return eventually(async () => {
    const { state, stateChangedAt } = (await stage.look(pr)) ?? {};
    const isNew = stateChangedAt !== undefined && Date.parse(stateChangedAt) > after;
    return isNew && (state === "tests_passed" || state === "merged") ? state : null;
  }, `#${pr} to pass again`);
}

test("a freeze is explained with its end, lets urgent pull requests merge, and merges the others at its end without a webhook", async () => {
  const waiting = await stage.openPullRequest("waiting");
  const urgent = await stage.openPullRequest("urgent", undefined, { settle: false });
  const last = await stage.openPullRequest("last");
  await submit(waiting);
  const { text } = await untilFrozen(waiting, tomorrow);
  const { freeze } = await stage.client.getQueue(stage.queue);
  expect(freeze).toMatchObject({ reason: "Release weekend.", timeZone: "Europe/Berlin" });
  const told =
    /frozen until \w{3}, \d+ \w+ \d{4},? \d\d:\d\d \(Europe\/Berlin\)\. The reason: Release weekend/i;
  expect(text).toMatch(told);
  expect(await stage.untilCommented(waiting, told)).toContain("/trainyard merge --urgent");
  const { head } = await stage.pull(waiting);
  await eventually(
    async () => ((await stage.ourChecks(head.sha))[0]?.output.title?.match(told) ? true : null),
    "our check to tell of the freeze",
  );
  const shown = await (await fetch(stage.pageUrl)).text();
  expect(shown).toMatch(/Frozen until .*\(Europe\/Berlin\).*Release weekend/);
  // The reason is above the list, and is not repeated in each row.
  expect(shown).toMatch(/class="long">[^<]*frozen until [^<]*Berlin\)</i);

  await stage.comment(urgent, "/trainyard merge --urgent");
  await stage.untilCommented(urgent, new RegExp(`#${waiting} would be tested again, behind #${urgent}`));
  await stage.comment(urgent, "/trainyard merge --urgent --confirm");
  await stage.until(urgent, "merged");
  await submit(last);
  await untilFrozen(last, tomorrow);

  const changedAt = Date.now();
  const today = wholeSeconds(changedAt + 7_200_000);
  await stage.pushToMain({ [path]: fileWithFreeze(today) });
  await untilFrozen(waiting, today, changedAt);
  await untilFrozen(last, today, changedAt);
  const pushedAt = Date.now();
  const soon = wholeSeconds(pushedAt + 6_000);
  await stage.pushToMain({ [path]: fileWithFreeze(soon) });
  await untilPassed(waiting, pushedAt);
  await untilPassed(last, pushedAt);
  await stage.untilHandled();
  stage.sandbox.setWebhookUrl(null);
  const first = await stage.until(waiting, "merged");
  const second = await stage.until(last, "merged");
  expect(Date.parse(first.stateChangedAt)).toBeGreaterThanOrEqual(soon);
  const page = textOf(await (await fetch(`${stage.pageUrl}/pulls/${waiting}`)).text());
  expect(page).toMatch(
    /Timeline .*The queue is frozen until \w{3}, .* \(Europe\/Berlin\): Release weekend\. .*Submitted .*The freeze of the queue ends\. .*Merged as/,
  );
  expect(Date.parse(second.stateChangedAt)).toBeGreaterThanOrEqual(Date.parse(first.stateChangedAt));
});

test.each(["the same", "the next"])(
  "a freeze that begins while GitHub does not show the file holds the merges of %s process",
  async (process) => {
    const [clock, gate] = [new MovedClock(), new Gate()];
    const file = fileWithFreeze(tomorrow, Date.now() + 600_000);
    const other = await Stage.open({
      ...{ clock, ci: { lastStep: gate.lastStep }, queue: { mergeMethod: "squash" } },
      repository: { files: { "README.md": "# Widgets\n", "facts/base.json": "{}\n", [path]: file } },
    });
    try {
      const pr = await other.openPullRequest("one");
      await other.client.submitPullRequest({ ...other.queue, pr: { number: pr } });
      await other.until(pr, "testing");
      if (process === "the next") await other.stopService();
      const end = other.sandbox.faults.next({
        ...{ operation: "repos/get-content", kind: "502", side: "before", lastsMs: 600_000 },
      });
      clock.pass(1_200_000);
      if (process === "the next") await other.startService();
      gate.open();
      const waits = (...codes: string[]) =>
        eventually(
          async () => {
            const { state, why = [] } = (await other.look(pr)) ?? {};
            if (state === "merged") throw new Error("it merged during the freeze");
            return why.find(({ code }) => codes.includes(code)) ?? null;
          },
          `#${pr} to wait because of ${codes.join(" or ")}`,
        );
      await waits("FROZEN", "GITHUB_UNAVAILABLE");
      end();
      await waits("FROZEN");
    } finally {
      gate.open();
      await other.close();
    }
  },
);
