import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { renderQueue } from "../../src/dashboard/queue/queue-page.ts";
import { TargetSet } from "../../src/engine/collections/target-set.ts";
import { Forecasts } from "../../src/service/runtime/forecasts.ts";

import { type QueueView, queueView } from "../../src/service/runtime/views.ts";
import { QueueHarness } from "../engine/queue-harness.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { rowOf, textOf } from "./page-text.ts";
import { browserTest } from "./viewers.ts";

/** Whether CI may end the tests of a commit. */
let mayEnd = (_sha: string | null): boolean => false;
let stage: Stage;
let browser: Browser | null = null;
const prs: number[] = [];
/** It is submitted later. */
let late = 0;

beforeAll(async () => {
  stage = await Stage.open({
    queue: {
      policy: "fixed",
      batch: true,
      batchingMinSize: 3,
      concurrency: 2,
      requiredStatuses: ["build"],
      state: "paused",
    },
    ci: {
      checks: ["build"],
      durationMs: [10, 20],
      pullRequests: false,
      lastStep: async ({ sha, conclusion }) => {
        await eventually(async () => mayEnd(sha) || null, `the tests of ${sha} to end`);
        return conclusion;
      },
    },
    requiredChecks: null,
  });
  for (const name of ["one", "two", "broken", "four", "five", "six", "seven"]) {
    const files = { [`facts/${name}.json`]: name === "broken" ? '{"broken": true}\n' : "{}\n" };
    prs.push(await stage.openPullRequest(name, files));
  }
  late = await stage.openPullRequest("late");
  for (const number of prs) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
});
afterAll(async () => {
  mayEnd = () => true;
  await browser?.close();
  await stage.close();
});

/** Waits until a pull request is tested, and returns the commit that is. */
function testedCommit(pr: number): Promise<string> {
  return eventually(async () => {
    const details = await stage.client.getMergeQueueTestingDetails(stage.queue);
    const runs = "testRuns" in details ? details.testRuns : [];
    const run = runs.find(({ testedPullRequests }) =>
      testedPullRequests.some(({ prNumber }) => prNumber === pr),
    );
    return run?.testBranchSha ?? null;
  }, `#${pr} to be tested`);
}

const marked = (page: Page, role: string) =>
  page
    .locator(`.car[data-chain="${role}"]`)
    .evaluateAll((cars) => cars.map((car) => Number(car.dataset.car)));

browserTest(
  "the queue page shows what is tested on top of what, the search for a culprit, and the merges, without a reload",
  async () => {
    const [one = 0, two = 0, broken = 0, four = 0, five = 0, six = 0, seven = 0] = prs;
    browser = await launchBrowser();
    const page = await browser.newPage();
    const problems: string[] = [];
    let loads = 0;
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", ({ message }) => problems.push(message));
    page.on("request", (request) => {
      if (request.isNavigationRequest()) loads += 1;
    });
    await page.goto(stage.pageUrl);

    const second = page.locator(".track", { has: page.locator(`.car[data-car="${five}"]`) });
    await second.locator(".car.testing").nth(2).waitFor();
    expect(await second.locator(".name").innerText()).toMatch(/^Batch of 3/);
    expect(await second.locator(".ahead .chip").allInnerTexts()).toEqual(
      [one, two, broken].map((pr) => `#${pr}`),
    );
    expect(await page.locator(".track.waiting .car").getAttribute("data-car")).toBe(String(seven));

    await page.locator(`.car[data-car="${five}"] a`).focus();
    expect(await marked(page, "ahead")).toEqual([one, two, broken, four]);
    expect(await marked(page, "restarts")).toEqual([four, six].filter((pr) => pr !== four));
    const told = await page.locator(`.car[data-car="${five}"] .told`).innerText();
    expect(told).toContain(`Cancelling it restarts the tests of #${four} and #${six}.`);

    await stage.client.submitPullRequest({ ...stage.queue, pr: { number: late } });
    await page.locator(`.track.waiting .car[data-car="${late}"]`).waitFor();
    expect(await marked(page, "ahead")).toEqual([one, two, broken, four]);

    const [culprits, others] = await Promise.all([broken, five].map(testedCommit));
    mayEnd = (sha) => sha === culprits;
    const search = page.locator(".bisection");
    const part = new RegExp(`^#${one} under way for \\d+ s$`);
    const texts = await eventually(async () => {
      const evidence = await search.locator(".evidence").allInnerTexts();
      const [, ...parts] = evidence.map((text) => text.replaceAll(/\s+/g, " "));
      return part.test(parts[0] ?? "") ? evidence : null;
    }, "the search for the culprit");
    expect(texts[0]?.replaceAll(/\s+/g, " ")).toBe(`#${one} #${two} #${broken} failed build`);
    expect(await search.locator(".car.suspect").count()).toBe(3);

    mayEnd = (sha) => sha !== others;
    await page.locator(".state.failed").waitFor();
    await page.locator(`tr:has(.state.merged)`, { hasText: `#${two} ` }).waitFor();
    expect((await stage.look(broken))?.state).toBe("failed");
    expect({ loads, problems }).toEqual({ loads: 1, problems: [] });
  },
);

browserTest("the page of a pull request says why a test run of it was cancelled", async () => {
  const [, , , , five] = prs;
  const text = textOf(await (await fetch(`${stage.pageUrl}/pulls/${five}`)).text());
  expect(text).toMatch(
    / cancelled on top of .* The batch of #\d+, #\d+ and #\d+ ahead failed, and its culprit is not known yet\. no result build /,
  );
});

test("an update of the page takes less than 20 KB", async () => {
  const sizes = await new Promise<number[]>((resolve, reject) => {
    const headers = { "accept-encoding": "gzip" };
    const found: number[] = [];
    const request = get(`${stage.pageUrl}/live`, { headers }, (answer) => {
      answer.on("data", (chunk: Buffer) => {
        found.push(chunk.length);
        if (found.length === 1) stage.client.updateQueue({ ...stage.queue, state: "draining" }).catch(reject);
        else {
          request.destroy();
          resolve(found);
        }
      });
    });
  });
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  expect(Math.max(...sizes)).toBeLessThan(20_000);
});

test("what waits in lanes and is not drawn is counted once, for all lanes", () => {
  const queue = new QueueHarness({ mode: "parallel", concurrency: 4 });
  queue.targets = (pr) => TargetSet.of([pr % 2]);
  for (let pr = 1; pr <= 60; pr++) queue.submit(pr);
  const page = pageOf(queue, 0);
  expect(page.match(/Lane \d/g)).toHaveLength(2);
  const drawn = new Set([...page.matchAll(/class="car [^>]*data-car="(\d+)"/g)].map(([, pr]) => pr));
  expect(textOf(page)).toContain(
    `Not drawn, but in the table: ${60 - drawn.size} more waiting pull requests.`,
  );
  expect(page).not.toMatch(/track waiting">(?:(?!<\/ol>)[\s\S])*class="hidden"/);
});

test("with 1,000 waiting pull requests, the page has less than 200 KB, and lists the others on further pages", () => {
  const queue = new QueueHarness({ concurrency: 8 });
  for (let pr = 1; pr <= 1_000; pr++) queue.submit(pr, { title: `Change number ${pr} of the widgets` });
  expect(pageOf(queue, 0).length).toBeLessThan(200_000);
  expect(textOf(pageOf(queue, 0))).toContain("1–50 of 1000 Next");
  expect(rowOf(pageOf(queue, 950), 1_000)?.[0]).toBe("1000");
});

test("with 120 pull requests that are not ready, the page lists the others on further pages", () => {
  const queue = new QueueHarness({});
  for (let pr = 2; pr <= 121; pr++) queue.submit(pr, { draft: true });
  expect(pageOf(queue, 0)).not.toContain("what is tested on top of what");
  queue.submit(1);
  const listed = (page: string) => [...page.matchAll(/<tr id="pr-(\d+)"/g)].map(([, pr]) => Number(pr));
  const pages = [0, 50, 100].map((notReadyFrom) => pageOf(queue, 0, notReadyFrom));
  expect(pages.map((page) => listed(page).slice(1))).toEqual([range(2, 51), range(52, 101), range(102, 121)]);
  expect(textOf(pages[1] ?? "")).toContain("Previous 51–100 of 120 Next");
  expect(pages[1]).toMatch(/href="[^"?]+\?notReadyFrom(=|&#61;)100">Next/);
});

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The page of a queue, with a part of its lists. */
function pageOf({ state, now }: QueueHarness, from: number, notReadyFrom = 0): string {
  const inForce = {
    enqueueingLabel: "",
    stateLabelsEnabled: false,
    requiredStatusesSource: "merge_instance",
    publicPage: false,
  };
  const view = queueView(state, inForce as QueueView["inForce"], new Forecasts({ now: () => now }));
  const places = { from, notReadyFrom };
  return renderQueue(view, [], now, { links: [], controls: null, commandPrefix: "/trainyard", places });
}
